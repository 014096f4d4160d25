//===- lib/Runtime/Host/Regex.cpp - strings that match a pattern ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/Pattern.h"

namespace cupola::runtime {

Status matchPattern(HostCall &call) {
  CUPOLA_TRY(call.expectResults(call.count(0)));
  CUPOLA_ASSIGN(const Pattern pattern, Pattern::parse(call.argument(0)));
  for (size_t i = 0; i < call.count(0); ++i) {
    CUPOLA_ASSIGN(const std::string_view text, call.text(0, i));
    call.put<uint8_t>(i, pattern.matches(text) ? 1 : 0);
  }
  return Status::ok();
}

} // namespace cupola::runtime

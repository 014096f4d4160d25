//===- lib/Runtime/Host/Concat.cpp - pairs of strings ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"

namespace cupola::runtime {

Status concatStrings(HostCall &call) {
  CUPOLA_TRY(call.expectResults(call.count(0)));
  CUPOLA_TRY(call.expectResults(call.count(1)));
  for (size_t i = 0; i < call.count(0); ++i) {
    CUPOLA_ASSIGN(const std::string_view first, call.text(0, i));
    CUPOLA_ASSIGN(const std::string_view second, call.text(1, i));
    call.putText(i, std::string(first).append(second));
  }
  return Status::ok();
}

} // namespace cupola::runtime

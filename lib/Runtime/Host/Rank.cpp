//===- lib/Runtime/Host/Rank.cpp - the order of strings ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace cupola::runtime {

/// Bytes of UTF-8 are ordered as its code points.
Status rankStrings(HostCall &call) {
  const size_t count = call.count(0);
  CUPOLA_TRY(call.expectResults(count));
  std::vector<std::string_view> texts(count);
  for (size_t i = 0; i < count; ++i) {
    CUPOLA_ASSIGN(texts[i], call.text(0, i));
  }
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return texts[a] < texts[b]; });
  int64_t rank = 0;
  for (size_t i = 0; i < count; ++i) {
    rank += i > 0 && texts[order[i - 1]] != texts[order[i]];
    call.put<int64_t>(order[i], rank);
  }
  return Status::ok();
}

} // namespace cupola::runtime

//===- lib/Runtime/Host/Cumulate.cpp - sums of all elements up to one ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Combine.h"
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/VisitNumber.h"

#include <algorithm>
#include <array>

namespace cupola::runtime {
namespace {

struct Cumulation {
  uint64_t before, extent, behind;
  bool isExclusive, isReverse;
};

constexpr uint64_t kColumns = 64; ///< that are summed side by side, in vectors

/// Of `columns` neighbours behind the axis, from place `first` on.
template <class T, class Kind, uint64_t columns>
void cumulateColumns(HostCall &call, const Cumulation &c, uint64_t first) {
  using Row = std::array<T, columns>;
  Row sums, row;
  sums.fill(Kind::template neutral<T>());
  for (uint64_t i = 0; i < c.extent; ++i) {
    const uint64_t at = (first + (c.isReverse ? c.extent - 1 - i : i) * c.behind) * sizeof(T);
    std::memcpy(&row, call.bytes(0).data() + at, sizeof(Row));
    if (c.isExclusive)
      std::memcpy(call.resultBytes() + at, &sums, sizeof(Row));
    for (uint64_t j = 0; j < columns; ++j)
      sums[j] = Kind::combine(sums[j], row[j]);
    if (!c.isExclusive)
      std::memcpy(call.resultBytes() + at, &sums, sizeof(Row));
  }
}

/// As many columns at a time as there is code for, then one by one.
template <class T, class Kind> void cumulate(HostCall &call, const Cumulation &c) {
  const uint64_t blocks = c.behind / kColumns, parts = blocks + c.behind % kColumns;
  call.forRows(c.before * parts, c.extent * std::min(c.behind, kColumns), [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      const uint64_t part = i % parts, first = i / parts * c.extent * c.behind;
      if (part < blocks)
        cumulateColumns<T, Kind, kColumns>(call, c, first + part * kColumns);
      else
        cumulateColumns<T, Kind, 1>(call, c, first + blocks * kColumns + part - blocks);
    }
  });
}

} // namespace

Status cumulateNumbers(HostCall &call) {
  CUPOLA_ASSIGN(const std::vector<uint64_t> extents, call.extents(1, 3));
  const Cumulation c{extents[0], extents[1], extents[2], call.argument(2) == "exclusive",
                     call.argument(3) == "reverse"};
  CUPOLA_TRY(call.expectOperand(0, c.before * c.extent * c.behind));
  CUPOLA_TRY(call.expectResults(c.before * c.extent * c.behind));
  if (call.resultCount() == 0)
    return Status::ok();
  return visitNumber(call.numbers(), [&](auto zero) {
    using T = decltype(zero);
    if (call.argument(1) == "add")
      cumulate<T, Add>(call, c);
    else if (call.argument(1) == "mul")
      cumulate<T, Multiply>(call, c);
    else
      return Status::package("the manifest is inconsistent: numbers are cumulated by '" + call.argument(1) + "'");
    return Status::ok();
  });
}

} // namespace cupola::runtime

//===- lib/Runtime/Host/HostCall.cpp - one step of the host ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"

#include "lib/Runtime/Format/Checked.h"

#include <algorithm>
#include <exception>
#include <mutex>

namespace cupola::runtime {

namespace {

struct HostRow {
  const char *name;
  Status (*function)(HostCall &call);
};

/// In the order of format::kHostOps.
constexpr HostRow kRows[] = {
    {"string_concat", concatStrings},       {"string_normalize_count", countNormalized},
    {"string_normalize", normalizeStrings}, {"string_split_count", countSplit},
    {"string_split", splitStrings},         {"string_rank", rankStrings},
    {"regex_full_match", matchPattern},     {"string_parse", parseNumbers},
    {"string_format", formatNumbers},       {"image_extents", findImageExtents},
    {"image_decode", decodeImage},          {"order", findOrder},
    {"last_match", findLastMatches},        {"true_places", findTruePlaces},
    {"scatter_reduce", scatterReduce},      {"box_picks", pickBoxes},
    {"box_pick_count", countPicks},         {"box_pick_list", listPicks},
    {"fourier", fourierTransform},          {"cumulate", cumulateNumbers},
};
static_assert(sizeof(kRows) / sizeof(kRows[0]) == sizeof(format::kHostOps) / sizeof(format::kHostOps[0]));

} // namespace

size_t HostCall::count(size_t operand) const {
  return operands[operand].bytes / format::byteSize(format::dtypeOf(op().reads[operand], call.arguments));
}

size_t HostCall::resultCount() const {
  return result.bytes / format::byteSize(format::dtypeOf(op().writes, call.arguments));
}

Result<std::vector<uint64_t>> HostCall::extents(size_t operand, size_t count) const {
  CUPOLA_TRY(expectOperand(operand, count));
  std::vector<uint64_t> list(count);
  format::Size product(1); // of any of them
  for (size_t i = 0; i < count; ++i) {
    const auto extent = number<int64_t>(operand, i);
    product = product * format::Size(static_cast<uint64_t>(std::max<int64_t>(extent, 1)));
    if (extent < 0 || !product.value())
      return Status::package("the manifest is inconsistent: an extent of the host's op '" + call.op + "' is " +
                             std::to_string(extent));
    list[i] = static_cast<uint64_t>(extent);
  }
  return list;
}

Status HostCall::expectOperand(size_t operand, uint64_t count) const {
  if (this->count(operand) == count)
    return Status::ok();
  return Status::package("the manifest is inconsistent: the host's op '" + call.op + "' reads " +
                         std::to_string(count) + " elements of operand " + std::to_string(operand) + ", which has " +
                         std::to_string(this->count(operand)));
}

Status HostCall::expectResults(size_t count) const {
  if (resultCount() == count)
    return Status::ok();
  return Status::package("the manifest is inconsistent: the host's op '" + call.op + "' makes " +
                         std::to_string(count) + " elements, its result has " + std::to_string(resultCount()));
}

Result<std::string_view> HostCall::text(size_t operand, size_t at) const {
  const auto wanted = number<int64_t>(operand, at);
  if (const auto found = strings.find(wanted))
    return *found;
  return Status::usage("element " + std::to_string(at) + " is " + std::to_string(wanted) +
                       ", which is the number of no string");
}

void HostCall::forRows(uint64_t rows, uint64_t steps, const Part &body) const {
  constexpr uint64_t worthAThread = 4096;
  if (!threads)
    return body(0, rows);
  std::mutex mutex;
  std::exception_ptr thrown;
  threads(rows, std::max<uint64_t>(worthAThread / std::max<uint64_t>(steps, 1), 1), [&](uint64_t begin, uint64_t end) {
    try {
      body(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  });
  if (thrown)
    std::rethrow_exception(thrown);
}

void HostCall::putText(size_t at, std::string_view text) { put<int64_t>(at, strings.make(text)); }

Status runHostCall(HostCall &call, const std::string &op) {
  for (const HostRow &row : kRows)
    if (op == row.name)
      return row.function(call);
  return Status::package("the host's op '" + op + "' is not known");
}

} // namespace cupola::runtime

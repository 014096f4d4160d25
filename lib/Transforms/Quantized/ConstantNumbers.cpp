//===- lib/Transforms/Quantized/ConstantNumbers.cpp - integers and scales that constants make ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/ConstantNumbers.h"

#include "lib/Runtime/Format/Parallel.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/RowCone.h"

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

using namespace mlir;

namespace cupola {
namespace {

/// What a thread does at a time.
constexpr int64_t share = 1 << 20;
/// Bytes that are looked up in one loop.
constexpr int64_t mostTogether = 64;

/// Elements of a value some rows at a time; nothing where rows are not made of rows.
std::optional<std::vector<float>> elementsByRows(Value value, unsigned threads) {
  const std::optional<RowCone> cone = RowCone::of(value);
  if (!cone)
    return std::nullopt;
  constexpr int64_t some = 1 << 16;
  const int64_t count = *graph::elementCount(value).constant(), width = count / std::max<int64_t>(cone->rows(), 1);
  const int64_t rows = std::max<int64_t>(1, some / std::max<int64_t>(width, 1));
  std::vector<float> elements(count);
  std::atomic<bool> areAll = true;
  parallelFor((cone->rows() + rows - 1) / rows, threads, [&](size_t i) {
    const int64_t first = static_cast<int64_t>(i) * rows;
    const std::optional<reference::Tensor> part = cone->evaluate(first, std::min(rows, cone->rows() - first));
    if (!part)
      areAll = false;
    else
      part->forPieces([&](int64_t begin, ArrayRef<double> numbers) {
        std::copy(numbers.begin(), numbers.end(), elements.begin() + first * width + begin);
      });
  });
  return areAll ? std::optional(std::move(elements)) : std::nullopt;
}

/// How often each element of a broadcast's operand follows itself; 0: elements are repeated elsewhere.
int64_t timesOf(graph::BroadcastOp broadcast) {
  const auto before = cast<RankedTensorType>(broadcast.getInput().getType()).getShape(),
             after = cast<RankedTensorType>(broadcast.getResult().getType()).getShape();
  int64_t times = 1;
  bool isInner = true;
  for (size_t i = after.size(); i-- > 0;) {
    isInner &= before[i] == 1;
    if (isInner)
      times *= after[i];
    else if (before[i] != after[i])
      return 0;
  }
  return times;
}

/// Whose elements in order are those of the value, or null.
Value behindView(Value value) {
  Operation *op = value.getDefiningOp();
  auto slice = dyn_cast_or_null<graph::SliceOp>(op);
  return isa_and_nonnull<graph::ReshapeOp>(op) || (slice && isWhole(slice)) ? op->getOperand(0) : Value();
}

/// Holds sums of two numbers of tables.
bool isExact(Type element) {
  return element.isF32() || element.isF16() || element.isSignlessInteger(32) || element.isSignlessInteger(16);
}

/// The sum or difference that makes integers.
graph::BinaryOp sumBehind(Value value) {
  for (;;) {
    auto cast = value.getDefiningOp<graph::CastOp>();
    if (Value next = behindView(value))
      value = next;
    else if (cast && isExact(graph::elementOf(value)))
      value = cast.getInput();
    else
      break;
  }
  auto sum = value.getDefiningOp<graph::BinaryOp>();
  const bool isSum = sum && (sum.getKind() == graph::BinaryKind::Add || sum.getKind() == graph::BinaryKind::Sub);
  return isSum && isExact(graph::elementOf(value)) ? sum : graph::BinaryOp();
}

bool fits(float number) { return number == std::trunc(number) && std::abs(number) <= ConstantIntegers::mostOfTable; }

/// Which bytes there are.
std::array<bool, ByteTable::bytesThereAre> bytesIn(ArrayRef<uint8_t> bytes, unsigned threads) {
  std::array<bool, ByteTable::bytesThereAre> result{};
  std::mutex joining;
  parallelFor((bytes.size() + share - 1) / share, threads, [&](size_t i) {
    std::array<bool, ByteTable::bytesThereAre> seen{};
    for (uint8_t byte : bytes.drop_front(i * share).take_front(share))
      seen[byte] = true;
    const std::lock_guard lock(joining);
    for (size_t byte = 0; byte < seen.size(); ++byte)
      result[byte] |= seen[byte];
  });
  return result;
}

} // namespace

std::optional<std::vector<float>> elementsOf(Value value, unsigned threads) {
  if (std::optional<std::vector<float>> elements = elementsByRows(value, threads))
    return elements;
  const std::optional<reference::Tensor> tensor = evaluate(coneOf(value));
  if (!tensor)
    return std::nullopt;
  std::vector<float> elements(tensor->count());
  tensor->forPieces([&](int64_t begin, ArrayRef<double> numbers) {
    std::copy(numbers.begin(), numbers.end(), elements.begin() + begin);
  });
  return elements;
}

std::optional<ConstantRuns> ConstantRuns::of(Value value, int64_t most, unsigned threads) {
  if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
    return std::nullopt;
  int64_t run = 1;
  for (;;) {
    auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
    const int64_t times = broadcast ? timesOf(broadcast) : 0;
    if (Value next = behindView(value))
      value = next;
    else if (times > 0)
      value = broadcast.getInput();
    else
      break;
    run *= std::max<int64_t>(times, 1);
  }
  std::optional<std::vector<float>> numbers = elementsOf(value, threads);
  if (!numbers)
    return std::nullopt;
  const int64_t own = std::gcd(run, most), parts = run / std::max<int64_t>(own, 1);
  if (parts == 1)
    return ConstantRuns{std::move(*numbers), own};
  std::vector<float> repeated;
  repeated.reserve(numbers->size() * parts);
  for (float number : *numbers)
    repeated.insert(repeated.end(), parts, number);
  return ConstantRuns{std::move(repeated), own};
}

ConstantIntegers::ConstantIntegers(std::vector<int16_t> integers)
    : all(std::move(integers)), elements(static_cast<int64_t>(all.size())) {
  const auto [least, largest] = std::minmax_element(all.begin(), all.end());
  if (!all.empty())
    low = *least, high = *largest;
}

std::optional<ConstantIntegers> ConstantIntegers::of(Value value, unsigned threads) {
  ConstantIntegers result;
  result.elements = *graph::elementCount(value).constant();
  if (const std::optional<ByteTable> table = ByteTable::of(value)) {
    result.areAll = result.take(*table, threads);
    return result;
  }
  graph::BinaryOp sum = sumBehind(value);
  const std::optional<ByteTable> table = sum ? ByteTable::of(sum.getLhs()) : std::nullopt;
  if (!table || !result.take(*table, threads))
    return std::nullopt;
  const auto runs = ConstantRuns::of(sum.getRhs(), *graph::extentOf(value, 1).constant(), threads);
  if (!runs || !llvm::all_of(runs->numbers, fits))
    return std::nullopt;
  result.run = runs->run;
  for (float number : runs->numbers)
    result.offsets.push_back(static_cast<int16_t>(sum.getKind() == graph::BinaryKind::Sub ? -number : number));
  const auto [least, largest] = std::minmax_element(result.offsets.begin(), result.offsets.end());
  result.low = static_cast<int16_t>(result.tableLow + *least);
  result.high = static_cast<int16_t>(result.tableHigh + *largest);
  return result;
}

/// False where some are no integers.
bool ConstantIntegers::take(const ByteTable &from, unsigned threads) {
  bytes = from.bytes;
  lanes = from.lanes;
  inner = lanes == 1 ? mostTogether : from.inner; // of one element each all lie together
  table.assign(from.numbers.size(), 0);
  const auto occurs = bytesIn(bytes, threads);
  low = std::numeric_limits<int16_t>::max(), high = std::numeric_limits<int16_t>::min();
  for (size_t i = 0; i < table.size(); ++i) {
    if (!occurs[i / lanes])
      continue;
    if (!fits(from.numbers[i]))
      return false;
    table[i] = static_cast<int16_t>(from.numbers[i]);
    low = std::min(low, table[i]);
    high = std::max(high, table[i]);
  }
  tableLow = low, tableHigh = high;
  return true;
}

std::optional<std::vector<int16_t>> ConstantIntegers::offsetsOf(int64_t block, int levels, unsigned threads) const {
  if (high - low < levels)
    return std::vector{low};
  if (offsets.empty() || run % block != 0 || tableHigh - tableLow >= levels)
    return leastOfBlocks(block, levels, threads);
  std::vector<int16_t> result(elements / block);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<int16_t>(tableLow + offsets[i * block / run]);
  return result;
}

std::optional<std::vector<int16_t>> ConstantIntegers::leastOfBlocks(int64_t block, int levels, unsigned threads) const {
  std::vector<int16_t> result(elements / block);
  const auto together = static_cast<size_t>(std::max<int64_t>(1, piece / block));
  std::atomic<bool> areNear = true;
  parallelFor((result.size() + together - 1) / together, threads, [&](size_t turn) {
    std::vector<int16_t> integers(block);
    for (size_t i = turn * together; i < std::min(result.size(), (turn + 1) * together) && areNear; ++i) {
      read(static_cast<int64_t>(i) * block, block, integers.data());
      const auto [least, largest] = std::minmax_element(integers.begin(), integers.end());
      result[i] = *least;
      if (*largest - *least >= levels)
        areNear = false;
    }
  });
  return areNear ? std::optional(std::move(result)) : std::nullopt;
}

void ConstantIntegers::readTable(int64_t first, int64_t size, int16_t *out) const {
  const int64_t lanes = this->lanes, inner = this->inner, unit = lanes * inner, end = first + size;
  const uint8_t *const from = bytes.data();
  const int16_t *const numbers = table.data();
  const auto one = [&](int64_t i) { return numbers[from[i / unit * inner + i % inner] * lanes + i / inner % lanes]; };
  int64_t i = first;
  for (; i < end && i % unit != 0; ++i)
    *out++ = one(i);
  for (; unit == 2 && i + unit <= end; i += unit, out += unit) // two of each byte, as of most models
    std::copy_n(numbers + from[i / 2] * 2, 2, out);
  for (; i + unit <= end; i += unit)
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (const uint8_t *byte = from + i / lanes, *last = byte + inner; byte < last; ++byte)
        *out++ = numbers[*byte * lanes + lane];
  for (; i < end; ++i)
    *out++ = one(i);
}

void ConstantIntegers::read(int64_t first, int64_t size, int16_t *out) const {
  if (table.empty()) {
    std::copy_n(all.begin() + first, size, out);
    return;
  }
  readTable(first, size, out);
  for (int64_t i = first, end = first + size; !offsets.empty() && i < end;) {
    const int64_t next = std::min(end, (i / run + 1) * run);
    for (const int16_t offset = offsets[i / run]; i < next; ++i)
      *out++ += offset;
  }
}

void ConstantIntegers::forPieces(unsigned threads, function_ref<void(int64_t, ArrayRef<int16_t>)> visit) const {
  static_assert(share % piece == 0);
  parallelFor((elements + share - 1) / share, threads, [&](size_t turn) {
    std::array<int16_t, piece> integers;
    const int64_t begin = static_cast<int64_t>(turn) * share, end = std::min(elements, begin + share);
    for (int64_t first = begin; first < end; first += piece) {
      const int64_t size = std::min(piece, end - first);
      read(first, size, integers.data());
      visit(first, ArrayRef(integers.data(), size));
    }
  });
}

} // namespace cupola

//===- lib/Transforms/Quantized/ScaledWeights.cpp - constant integers times scales ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/ScaledWeights.h"

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Quantized/PackedWeights.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"

#include "llvm/ADT/ScopeExit.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;

namespace cupola {
namespace {

/// The multiplication that makes weights, behind views and casts of its result.
struct Multiplication {
  graph::BinaryOp op;
  SmallVector<Operation *> views; ///< the one next to it first
};

std::optional<Multiplication> multiplicationOf(Value weights) {
  Multiplication found;
  bool hasCast = false;
  for (Operation *op = weights.getDefiningOp(); op; op = op->getOperand(0).getDefiningOp()) {
    found.op = dyn_cast<graph::BinaryOp>(op);
    if (found.op)
      return found.op.getKind() == graph::BinaryKind::Mul ? std::optional(found) : std::nullopt;
    const bool isCast = isa<graph::CastOp>(op);
    if (hasCast && isCast) // what two of them round is not looked at
      return std::nullopt;
    hasCast |= isCast;
    if (isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(op))
      found.views.insert(found.views.begin(), op);
    else if (!isCast)
      return std::nullopt;
  }
  return std::nullopt;
}

bool isTurn(Operation *view) {
  auto transpose = dyn_cast<graph::TransposeOp>(view);
  return transpose && transpose.getPerm() == ArrayRef<int64_t>{1, 0};
}

/// What `found` makes of a value [depth, columns] that lies behind `views`: as [columns, depth], where these end with a
/// transpose, which would only be undone.
template <class Find> auto behindViews(OpBuilder &b, Value value, ArrayRef<Operation *> views, Find find) {
  const bool isTurned = !views.empty() && isTurn(views.back());
  SmallVector<Operation *> made;
  for (Operation *view : isTurned ? views.drop_back() : views) {
    value = viewOf(b, view, value);
    made.push_back(value.getDefiningOp());
  }
  const auto drop = llvm::scope_exit([&] {
    for (Operation *op : llvm::reverse(made))
      op->erase();
  });
  return find(value, isTurned);
}

/// The elements of a [depth, columns], column by column.
std::optional<std::vector<float>> turnedElementsOf(Value value, unsigned threads) {
  const std::optional<std::vector<float>> rows = elementsOf(value, threads);
  if (!rows)
    return std::nullopt;
  const int64_t depth = *graph::extentOf(value, 0).constant(), columns = *graph::extentOf(value, 1).constant();
  std::vector<float> elements(rows->size());
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n)
      elements[n * depth + k] = (*rows)[k * columns + n];
  return elements;
}

std::optional<ConstantRuns> scalesOf(Value value, bool isTurned, unsigned threads) {
  if (isTurned)
    return ConstantRuns::of(value, *graph::extentOf(value, 1).constant(), threads);
  std::optional<std::vector<float>> scales = turnedElementsOf(value, threads);
  return scales ? std::optional(ConstantRuns{std::move(*scales)}) : std::nullopt;
}

/// Nothing where some are no integers, or of a larger magnitude than `most`.
std::optional<ConstantIntegers> integersOf(Value value, bool isTurned, int most, unsigned threads) {
  std::optional<ConstantIntegers> integers = isTurned ? ConstantIntegers::of(value, threads) : std::nullopt;
  if (!integers) {
    const auto numbers = isTurned ? elementsOf(value, threads) : turnedElementsOf(value, threads);
    const auto fits = [&](float number) { return number == std::trunc(number) && std::abs(number) <= most; };
    if (!numbers || !llvm::all_of(*numbers, fits))
      return std::nullopt;
    integers = ConstantIntegers(std::vector<int16_t>(numbers->begin(), numbers->end()));
  }
  const bool fit = integers->areIntegers() && integers->least() >= -most && integers->largest() <= most;
  return fit ? std::move(integers) : std::nullopt;
}

} // namespace

std::vector<float> ScaledWeights::scalesOf(int64_t block) const {
  std::vector<float> result;
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t k = 0; k < depth; k += block)
      result.push_back(scaleAt(column, k));
  return result;
}

bool ScaledWeights::hasBlocks(int64_t size) const {
  if (depth % size != 0)
    return false;
  const int64_t step = std::gcd(size, scales.run), whole = depth * columns;
  for (int64_t first = 0; step < size && first < whole; first += size) // compared bit by bit
    for (int64_t i = first + step; i < first + size; i += step)
      if (std::memcmp(&scales.numbers[first / scales.run], &scales.numbers[i / scales.run], sizeof(float)) != 0)
        return false;
  return true;
}

int64_t ScaledWeights::blockOfBytes(unsigned threads) const {
  for (int64_t size : {128, 64, 32, 16})
    if (hasBlocks(size) && integers.offsetsOf(size, levelsOfByte, threads))
      return size;
  return 0;
}

std::optional<ScaledWeights> scaledWeights(OpBuilder &b, Value rhs, int most, unsigned threads) {
  const std::optional<Multiplication> found = multiplicationOf(rhs);
  if (!found)
    return std::nullopt;
  graph::BinaryOp multiplication = found->op;
  const Value result = multiplication.getResult();
  const Type element = graph::elementOf(result);
  if (element.isF64())
    return std::nullopt;
  for (const auto &[first, second] : match::operandsOf(result, graph::BinaryKind::Mul)) {
    if (!isMadeOfBytes(first))
      continue;
    auto integers = behindViews(b, first, found->views,
                                [&](Value value, bool isTurned) { return integersOf(value, isTurned, most, threads); });
    if (!integers)
      continue;
    auto scales = behindViews(b, second, found->views,
                              [&](Value value, bool isTurned) { return scalesOf(value, isTurned, threads); });
    if (!scales)
      return std::nullopt;
    return ScaledWeights{*graph::extentOf(rhs, 0).constant(), *graph::extentOf(rhs, 1).constant(), element,
                         std::move(*integers), std::move(*scales)};
  }
  return std::nullopt;
}

bool canRoundRows(graph::MatMulOp product) {
  const Type element = graph::elementOf(product.getRhs());
  return isa<FloatType>(element) && !element.isF64() && isMadeOfBytes(product.getRhs());
}

std::optional<int> mostRounded(graph::MatMulOp product) {
  const std::optional<graph::Int8Rows> said = product.getInt8Rows();
  if (said == graph::Int8Rows::Never || !canRoundRows(product))
    return std::nullopt;
  return said ? mostOfByte : mostOfNibble;
}

} // namespace cupola

//===- lib/Transforms/Quantized/ScaledWeights.cpp - constant integers times scales ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/ScaledWeights.h"

#include "lib/Runtime/Format/Parallel.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Quantized/PackedWeights.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"
#include "lib/Transforms/RowCone.h"

#include "llvm/ADT/ScopeExit.h"

#include <atomic>
#include <cmath>
#include <cstring>

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

/// The elements of a [columns, depth], some columns at a time.
std::optional<std::vector<float>> elementsOf(Value value, unsigned threads) {
  const std::optional<RowCone> cone = RowCone::of(value);
  if (!cone)
    return std::nullopt;
  constexpr int64_t piece = 1 << 16;
  const int64_t depth = *graph::extentOf(value, 1).constant(), columns = cone->rows();
  const int64_t some = std::max<int64_t>(1, piece / std::max<int64_t>(depth, 1)), pieces = (columns + some - 1) / some;
  std::vector<float> elements(depth * columns);
  std::atomic<bool> areAll = true;
  parallelFor(pieces, threads, [&](size_t i) {
    const int64_t first = static_cast<int64_t>(i) * some;
    const std::optional<reference::Tensor> part = cone->evaluate(first, std::min(some, columns - first));
    if (!part)
      areAll = false;
    else
      part->forPieces([&](int64_t begin, ArrayRef<double> numbers) {
        std::copy(numbers.begin(), numbers.end(), elements.begin() + first * depth + begin);
      });
  });
  return areAll ? std::optional(std::move(elements)) : std::nullopt;
}

/// The elements of a [depth, columns] that lies behind `views`, column by column.
std::optional<std::vector<float>> columnsOf(OpBuilder &b, Value value, ArrayRef<Operation *> views, unsigned threads) {
  const bool isTurned = !views.empty() && isTurn(views.back()); // a transpose would only be undone
  SmallVector<Operation *> made;
  for (Operation *view : isTurned ? views.drop_back() : views) {
    value = viewOf(b, view, value);
    made.push_back(value.getDefiningOp());
  }
  const auto drop = llvm::scope_exit([&] {
    for (Operation *op : llvm::reverse(made))
      op->erase();
  });
  if (isTurned)
    if (std::optional<std::vector<float>> elements = elementsOf(value, threads))
      return elements;
  const std::optional<reference::Tensor> tensor = evaluate(coneOf(value));
  if (!tensor)
    return std::nullopt;
  const int64_t depth = tensor->extent(isTurned ? 1 : 0), columns = tensor->extent(isTurned ? 0 : 1);
  std::vector<float> elements(depth * columns);
  tensor->forPieces([&](int64_t begin, ArrayRef<double> numbers) {
    for (auto [i, number] : llvm::enumerate(numbers)) {
      const int64_t at = begin + static_cast<int64_t>(i);
      elements[isTurned ? at : at % columns * depth + at / columns] = static_cast<float>(number);
    }
  });
  return elements;
}

bool areIntegers(ArrayRef<float> numbers, int most) {
  return llvm::all_of(numbers, [&](float x) { return x == std::trunc(x) && std::abs(x) <= most; });
}

} // namespace

bool ScaledWeights::hasBlocks(int64_t size) const {
  if (depth % size != 0)
    return false;
  for (size_t first = 0; first < scales.size(); first += size) // of equal floats each is the one before, bit by bit
    if (std::memcmp(&scales[first], &scales[first + 1], (size - 1) * sizeof(float)) != 0)
      return false;
  return true;
}

int64_t ScaledWeights::blockOfBytes() const {
  const bool areBytes = llvm::all_of(integers, [](int16_t number) { return number >= -128 && number <= 127; });
  for (int64_t size : {128, 64, 32, 16})
    if (areBytes && hasBlocks(size))
      return size;
  return 0;
}

std::optional<ScaledWeights> scaledWeights(OpBuilder &b, Value rhs, int most, unsigned threads) {
  const std::optional<Multiplication> found = multiplicationOf(rhs);
  if (!found)
    return std::nullopt;
  graph::BinaryOp multiplication = found->op;
  const Value result = multiplication.getResult();
  ScaledWeights weights{*graph::extentOf(rhs, 0).constant(), *graph::extentOf(rhs, 1).constant(),
                        graph::elementOf(result),
                        /*integers=*/{}, /*scales=*/{}};
  if (weights.element.isF64())
    return std::nullopt;
  for (const auto &[first, second] : match::operandsOf(result, graph::BinaryKind::Mul)) {
    const auto integers = isMadeOfBytes(first) ? columnsOf(b, first, found->views, threads) : std::nullopt;
    if (!integers || !areIntegers(*integers, most))
      continue;
    std::optional<std::vector<float>> scales = columnsOf(b, second, found->views, threads);
    if (!scales)
      return std::nullopt;
    weights.integers.assign(integers->begin(), integers->end());
    weights.scales = std::move(*scales);
    return weights;
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

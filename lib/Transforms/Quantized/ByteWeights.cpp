//===- lib/Transforms/Quantized/ByteWeights.cpp - constant weights as bytes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Quantized/ByteWeights.h"

#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"

#include <cstring>
#include <limits>

using namespace mlir;

namespace cupola {
namespace {

/// Matrices one behind the other, as which a product reads its weights.
struct Matrices {
  int64_t rows, columns;
};
Matrices matricesOf(Operation *product, int64_t elements) {
  const graph::Exprs shape = graph::shapeOf(product->getOperand(1));
  const int64_t columns = *shape.back().constant();
  return {isa<graph::ConvOp>(product) ? elements / columns : *shape[shape.size() - 2].constant(), columns};
}

/// The elements of a constant of i16.
std::vector<int16_t> elementsOf(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant)
    return {};
  if (const std::optional<double> all = match::splatOf(value))
    return std::vector<int16_t>(*graph::elementCount(value).constant(), static_cast<int16_t>(*all));
  const ArrayRef<char> bytes = bytesOf(constant.getValue());
  std::vector<int16_t> elements(bytes.size() / sizeof(int16_t));
  if (!elements.empty())
    std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

struct Bounds {
  int32_t least = std::numeric_limits<int32_t>::max(), largest = std::numeric_limits<int32_t>::min();

  void add(const Bounds &other) {
    least = std::min(least, other.least);
    largest = std::max(largest, other.largest);
  }
  bool fits() const { return largest - least <= 255; }
  /// What is taken from all so that i8 holds them: nothing where it does already.
  int32_t offset() const { return least >= -128 && largest <= 127 ? 0 : least + 128; }
};

/// One for all if that does, else one per column; nothing where the elements of a column lie too far apart.
std::optional<std::vector<int32_t>> offsetsOf(ArrayRef<Bounds> columns) {
  Bounds all;
  std::vector<int32_t> each;
  for (const Bounds &column : columns) {
    if (!column.fits())
      return std::nullopt;
    all.add(column);
    each.push_back(column.offset());
  }
  if (!all.fits())
    return each;
  return all.offset() == 0 ? std::vector<int32_t>() : std::vector<int32_t>{all.offset()};
}

} // namespace

std::optional<ByteWeights> byteWeights(Operation *product) {
  const std::vector<int16_t> elements = elementsOf(product->getOperand(1));
  if (elements.empty())
    return std::nullopt;
  const auto count = static_cast<int64_t>(elements.size());
  const auto [rows, columns] = matricesOf(product, count);
  const auto columnOf = [rows = rows, columns = columns](int64_t i) {
    return i / (rows * columns) * columns + i % columns;
  };
  std::vector<Bounds> bounds(count / rows);
  std::vector<int32_t> sums(count / rows);
  for (int64_t i = 0; i < count; ++i) {
    bounds[columnOf(i)].add({elements[i], elements[i]});
    sums[columnOf(i)] += elements[i];
  }
  std::optional<std::vector<int32_t>> offsets = offsetsOf(bounds);
  if (!offsets)
    return std::nullopt;
  std::vector<int8_t> bytes(elements.size());
  for (int64_t i = 0; i < count; ++i) {
    const int32_t offset = offsets->empty() ? 0 : offsets->size() == 1 ? offsets->front() : (*offsets)[columnOf(i)];
    bytes[i] = static_cast<int8_t>(elements[i] - offset);
  }
  return ByteWeights{rows, columns, std::move(bytes), std::move(*offsets), std::move(sums)};
}

std::vector<int8_t> turned(Operation *product, ArrayRef<int8_t> weights) {
  const auto [rows, columns] = matricesOf(product, static_cast<int64_t>(weights.size()));
  std::vector<int8_t> result(weights.size());
  for (size_t matrix = 0; matrix < weights.size(); matrix += rows * columns)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        result[matrix + column * rows + row] = weights[matrix + row * columns + column];
  return result;
}

} // namespace cupola

//===- lib/Import/Onnx/ValuePropagation.cpp - compute with known values ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ValuePropagation.h"

#include "lib/Import/Onnx/Choice.h"

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;
using cupola::graph::UnaryKind;

namespace cupola::onnx_import {
namespace {

using Dims = std::vector<int64_t>;

/// Calls body(index) for every index of a tensor, last dimension fastest.
template <typename Body> bool forEachIndex(const Dims &dims, Body body) {
  if (llvm::is_contained(dims, 0))
    return true;
  Dims index(dims.size(), 0);
  while (true) {
    if (!body(index))
      return false;
    size_t i = dims.size();
    while (i > 0 && ++index[i - 1] == dims[i - 1])
      index[--i] = 0;
    if (i == 0)
      return true;
  }
}

/// The element of `source` at `index` of a result that it is broadcast to.
const Scalar &elementAt(const Known &source, const Dims &index) {
  size_t position = 0;
  const size_t skip = index.size() - source.dims.size();
  for (size_t i = 0; i < source.dims.size(); ++i)
    position = position * static_cast<size_t>(source.dims[i]) +
               (source.dims[i] == 1 ? 0 : static_cast<size_t>(index[skip + i]));
  return source.elements[position];
}

/// The common shape of two known tensors; nullopt where they do not fit or the
/// result is too big to be known.
std::optional<Dims> broadcastDims(const Dims &a, const Dims &b) {
  Dims result(std::max(a.size(), b.size()), 1);
  for (const Dims *dims : {&a, &b})
    for (size_t i = 0; i < dims->size(); ++i) {
      int64_t &extent = result[result.size() - dims->size() + i];
      if (extent != 1 && (*dims)[i] != 1 && extent != (*dims)[i])
        return std::nullopt;
      extent = extent == 1 ? (*dims)[i] : extent;
    }
  return knownCount(result) ? std::optional<Dims>(result) : std::nullopt;
}

/// Fills a tensor of `dims` by `compute(index) -> optional<Scalar>`.
template <typename Compute> std::optional<Known> fill(const Dims &dims, Compute compute) {
  if (!knownCount(dims))
    return std::nullopt;
  Known result{dims, {}};
  const bool done = forEachIndex(dims, [&](const Dims &index) {
    std::optional<Scalar> element = compute(index);
    if (element)
      result.elements.push_back(*element);
    return element.has_value();
  });
  return done ? std::optional<Known>(std::move(result)) : std::nullopt;
}

/// `condition` is a bool.
std::optional<Scalar> chooseScalar(const Scalar &condition, const Scalar &then, const Scalar &otherwise) {
  if (condition.isConstant())
    return condition.asDouble() != 0 ? then : otherwise;
  const auto a = asFraction(then), b = asFraction(otherwise);
  if (!a || !b)
    return std::nullopt;
  Scalar result = *a;
  result.num = choose(condition.num, a->num * b->den, b->num * a->den);
  result.den = a->den * b->den;
  return result.num.overflowed() || result.den.overflowed() ? std::nullopt : std::optional(result);
}

/// A float of an input that is NaN or infinite has no value: a result that does not depend on it any more, as x - x and
/// x == x, would be wrong of it.
std::optional<Scalar> binaryOf(const OpBinder &op, BinaryKind kind, const Scalar &a, const Scalar &b, Type type) {
  const std::optional<Scalar> result = computeBinary(kind, a, b, type, op.b.ranges());
  if (!result)
    return result;
  std::set<std::string> kept = result->num.symbols();
  kept.merge(result->den.symbols());
  const auto isLost = [&](const std::string &id) { return op.b.facts().inputOf(id) && kept.count(id) == 0; };
  for (const Scalar *operand : {&a, &b})
    if (operand->kind == Scalar::Kind::Ratio && llvm::any_of(operand->num.symbols(), isLost))
      return std::nullopt;
  return result;
}

} // namespace

std::optional<Known> foldUnary(const OpBinder &op, UnaryKind kind, size_t operand) {
  const Known *source = op.known(operand);
  if (!source)
    return std::nullopt;
  const Type type = op.element(operand, "input");
  return fill(source->dims,
              [&](const Dims &index) { return computeUnary(kind, elementAt(*source, index), type, op.b.ranges()); });
}

std::optional<Known> foldBinary(const OpBinder &op, BinaryKind kind, size_t lhs, size_t rhs) {
  const Known *a = op.known(lhs), *b = op.known(rhs);
  if (!a || !b || op.element(lhs, "A") != op.element(rhs, "B"))
    return std::nullopt;
  const auto dims = broadcastDims(a->dims, b->dims);
  if (!dims)
    return std::nullopt;
  const Type type = op.element(lhs, "A");
  return fill(*dims,
              [&](const Dims &index) { return binaryOf(op, kind, elementAt(*a, index), elementAt(*b, index), type); });
}

std::optional<Known> foldCast(const OpBinder &op, Type to) {
  const Known *source = op.known(0);
  if (!source)
    return std::nullopt;
  const Type from = op.element(0, "input");
  return fill(source->dims,
              [&](const Dims &index) { return computeCast(elementAt(*source, index), from, to, op.b.ranges()); });
}

std::optional<Known> foldSelect(const OpBinder &op) {
  const Known *condition = op.known(0), *a = op.known(1), *b = op.known(2);
  if (!condition || !a || !b || op.element(1, "X") != op.element(2, "Y"))
    return std::nullopt;
  const auto branches = broadcastDims(a->dims, b->dims);
  const auto dims = branches ? broadcastDims(*branches, condition->dims) : std::nullopt;
  if (!dims)
    return std::nullopt;
  return fill(*dims, [&](const Dims &index) {
    return chooseScalar(elementAt(*condition, index), elementAt(*a, index), elementAt(*b, index));
  });
}

std::optional<Known> foldReduce(const OpBinder &op, ReduceKind kind, ArrayRef<int64_t> axes) {
  const Known *source = op.known(0);
  // Floats would have to be added in the order of the kernel; the greatest and the least have no order.
  const bool isOrdered = kind != ReduceKind::Max && kind != ReduceKind::Min && !isa<IntegerType>(op.element(0, "data"));
  if (!source || source->elements.empty() || kind == ReduceKind::Mean || isOrdered)
    return std::nullopt;
  Known result{source->dims, {}};
  for (int64_t axis : axes)
    result.dims[static_cast<size_t>(axis)] = 1;
  std::vector<std::optional<Scalar>> sums(static_cast<size_t>(*knownCount(result.dims)));
  const Type type = op.element(0, "data");
  const bool done = forEachIndex(source->dims, [&](const Dims &index) {
    size_t position = 0;
    for (size_t i = 0; i < index.size(); ++i)
      position =
          position * static_cast<size_t>(result.dims[i]) + (result.dims[i] == 1 ? 0 : static_cast<size_t>(index[i]));
    const Scalar &element = elementAt(*source, index);
    std::optional<Scalar> &sum = sums[position];
    sum = sum ? binaryOf(op, graph::combiningKind(kind), *sum, element, type) : element;
    return sum.has_value();
  });
  if (!done)
    return std::nullopt;
  for (auto &sum : sums)
    result.elements.push_back(*sum);
  return result;
}

std::optional<Known> reshapeKnown(const Known &source, ArrayRef<Expr> shape) {
  const auto dims = constantDims(shape);
  if (!dims || knownCount(*dims) != int64_t(source.elements.size()))
    return std::nullopt;
  return Known{*dims, source.elements};
}

std::optional<Known> broadcastKnown(const Known &source, ArrayRef<Expr> shape) {
  const auto dims = constantDims(shape);
  if (!dims || broadcastDims(source.dims, *dims) != *dims)
    return std::nullopt;
  return fill(*dims, [&](const Dims &index) -> std::optional<Scalar> { return elementAt(source, index); });
}

Known transposeKnown(const Known &source, ArrayRef<int64_t> perm) {
  Known result;
  for (int64_t dim : perm)
    result.dims.push_back(source.dims[static_cast<size_t>(dim)]);
  Dims from(perm.size());
  forEachIndex(result.dims, [&](const Dims &index) {
    for (size_t i = 0; i < perm.size(); ++i)
      from[static_cast<size_t>(perm[i])] = index[i];
    result.elements.push_back(elementAt(source, from));
    return true;
  });
  return result;
}

std::optional<Known> concatKnown(ArrayRef<const Known *> sources, int64_t axis) {
  Dims dims = sources[0]->dims;
  dims[static_cast<size_t>(axis)] = 0;
  for (const Known *source : sources)
    dims[static_cast<size_t>(axis)] += source->dims[static_cast<size_t>(axis)];
  return fill(dims, [&](Dims index) -> std::optional<Scalar> {
    int64_t &position = index[static_cast<size_t>(axis)];
    size_t part = 0;
    while (position >= sources[part]->dims[static_cast<size_t>(axis)])
      position -= sources[part++]->dims[static_cast<size_t>(axis)];
    return elementAt(*sources[part], index);
  });
}

std::optional<Known> sliceKnown(const Known &source, ArrayRef<int64_t> starts, ArrayRef<int64_t> steps,
                                ArrayRef<int64_t> sizes) {
  Dims from(sizes.size());
  return fill(Dims(sizes.begin(), sizes.end()), [&](const Dims &index) -> std::optional<Scalar> {
    for (size_t i = 0; i < sizes.size(); ++i)
      from[i] = starts[i] + index[i] * steps[i];
    return elementAt(source, from);
  });
}

std::optional<Known> padKnown(const Known &source, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                              const Scalar &number) {
  Dims dims, from(low.size());
  for (size_t i = 0; i < low.size(); ++i)
    dims.push_back(std::max<int64_t>(source.dims[i] + low[i] + high[i], 0));
  return fill(dims, [&](const Dims &index) -> std::optional<Scalar> {
    bool isInside = true;
    for (size_t i = 0; i < low.size(); ++i) {
      from[i] = index[i] - low[i];
      isInside &= from[i] >= 0 && from[i] < source.dims[i];
    }
    return isInside ? elementAt(source, from) : number;
  });
}

std::optional<Known> gatherKnown(const Known &data, const Known &indices, int64_t axis) {
  const size_t at = static_cast<size_t>(axis), rank = indices.dims.size();
  Dims dims(data.dims.begin(), data.dims.begin() + axis);
  dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
  dims.insert(dims.end(), data.dims.begin() + axis + 1, data.dims.end());
  return fill(dims, [&](const Dims &index) -> std::optional<Scalar> {
    const Dims place(index.begin() + axis, index.begin() + axis + int64_t(rank));
    auto position = elementAt(indices, place).intConstant();
    const int64_t extent = data.dims[at];
    if (!position || *position < -extent || *position >= extent)
      return std::nullopt;
    Dims from(index.begin(), index.begin() + axis);
    from.push_back(*position < 0 ? *position + extent : *position);
    from.insert(from.end(), index.begin() + axis + int64_t(rank), index.end());
    return elementAt(data, from);
  });
}

} // namespace cupola::onnx_import

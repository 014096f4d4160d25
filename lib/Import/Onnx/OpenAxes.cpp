//===- lib/Import/Onnx/OpenAxes.cpp - axes that an input gives -------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OpenAxes.h"

#include "lib/Import/Onnx/Choice.h"

namespace cupola::onnx_import {
namespace {

/// 0..rank-1 for -rank..rank-1.
Expr placeOf(OpBinder &op, const Expr &axis, int64_t rank, const std::string &what) {
  if (const auto known = axis.constant())
    return Expr(op.axis(*known, rank, what));
  if (rank == 1) { // there is one place: 0 as a largest value would mean that there is none
    op.b.atMost(Expr(-1), axis, "-1 and " + what);
    op.b.atMost(axis, Expr(0), what + " and 0");
    return Expr(0);
  }
  return op.b.bounded(choose(isNegative(axis), axis + rank, axis), what, 0, rank - 1);
}

} // namespace

OpenAxes::OpenAxes(OpBinder &op, llvm::ArrayRef<Expr> axes, int64_t rank, llvm::StringRef name) : op(op) {
  if (static_cast<int64_t>(axes.size()) > rank)
    op.bad(name.str() + " has " + std::to_string(axes.size()) + " elements, expected at most " + std::to_string(rank));
  for (size_t i = 0; i < axes.size(); ++i)
    places.push_back(placeOf(op, axes[i], rank, name.str() + "[" + std::to_string(i) + "]"));
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    Expr count(0);
    for (const Expr &place : places)
      count += isEqual(place, Expr(dimension));
    members.push_back(
        op.b.bounded(count, "how often dimension " + std::to_string(dimension) + " is in " + name.str(), 0, 1));
  }
}

Expr OpenAxes::valueOf(llvm::ArrayRef<Expr> values, size_t dimension, const Expr &otherwise) const {
  Expr sum = isNot(has(dimension)) * otherwise;
  for (size_t i = 0; i < places.size(); ++i)
    sum += isEqual(places[i], Expr(static_cast<int64_t>(dimension))) * values[i];
  return sum;
}

Expr OpenAxes::othersBefore(size_t dimension) const {
  Expr count(0);
  for (size_t i = 0; i < dimension; ++i)
    count += isNot(has(i));
  return count;
}

Exprs OpenAxes::without(llvm::ArrayRef<Expr> dims) const {
  Exprs result;
  for (size_t place = 0; place + places.size() < dims.size(); ++place) {
    Expr extent(0);
    for (size_t i = place; i <= place + places.size(); ++i)
      extent += isNot(has(i)) * isEqual(othersBefore(i), Expr(static_cast<int64_t>(place))) * dims[i];
    result.push_back(op.b.extent(extent, "extent " + std::to_string(place)));
  }
  return result;
}

Exprs OpenAxes::insertedInto(llvm::ArrayRef<Expr> dims) const {
  Exprs result;
  for (size_t i = 0; i < members.size(); ++i)
    result.push_back(
        op.b.extent(choose(has(i), Expr(1), elementAt(dims, othersBefore(i))), "extent " + std::to_string(i)));
  return result;
}

Exprs aroundAxis(OpBinder &op, llvm::ArrayRef<Expr> dims, const Expr &axis) {
  const Expr place = placeOf(op, axis, static_cast<int64_t>(dims.size()), "axis");
  Expr before(1), behind(1);
  for (size_t i = 0; i < dims.size(); ++i) {
    const Expr index(static_cast<int64_t>(i)), isBefore = isNegative(index - place),
                                               isBehind = isNegative(place - index);
    before = op.b.extent(before * choose(isBefore, dims[i], Expr(1)), "extents before axis");
    behind = op.b.extent(behind * choose(isBehind, dims[i], Expr(1)), "extents behind axis");
  }
  return {before, op.b.extent(elementAt(dims, place), "extent of axis"), behind};
}

} // namespace cupola::onnx_import

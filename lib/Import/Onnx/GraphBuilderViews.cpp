//===- lib/Import/Onnx/GraphBuilderViews.cpp - views, reductions, products -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/GraphBuilder.h"

using namespace mlir;
using namespace cupola::graph;

namespace cupola::onnx_import {

Value GraphBuilder::reshape(Value value, ArrayRef<Expr> dims) {
  const Exprs from = shape(value), to = symbols.current(dims);
  if (from == to)
    return value;
  sameExtentHere(product(from), product(to), "element counts of operand and result");
  return ReshapeOp::create(ops, where, type(symbols.current(to), element(value)), value);
}

Value GraphBuilder::withRank(Value value, size_t rank) {
  Exprs dims = shape(value);
  if (dims.size() >= rank)
    return value;
  dims.insert(dims.begin(), rank - dims.size(), Expr(1));
  return reshape(value, dims);
}

Value GraphBuilder::broadcast(Value value, ArrayRef<Expr> dims) {
  value = withRank(value, dims.size());
  const Exprs from = shape(value), to = symbols.current(dims);
  if (from == to)
    return value;
  for (auto [source, target] : llvm::zip_equal(from, to))
    if (source.constant() && target.constant() && source != target && !source.isConstant(1))
      fail("shape " + shapeText(from) + " cannot be broadcast to " + shapeText(to));
  return BroadcastOp::create(ops, where, type(to, element(value)), value);
}

Value GraphBuilder::transpose(Value value, ArrayRef<int64_t> perm) {
  if (llvm::all_of(llvm::enumerate(perm), [](auto entry) { return entry.value() == int64_t(entry.index()); }))
    return value;
  return make<TransposeOp>(value, perm);
}

Value GraphBuilder::slice(Value value, ArrayRef<Expr> starts, ArrayRef<int64_t> steps, ArrayRef<Expr> sizes) {
  const Exprs from = symbols.current(starts), to = symbols.current(sizes);
  if (shape(value) == to && llvm::all_of(from, [](const Expr &e) { return e.isConstant(0); }) &&
      llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return value;
  return SliceOp::create(ops, where, type(to, element(value)), value, exprArray(context(), from), steps);
}

/// The same value where the model says, or the run checks, that it has these extents.
static Value withShape(GraphBuilder &b, Value value, ArrayRef<Expr> dims) {
  return b.slice(value, Exprs(dims.size(), Expr(0)), Ints(dims.size(), 1), dims);
}

Value GraphBuilder::concat(ArrayRef<Value> values, int64_t axis) {
  Exprs dims = shape(values[0]);
  for (Value value : values.drop_front()) {
    const Exprs next = shape(value);
    if (next.size() != dims.size())
      fail("operands have shapes " + shapeText(dims) + " and " + shapeText(next) + ", expected one rank");
    if (element(value) != element(values[0]))
      fail("operands have elements of " + typeText(element(values[0])) + " and " + typeText(element(value)) +
           ", expected one type");
    for (size_t i = 0; i < dims.size(); ++i)
      if (i != static_cast<size_t>(axis))
        dims[i] = sameExtentHere(dims[i], next[i], "extents of the operands in dimension " + std::to_string(i));
  }
  // Caches that start empty are joined with nothing at first.
  SmallVector<Value> parts(llvm::make_filter_range(
      values, [&](Value value) { return !shape(value)[static_cast<size_t>(axis)].isConstant(0); }));
  if (parts.size() < 2)
    return parts.empty() ? values[0] : parts[0];
  for (Value &part : parts) {
    dims[static_cast<size_t>(axis)] = shape(part)[static_cast<size_t>(axis)];
    part = withShape(*this, part, symbols.current(dims));
  }
  return make<ConcatOp>(parts, axis);
}

Value GraphBuilder::pad(Value value, ArrayRef<Expr> low, ArrayRef<Expr> high, PadMode mode, TypedAttr fill) {
  Exprs dims = shape(value);
  for (size_t i = 0; i < dims.size(); ++i)
    dims[i] = extent(dims[i] + low[i] + high[i], "extent " + std::to_string(i));
  dims = symbols.current(dims);
  if (dims == shape(value) && llvm::all_of(low, [](const Expr &e) { return e.isConstant(0); }))
    return value;
  return PadOp::create(ops, where, type(dims, element(value)), value, exprArray(context(), symbols.current(low)), mode,
                       fill);
}

Value GraphBuilder::window(Value value, int64_t axis, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                           ArrayRef<int64_t> dilations, ArrayRef<Expr> places) {
  const Exprs dims = WindowOp::resultShape(shape(value), axis, sizes, places);
  return WindowOp::create(ops, where, type(symbols.current(dims), element(value)), value, axis, sizes, strides,
                          dilations);
}

Value GraphBuilder::squeeze(Value value, ArrayRef<int64_t> axes) {
  Exprs dims;
  for (auto [i, dim] : llvm::enumerate(shape(value))) {
    if (llvm::is_contained(axes, int64_t(i)))
      sameExtent(dim, Expr(1), "extent " + std::to_string(i) + " of the operand and 1");
    else
      dims.push_back(dim);
  }
  return reshape(value, dims);
}

Value GraphBuilder::unsqueeze(Value value, ArrayRef<int64_t> axes) {
  Exprs dims = shape(value);
  for (int64_t axis : axes)
    dims.insert(dims.begin() + axis, Expr(1));
  return reshape(value, dims);
}

//===----------------------------------------------------------------------===//
// Reductions, normalisations, contractions, gathers
//===----------------------------------------------------------------------===//

/// There is something along an axis of `extent` to choose the elements of `result` from.
static void chosenFrom(GraphBuilder &b, const Expr &extent, Value result) {
  const Expr chosen = simplify(min(product(b.shape(result)), Expr(1)), b.ranges());
  b.atMost(chosen, extent, "1, or 0 without a result, and the extent of the axis that elements are chosen from");
}

Value GraphBuilder::reduce(ReduceKind kind, Value value, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return value;
  return make<ReduceOp>(kind, value, axes);
}

Value GraphBuilder::argReduce(ReduceKind kind, Value value, int64_t axis, bool last, bool isRead) {
  Value result = make<ArgReduceOp>(kind, value, axis, last);
  if (isRead)
    chosenFrom(*this, shape(value)[axis], result);
  return result;
}

Value GraphBuilder::softmax(Value value, int64_t axis, bool log, graph::SoftmaxGuard guard) {
  return make<SoftmaxOp>(value, axis, guard, log);
}

Value GraphBuilder::layerNorm(Value value, int64_t axis, double epsilon, bool rms) {
  return make<LayerNormOp>(value, sequence(axis, shape(value).size()), APFloat(epsilon), rms);
}

Value GraphBuilder::matmul(Value lhs, Value rhs, std::optional<Int8Rows> int8Rows) {
  if (element(lhs) != element(rhs))
    fail("the operands have elements of " + typeText(element(lhs)) + " and " + typeText(element(rhs)) +
         ", expected one type");
  Exprs left = shape(lhs), right = shape(rhs);
  if (left.empty() || right.empty())
    fail("the operands have shapes " + shapeText(left) + " and " + shapeText(right) + ", expected ranks of at least 1");
  const bool row = left.size() == 1, column = right.size() == 1;
  if (row)
    left.insert(left.begin(), Expr(1));
  if (column)
    right.push_back(Expr(1));
  const Expr depth = sameExtentHere(left.back(), right[right.size() - 2],
                                    "the last extent of the first and the last but one of the second "
                                    "operand");
  Exprs batch = broadcastShapes(ArrayRef<Expr>(left).drop_back(2), ArrayRef<Expr>(right).drop_back(2));
  const auto whole = [&](const Expr &rows, const Expr &columns) {
    Exprs dims = batch;
    dims.push_back(rows);
    dims.push_back(columns);
    return symbols.current(dims);
  };
  const Expr m = symbols.current(left[left.size() - 2]), n = symbols.current(right.back());
  Value a = broadcast(reshape(lhs, left), whole(m, depth));
  Value b = broadcast(reshape(rhs, right), whole(depth, n));
  Value result =
      make<MatMulOp>(a, b, Tf32Attr(), int8Rows ? Int8RowsAttr::get(ops.getContext(), *int8Rows) : Int8RowsAttr());
  if (element(lhs).isSignlessInteger(8))
    result = cast(result, element(lhs)); // as every op's results of i8, they wrap
  Exprs dims = batch;
  if (!row)
    dims.push_back(m);
  if (!column)
    dims.push_back(n);
  return reshape(result, dims);
}

Value GraphBuilder::conv(Value input, Value weights, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                         int64_t groups, ArrayRef<Expr> places) {
  if (element(input) != element(weights))
    fail("input and weights have elements of " + typeText(element(input)) + " and " + typeText(element(weights)) +
         ", expected one type");
  const Exprs dims = ConvOp::resultShape(ConvLayout::ChannelsFirst, shape(input), shape(weights), places);
  return ConvOp::create(ops, where, type(symbols.current(dims), graph::productOf(element(input), element(weights))),
                        input, weights, ConvLayout::ChannelsFirst, strides, dilations, groups, Tf32Attr());
}

Value GraphBuilder::gather(Value data, Value indices, int64_t axis, int64_t batchDims, bool isInRange) {
  Value result = make<GatherOp>(data, indices, axis, batchDims, isInRange);
  if (!isInRange)
    chosenFrom(*this, shape(data)[axis], result);
  return result;
}

Value GraphBuilder::gatherElements(Value data, Value indices, int64_t axis, bool isRead) {
  if (shape(data).size() != shape(indices).size())
    fail("data and indices have shapes " + shapeText(shape(data)) + " and " + shapeText(shape(indices)) +
         ", expected one rank");
  Value result = make<GatherElementsOp>(data, indices, axis);
  if (isRead)
    chosenFrom(*this, shape(data)[axis], result);
  return result;
}

Value GraphBuilder::gatherND(Value data, Value indices, int64_t batchDims) {
  const Exprs from = shape(data), index = shape(indices);
  const int64_t rank = from.size(), last = static_cast<int64_t>(index.size()) - 1;
  if (last < 0 || batchDims < 0 || batchDims > last || batchDims > rank)
    fail("data and indices have shapes " + shapeText(from) + " and " + shapeText(index) + " and batch_dims is " +
         std::to_string(batchDims) + ", expected at most either rank - 1");
  const Expr coordinates =
      rank - batchDims == 1 ? sameExtent(index.back(), Expr(1), "the coordinates of an index and 1") : index.back();
  const auto depth = coordinates.constant();
  if (!depth)
    undecided({coordinates}, "the last extent of indices is " + coordinates.text() + ", supported is a constant");
  if (*depth < 1 || batchDims + *depth > rank)
    fail("indices have " + std::to_string(*depth) + " coordinates, expected 1 to " + std::to_string(rank - batchDims));
  for (int64_t i = 0; i < batchDims; ++i)
    sameExtent(from[i], index[i], "batch extents of the operands");
  Value result = make<GatherNDOp>(data, indices, batchDims);
  for (const Expr &extent : ArrayRef<Expr>(from).slice(batchDims, *depth))
    chosenFrom(*this, extent, result);
  return result;
}

} // namespace cupola::onnx_import

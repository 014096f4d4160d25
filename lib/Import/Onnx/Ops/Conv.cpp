//===- lib/Import/Onnx/Ops/Conv.cpp - convolutions -------------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Conv.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

std::string named(size_t index, StringRef name) { return std::to_string(index) + " (" + name.str() + ")"; }

int64_t constantExtent(OpBinder &op, const std::string &operand, const Exprs &shape, size_t dim) {
  const auto extent = shape[dim].constant();
  if (!extent)
    op.undecided(shape, "input " + operand + " has the shape " + shapeText(shape) + ", supported are constant extents");
  return *extent;
}

/// [N, C, ..] as [N, C * times, ..]: each channel so many times, one behind the other.
Value repeatChannels(OpBinder &op, Value value, int64_t times) {
  Exprs joined = op.b.shape(value), apart = joined;
  apart.insert(apart.begin() + 2, Expr(times));
  joined[1] = joined[1] * Expr(times);
  return op.b.reshape(op.b.broadcast(op.b.unsqueeze(value, {2}), apart), joined);
}

/// One or several filters per channel: a sum over windows, no contraction.
Value depthwise(OpBinder &op, Value input, Value weights, const conv::Steps &steps) {
  const Exprs shape = op.b.shape(weights); // [O, 1, window..]
  const int64_t dims = static_cast<int64_t>(steps.strides.size());
  const int64_t times = *shape[0].constant() / *op.b.shape(input)[1].constant();
  if (times > 1)
    input = repeatChannels(op, input, times);
  const Type type = graph::productOf(op.b.element(input), op.b.element(weights));
  input = op.b.cast(input, type);
  Ints sizes;
  for (const Expr &size : ArrayRef(shape).drop_front(2))
    sizes.push_back(*size.constant());
  Value windows = op.b.window(input, 2, sizes, steps.strides, steps.dilations, steps.places);
  Exprs filter = {Expr(1), shape[0]};
  filter.append(dims, Expr(1));
  llvm::append_range(filter, ArrayRef(shape).drop_front(2));
  weights = op.b.cast(op.b.reshape(weights, filter), type);
  const Ints taps = sequence(2 + dims, 2 + 2 * dims);
  return op.b.squeeze(op.b.reduce(ReduceKind::Sum, op.b.binary(BinaryKind::Mul, windows, weights), taps), taps);
}

} // namespace

conv::Operands conv::read(OpBinder &op, const Places &places, bool transposed) {
  Value input = op.value(places.input, "X");
  return read(op, input, op.value(places.weights, "W"), places, transposed);
}

conv::Operands conv::read(OpBinder &op, Value input, Value weightValue, const Places &places, bool transposed) {
  const std::string x = named(places.input, "X"), w = named(places.weights, "W"), b = named(places.bias, "B");
  Operands c;
  c.input = input;
  c.weights = weightValue;
  c.groups = op.intAttribute("group", 1);
  const Exprs in = op.b.shape(c.input), weights = op.b.shape(c.weights);
  if (in.size() < 3 || weights.size() != in.size())
    op.bad("inputs " + x + " and " + w + " have the shapes " + shapeText(in) + " and " + shapeText(weights) +
           ", expected one rank of at least 3");
  c.spatial.assign(in.begin() + 2, in.end());
  for (size_t i = 2; i < weights.size(); ++i)
    c.sizes.push_back(constantExtent(op, w, weights, i));
  if (llvm::is_contained(c.sizes, 0))
    op.unsupported("input " + w + " has the shape " + shapeText(weights) + ", supported are windows of at least 1");
  if (op.hasAttribute("kernel_shape") && windowNumbers(op, "kernel_shape", c.sizes.size()) != c.sizes)
    op.bad("attribute 'kernel_shape' is not the window of input " + w + ", whose shape is " + shapeText(weights));
  const int64_t first = constantExtent(op, w, weights, 0), second = constantExtent(op, w, weights, 1);
  if (c.groups < 1 || first % c.groups != 0)
    op.bad("attribute 'group' is " + std::to_string(c.groups) + ", expected a divisor of the first extent of input " +
           w + ", " + std::to_string(first));
  c.channels = transposed ? first : second * c.groups;
  c.columns = transposed ? second * c.groups : first;
  op.b.sameExtent(in[1], Expr(c.channels),
                  "channels of input " + x + " and those that input " + w + " has weights for");
  Exprs shape = op.b.shape(c.input);
  shape[1] = Expr(c.channels); // in place of a formula that has to be it
  c.input = op.b.reshape(c.input, shape);
  if (!op.has(places.bias))
    return c;
  c.bias = op.value(places.bias, "B");
  op.b.sameShape(op.b.shape(c.bias), {Expr(c.columns)}, "the shape of input " + b + " and the columns of input " + w);
  return c;
}

Value conv::channelsLast(OpBinder &op, Value value) {
  const int64_t rank = op.b.shape(value).size();
  Ints perm = {0};
  llvm::append_range(perm, sequence(2, rank));
  perm.push_back(1);
  return op.b.transpose(value, perm);
}

Value conv::channelsFirst(OpBinder &op, Value value) {
  const int64_t rank = op.b.shape(value).size();
  Ints perm = {0, rank - 1};
  llvm::append_range(perm, sequence(1, rank - 1));
  return op.b.transpose(value, perm);
}

Value conv::padSpatial(OpBinder &op, Value value, const Exprs &low, const Exprs &high) {
  Exprs before(2, Expr(0)), after(2, Expr(0));
  llvm::append_range(before, low);
  llvm::append_range(after, high);
  Builder builder(op.b.context());
  return op.b.pad(value, before, after, graph::PadMode::Constant, builder.getZeroAttr(op.b.element(value)));
}

Value conv::addBias(OpBinder &op, Value value, Value bias) {
  if (!bias)
    return value;
  Exprs shape(op.b.shape(value).size() - 1, Expr(1));
  shape[0] = op.b.shape(bias)[0];
  return op.b.binary(BinaryKind::Add, value, op.b.reshape(bias, shape));
}

Value conv::product(OpBinder &op, Value input, Value weights, int64_t groups, const Steps &steps) {
  const Exprs shape = op.b.shape(weights);
  const bool hasOneChannel =
      shape[1].isConstant(1) && (groups > 1 || shape[0].isConstant(1)) && !shape[0].isConstant(0);
  return hasOneChannel ? depthwise(op, input, weights, steps)
                       : op.b.conv(input, weights, steps.strides, steps.dilations, groups, steps.places);
}

Value conv::convolve(OpBinder &op, const Operands &c) {
  const Window window = readWindow(op, c.spatial, c.sizes);
  Value input = padSpatial(op, c.input, window.low, window.high);
  return addBias(op, product(op, input, c.weights, c.groups, {window.strides, window.dilations, window.places}),
                 c.bias);
}

void importConv(OpBinder &op) {
  op.requireFloat(0, "X");
  op.requireFloat(1, "W");
  op.result(conv::convolve(op, conv::read(op, {0, 1, 2}, /*transposed=*/false)));
}

} // namespace cupola::onnx_import

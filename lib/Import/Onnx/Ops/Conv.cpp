//===- lib/Import/Onnx/Ops/Conv.cpp - convolutions -------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX keeps channels before the spatial dimensions; the graph has convolutions with
// channels last only. So each one stands between two transposes, which a pass moves
// out of the way.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Window.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// What Conv and ConvTranspose have in common: operands and attributes after a look at
/// their shapes.
struct ConvOperands {
  Value input;   ///< [N, C, spatial..]
  Value weights; ///< [O, C / groups, window..]; ConvTranspose: [C, O / groups, window..]
  Value bias;    ///< [O] or null
  Exprs spatial;
  Ints sizes;                                    ///< of the window
  int64_t groups = 1, channels = 0, columns = 0; ///< columns: O
};

int64_t constantExtent(OpBinder &op, const Exprs &shape, size_t dim) {
  const auto extent = shape[dim].constant();
  if (!extent)
    op.undecided(shape, "input 1 (W) has the shape " + shapeText(shape) + ", supported are constant extents");
  return *extent;
}

ConvOperands readOperands(OpBinder &op, bool transposed) {
  op.requireFloat(0, "X");
  op.requireFloat(1, "W");
  ConvOperands c;
  c.input = op.value(0, "X");
  c.weights = op.value(1, "W");
  c.groups = op.intAttribute("group", 1);
  const Exprs in = op.b.shape(c.input), weights = op.b.shape(c.weights);
  if (in.size() < 3 || weights.size() != in.size())
    op.bad("inputs 0 (X) and 1 (W) have the shapes " + shapeText(in) + " and " + shapeText(weights) +
           ", expected one rank of at least 3");
  c.spatial.assign(in.begin() + 2, in.end());
  for (size_t i = 2; i < weights.size(); ++i)
    c.sizes.push_back(constantExtent(op, weights, i));
  if (llvm::is_contained(c.sizes, 0))
    op.unsupported("input 1 (W) has the shape " + shapeText(weights) + ", supported are windows of at least 1");
  if (op.hasAttribute("kernel_shape") && windowNumbers(op, "kernel_shape", c.sizes.size()) != c.sizes)
    op.bad("attribute 'kernel_shape' is not the window of input 1 (W), whose shape is " + shapeText(weights));
  const int64_t first = constantExtent(op, weights, 0), second = constantExtent(op, weights, 1);
  if (c.groups < 1 || first % c.groups != 0)
    op.bad("attribute 'group' is " + std::to_string(c.groups) +
           ", expected a divisor of the first extent of input 1 (W), " + std::to_string(first));
  c.channels = transposed ? first : second * c.groups;
  c.columns = transposed ? second * c.groups : first;
  op.b.sameExtent(in[1], Expr(c.channels), "channels of input 0 (X) and those that input 1 (W) has weights for");
  if (!op.has(2))
    return c;
  c.bias = op.value(2, "B");
  op.b.sameShape(op.b.shape(c.bias), {Expr(c.columns)}, "the shape of input 2 (B) and the columns of input 1 (W)");
  return c;
}

/// [N, C, spatial..] -> [N, spatial.., C]
Value channelsLast(OpBinder &op, Value value) {
  const int64_t rank = op.b.shape(value).size();
  Ints perm = {0};
  llvm::append_range(perm, sequence(2, rank));
  perm.push_back(1);
  return op.b.transpose(value, perm);
}

/// [N, spatial.., C] -> [N, C, spatial..]
Value channelsFirst(OpBinder &op, Value value) {
  const int64_t rank = op.b.shape(value).size();
  Ints perm = {0, rank - 1};
  llvm::append_range(perm, sequence(1, rank - 1));
  return op.b.transpose(value, perm);
}

/// Zeros around the spatial dimensions of [N, spatial.., C]; negative amounts cut.
Value padSpatial(OpBinder &op, Value value, const Exprs &low, const Exprs &high) {
  Exprs before = {Expr(0)}, after = {Expr(0)};
  llvm::append_range(before, low);
  llvm::append_range(after, high);
  before.push_back(Expr(0));
  after.push_back(Expr(0));
  Builder builder(op.b.context());
  return op.b.pad(value, before, after, graph::PadMode::Constant, builder.getFloatAttr(op.b.element(value), 0));
}

Value addBias(OpBinder &op, Value value, Value bias) {
  return bias ? op.b.binary(BinaryKind::Add, value, bias) : value;
}

/// One filter per channel: a sum over windows, no contraction.
Value depthwise(OpBinder &op, const ConvOperands &c, Value input, const Window &window) {
  const size_t dims = window.dims();
  Value windows = op.b.window(input, 1, window.sizes, window.strides, window.dilations, window.places);
  Ints perm = sequence(2, dims + 2); // [C, 1, w..] -> [w.., C, 1]
  perm.append({0, 1});
  Exprs filter = {Expr(1)};
  filter.append(dims, Expr(1));
  llvm::append_range(filter, Exprs(window.sizes.begin(), window.sizes.end()));
  filter.push_back(Expr(c.channels));
  Value weights = op.b.reshape(op.b.transpose(c.weights, perm), filter);
  Value sum =
      op.b.reduce(ReduceKind::Sum, op.b.binary(BinaryKind::Mul, windows, weights), sequence(1 + dims, 1 + 2 * dims));
  return op.b.squeeze(sum, sequence(1 + dims, 1 + 2 * dims));
}

//===----------------------------------------------------------------------===//
// Transposed: every stride residue of the output is an ordinary convolution with the
// weights of its residue. All of them read the same windows, so they are one
// convolution with a column per residue, whose results are interleaved:
//
//   out[s * q + r] = sum over t of x[q + t - (T - 1)] * w[(T - 1 - t) * s + r]
//
// with T = ceil(reach / s) taps and zeros where w ends before T * s.
//===----------------------------------------------------------------------===//

struct TransposedWindow {
  Ints strides, dilations, taps;
  Exprs low, extents; ///< cut in front, what remains
};

TransposedWindow readTransposed(OpBinder &op, const ConvOperands &c) {
  const size_t dims = c.sizes.size();
  const Ints extra = paddingNumbers(op, "output_padding", dims), pads = paddingNumbers(op, "pads", 2 * dims);
  const auto wanted = op.intsAttribute("output_shape");
  const std::string mode = op.stringAttribute("auto_pad", "NOTSET");
  if (wanted && wanted->size() < dims)
    op.bad("attribute 'output_shape' has " + std::to_string(wanted->size()) + " entries, expected " +
           std::to_string(dims));
  TransposedWindow t;
  t.strides = windowNumbers(op, "strides", dims);
  t.dilations = windowNumbers(op, "dilations", dims);
  for (size_t i = 0; i < dims; ++i) {
    const int64_t reach = (c.sizes[i] - 1) * t.dilations[i] + 1, stride = t.strides[i];
    t.taps.push_back((reach + stride - 1) / stride);
    const Expr whole = (c.spatial[i] - 1) * Expr(stride) + Expr(reach + extra[i]);
    Expr extent = whole - Expr(pads[i] + pads[i + dims]), low(pads[i]);
    if (wanted || mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      extent = wanted ? Expr((*wanted)[wanted->size() - dims + i]) : c.spatial[i] * Expr(stride);
      const Expr total = max(Expr(0), whole - extent);
      low = mode == "SAME_UPPER" ? floorDiv(total, Expr(2)) : total - floorDiv(total, Expr(2));
    } else if (mode == "VALID") {
      extent = whole;
      low = Expr(0);
    }
    t.low.push_back(simplify(low, op.b.ranges()));
    t.extents.push_back(simplify(extent, op.b.ranges()));
    if (t.extents[i].constant() && *t.extents[i].constant() < 1)
      op.bad("the result has the extent " + t.extents[i].text() + " in dimension " + std::to_string(i + 2));
  }
  return t;
}

/// [window.., rest..] with the zeros between taps that dilation means, and behind them up
/// to taps * strides per dimension.
Value spreadTaps(OpBinder &op, Value weights, const TransposedWindow &t, const Ints &sizes) {
  Builder builder(op.b.context());
  const auto zero = builder.getFloatAttr(op.b.element(weights), 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto padDim = [&](size_t dim, int64_t amount) {
      const size_t rank = op.b.shape(weights).size();
      Exprs low(rank, Expr(0)), high(rank, Expr(0));
      high[dim] = Expr(amount);
      weights = op.b.pad(weights, low, high, graph::PadMode::Constant, zero);
    };
    weights = op.b.unsqueeze(weights, {int64_t(i) + 1});
    padDim(i + 1, t.dilations[i] - 1);
    Exprs joined = op.b.shape(weights);
    joined.erase(joined.begin() + i + 1);
    joined[i] = Expr(sizes[i] * t.dilations[i]);
    weights = op.b.reshape(weights, joined);
    padDim(i, t.taps[i] * t.strides[i] - sizes[i] * t.dilations[i]); // may cut the last zeros
  }
  return weights;
}

/// The dimension of the groups, which takes part where there are several: with it the
/// weights of three dimensions would exceed the largest rank.
Exprs groupDim(const ConvOperands &c) { return c.groups > 1 ? Exprs{Expr(c.groups)} : Exprs{}; }

/// [C, O / groups, window..] -> [taps.., C / groups, groups, strides.., O / groups], taps
/// backwards.
Value residueWeights(OpBinder &op, const ConvOperands &c, const TransposedWindow &t) {
  const int64_t dims = c.sizes.size(), depth = c.channels / c.groups, width = c.columns / c.groups;
  Exprs apart = {Expr(c.groups), Expr(depth), Expr(width)};
  apart.append(c.sizes.begin(), c.sizes.end());
  Ints perm = sequence(3, 3 + dims);
  perm.append({1, 0, 2});
  Value weights = op.b.transpose(op.b.reshape(c.weights, apart), perm); // [w.., C, g, O]
  weights = spreadTaps(op, weights, t, c.sizes);
  Exprs split, starts, sizes;
  Ints steps, order;
  for (int64_t i = 0; i < dims; ++i) {
    split.append({Expr(t.taps[i]), Expr(t.strides[i])});
    starts.append({Expr(t.taps[i] - 1), Expr(0)});
    steps.append({-1, 1});
    order.push_back(2 * i);
  }
  split.push_back(Expr(depth));
  llvm::append_range(split, groupDim(c));
  split.push_back(Expr(width));
  const int64_t rank = split.size();
  starts.append(rank - 2 * dims, Expr(0));
  steps.append(rank - 2 * dims, 1);
  weights = op.b.slice(op.b.reshape(weights, split), starts, steps, split);
  llvm::append_range(order, sequence(2 * dims, rank - 1));
  for (int64_t i = 0; i < dims; ++i)
    order.push_back(2 * i + 1);
  order.push_back(rank - 1);
  return op.b.transpose(weights, order);
}

/// [N, q.., groups, r.., O / groups] -> [N, q * r.., O]
Value interleave(OpBinder &op, Value value, const ConvOperands &c, const TransposedWindow &t, const Exprs &places) {
  const int64_t dims = places.size();
  const Expr batch = op.b.shape(value)[0];
  Exprs apart = {batch}, joined = {batch};
  llvm::append_range(apart, places);
  llvm::append_range(apart, groupDim(c));
  const int64_t residues = apart.size();
  apart.append(t.strides.begin(), t.strides.end());
  apart.push_back(Expr(c.columns / c.groups));
  Ints perm = {0};
  for (int64_t i = 0; i < dims; ++i) {
    perm.append({1 + i, residues + i});
    joined.push_back(places[i] * Expr(t.strides[i]));
  }
  llvm::append_range(perm, sequence(1 + dims, residues));
  perm.push_back(residues + dims);
  joined.push_back(Expr(c.columns));
  return op.b.reshape(op.b.transpose(op.b.reshape(value, apart), perm), joined);
}

/// [O] as the [groups * strides.. * O / groups] columns of the convolution.
Value residueBias(OpBinder &op, const ConvOperands &c, const TransposedWindow &t) {
  const Expr width(c.columns / c.groups);
  Exprs apart = {Expr(c.groups)}, each = {Expr(c.groups)};
  apart.append(t.strides.size(), Expr(1));
  each.append(t.strides.begin(), t.strides.end());
  apart.push_back(width);
  each.push_back(width);
  return op.b.reshape(op.b.broadcast(op.b.reshape(c.bias, apart), each), {graph::product(each)});
}

} // namespace

void importConv(OpBinder &op) {
  const ConvOperands c = readOperands(op, /*transposed=*/false);
  const Window window = readWindow(op, c.spatial, c.sizes);
  Value input = padSpatial(op, channelsLast(op, c.input), window.low, window.high);
  if (c.groups == c.channels && c.groups == c.columns)
    return op.result(channelsFirst(op, addBias(op, depthwise(op, c, input, window), c.bias)));
  Ints perm = sequence(2, window.dims() + 2); // [O, C, w..] -> [w.., C, O]
  perm.append({1, 0});
  Value result =
      op.b.conv(input, op.b.transpose(c.weights, perm), window.strides, window.dilations, c.groups, window.places);
  op.result(channelsFirst(op, addBias(op, result, c.bias)));
}

void importConvTranspose(OpBinder &op) {
  const ConvOperands c = readOperands(op, /*transposed=*/true);
  const TransposedWindow t = readTransposed(op, c);
  const size_t dims = c.sizes.size();
  Exprs places, low, high;
  for (size_t i = 0; i < dims; ++i) { // q up to the last place that is kept
    places.push_back(simplify(ceilDiv(t.extents[i] + t.low[i], Expr(t.strides[i])), op.b.ranges()));
    low.push_back(Expr(t.taps[i] - 1));
    high.push_back(places[i] - c.spatial[i]);
  }
  Value input = padSpatial(op, channelsLast(op, c.input), low, high);
  Value weights = residueWeights(op, c, t);
  Exprs flat(t.taps.begin(), t.taps.end());
  flat.append({Expr(c.channels / c.groups), graph::product(ArrayRef(op.b.shape(weights)).drop_front(dims + 1))});
  Value result = op.b.conv(input, op.b.reshape(weights, flat), Ints(dims, 1), Ints(dims, 1), c.groups, places);
  if (c.bias)
    result = addBias(op, result, residueBias(op, c, t));
  result = interleave(op, result, c, t, places);
  Exprs starts = {Expr(0)}, sizes = {op.b.shape(result)[0]};
  llvm::append_range(starts, t.low);
  llvm::append_range(sizes, t.extents);
  starts.push_back(Expr(0));
  sizes.push_back(Expr(c.columns));
  op.result(channelsFirst(op, op.b.slice(result, starts, Ints(dims + 2, 1), sizes)));
}

} // namespace cupola::onnx_import

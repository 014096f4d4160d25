//===- lib/Import/Onnx/Ops/ConvTranspose.cpp - transposed convolutions -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Every stride residue of the output is an ordinary convolution with the
// weights of its residue. All of them read the same windows, so they are one
// convolution with a column per residue, whose results are interleaved:
//
//   out[s * q + r] = sum over t of x[q + t - (T - 1)] * w[(T - 1 - t) * s + r]
//
// with T = ceil(reach / s) taps and zeros where w ends before T * s.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Conv.h"

using namespace mlir;

namespace cupola::onnx_import {

using namespace conv;

namespace {

struct TransposedWindow {
  Ints strides, dilations, taps;
  Exprs low, extents; ///< cut in front, what remains
};

TransposedWindow readTransposed(OpBinder &op, const Operands &c) {
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

/// [C, O / groups, window..] -> [groups * strides.. * O / groups, C / groups, taps..], taps backwards.
Value residueWeights(OpBinder &op, const Operands &c, const TransposedWindow &t) {
  const int64_t dims = c.sizes.size(), depth = c.channels / c.groups, width = c.columns / c.groups;
  Exprs apart = {Expr(c.groups), Expr(depth), Expr(width)};
  apart.append(c.sizes.begin(), c.sizes.end());
  Ints perm = sequence(3, 3 + dims);
  perm.append({1, 0, 2});
  Value weights = op.b.transpose(op.b.reshape(c.weights, apart), perm); // [w.., C, g, O]
  weights = spreadTaps(op, weights, t, c.sizes);
  Exprs split, starts;
  Ints steps, order;
  int64_t strides = 1;
  for (int64_t i = 0; i < dims; ++i) {
    strides *= t.strides[i];
    split.append({Expr(t.taps[i]), Expr(t.strides[i])});
    starts.append({Expr(t.taps[i] - 1), Expr(0)});
    steps.append({-1, 1});
  }
  split.append({Expr(depth * c.groups), Expr(width)}); // in one, or three dimensions would exceed the largest rank
  const int64_t rank = split.size();
  starts.append(rank - 2 * dims, Expr(0));
  steps.append(rank - 2 * dims, 1);
  weights = op.b.slice(op.b.reshape(weights, split), starts, steps, split);
  // [depth * groups, strides.., width, taps..]
  order.push_back(2 * dims);
  for (int64_t i = 0; i < dims; ++i)
    order.push_back(2 * i + 1);
  order.push_back(rank - 1);
  for (int64_t i = 0; i < dims; ++i)
    order.push_back(2 * i);
  Exprs flat = {Expr(depth), Expr(c.groups * width * strides)};
  flat.append(t.taps.begin(), t.taps.end());
  Ints turned = sequence(0, dims + 2);
  std::swap(turned[0], turned[1]);
  return op.b.transpose(op.b.reshape(op.b.transpose(weights, order), flat), turned);
}

/// [N, groups * r.. * O / groups, q..] -> [N, O, q * r..]
Value interleave(OpBinder &op, Value value, const Operands &c, const TransposedWindow &t, const Exprs &places) {
  const int64_t dims = places.size(), residues = llvm::count_if(t.strides, [](int64_t stride) { return stride != 1; });
  if (residues == 0)
    return value;
  const Expr batch = op.b.shape(value)[0];
  // Where there are groups, they are one dimension with the images, as the largest rank asks.
  Exprs apart = {batch * Expr(c.groups)}, joined = {batch, Expr(c.columns)};
  llvm::copy_if(t.strides, std::back_inserter(apart), [](int64_t stride) { return stride != 1; });
  apart.push_back(Expr(c.columns / c.groups));
  llvm::append_range(apart, places);
  Ints perm = {0, 1 + residues};
  for (int64_t i = 0, residue = 1; i < dims; ++i) {
    perm.push_back(2 + residues + i);
    if (t.strides[i] != 1)
      perm.push_back(residue++);
    joined.push_back(places[i] * Expr(t.strides[i]));
  }
  return op.b.reshape(op.b.transpose(op.b.reshape(value, apart), perm), joined);
}

/// [O] as the [groups * strides.. * O / groups] columns of the convolution.
Value residueBias(OpBinder &op, const Operands &c, const TransposedWindow &t) {
  const Expr width(c.columns / c.groups);
  Exprs apart = {Expr(c.groups)}, each = {Expr(c.groups)};
  apart.append(t.strides.size(), Expr(1));
  each.append(t.strides.begin(), t.strides.end());
  apart.push_back(width);
  each.push_back(width);
  return op.b.reshape(op.b.broadcast(op.b.reshape(c.bias, apart), each), {graph::product(each)});
}

} // namespace

void importConvTranspose(OpBinder &op) {
  op.requireFloat(0, "X");
  op.requireFloat(1, "W");
  const Operands c = read(op, {0, 1, 2}, /*transposed=*/true);
  const TransposedWindow t = readTransposed(op, c);
  const size_t dims = c.sizes.size();
  Exprs places, low, high;
  for (size_t i = 0; i < dims; ++i) { // q up to the last place that is kept
    places.push_back(simplify(ceilDiv(t.extents[i] + t.low[i], Expr(t.strides[i])), op.b.ranges()));
    low.push_back(Expr(t.taps[i] - 1));
    high.push_back(places[i] - c.spatial[i]);
  }
  Value input = padSpatial(op, c.input, low, high);
  Value result = product(op, input, residueWeights(op, c, t), c.groups, {Ints(dims, 1), Ints(dims, 1), places});
  if (c.bias)
    result = addBias(op, result, residueBias(op, c, t));
  result = interleave(op, result, c, t, places);
  Exprs starts(2, Expr(0)), sizes = {op.b.shape(result)[0], Expr(c.columns)};
  llvm::append_range(starts, t.low);
  llvm::append_range(sizes, t.extents);
  op.result(op.b.slice(result, starts, Ints(dims + 2, 1), sizes));
}

} // namespace cupola::onnx_import

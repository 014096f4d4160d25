//===- lib/Import/Onnx/Ops/Pool.cpp - pools and local normalisation --------===//
// SPDX-License-Identifier: Apache-2.0
//
// A pool is a reduction over a view of windows.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Pool.h"

#include "dialects/Graph/Neutral.h"

#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Window.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Input 0 is [N, C, spatial..].
struct PoolInput {
  Value value;
  Exprs spatial;
  Window window;
};

Exprs spatialExtents(OpBinder &op, const Exprs &shape) {
  if (shape.size() < 3)
    op.bad("input 0 (X) has the shape " + shapeText(shape) + ", expected a rank of at least 3");
  return Exprs(shape.begin() + 2, shape.end());
}

PoolInput readPool(OpBinder &op, Value value) {
  PoolInput pool{value, spatialExtents(op, op.b.shape(value)), {}};
  pool.window = readWindow(op, pool.spatial, kernelShape(op, pool.spatial.size()));
  return pool;
}

Exprs leading(size_t count, ArrayRef<Expr> rest) {
  Exprs all(count, Expr(0));
  llvm::append_range(all, rest);
  return all;
}

/// The windows of [a, b, spatial..] with `fill` around: [a, b, places.., window..].
Value windowsOf(OpBinder &op, Value value, const Window &w, ArrayRef<Expr> high, TypedAttr fill) {
  Value padded = op.b.pad(value, leading(2, w.low), leading(2, high), graph::PadMode::Constant, fill);
  return op.b.window(padded, 2, w.sizes, w.strides, w.dilations, w.places);
}

Exprs sum(ArrayRef<Expr> a, ArrayRef<Expr> b) {
  Exprs result;
  for (auto [x, y] : llvm::zip_equal(a, b))
    result.push_back(x + y);
  return result;
}

Value reduceWindows(OpBinder &op, ReduceKind kind, Value windows, const Window &w) {
  const Ints axes = sequence(2 + w.dims(), 2 + 2 * w.dims());
  return op.b.squeeze(op.b.reduce(kind, windows, axes), axes);
}

TypedAttr zero(OpBinder &op, Type type) { return Builder(op.b.context()).getFloatAttr(type, 0); }

/// How many elements of each window lie in the input, or, with `padding`, in what the
/// attribute pads makes of it: [1, 1, places..].
Value countsOf(OpBinder &op, const PoolInput &pool, Type type, bool padding) {
  const Window &w = pool.window;
  Exprs inside = padding ? sum(sum(pool.spatial, w.low), w.high) : pool.spatial;
  Exprs shape = {Expr(1), Expr(1)};
  llvm::append_range(shape, inside);
  Window counted = w;
  if (padding)
    counted.low.assign(w.dims(), Expr(0));
  Value ones = op.b.broadcast(op.b.scalar(1, type), shape);
  Value windows = windowsOf(op, ones, counted, padding ? w.excess : sum(w.high, w.excess), zero(op, type));
  return reduceWindows(op, ReduceKind::Sum, windows, w);
}

/// A position in the last of `spatial` first, as one in the first of them first.
Value columnMajor(OpBinder &op, Value position, ArrayRef<Expr> spatial) {
  const Type type = op.b.element(position);
  Value result = op.b.intScalar(0, type);
  Expr inner(1);
  for (size_t i = spatial.size(); i-- > 0; inner = inner * spatial[i]) {
    const Expr outer = graph::product(spatial.take_front(i));
    Value place = op.b.binary(BinaryKind::Mod, op.b.binary(BinaryKind::Div, position, op.b.integer(inner, type)),
                              op.b.integer(spatial[i], type));
    result = op.b.binary(BinaryKind::Add, result, op.b.binary(BinaryKind::Mul, place, op.b.integer(outer, type)));
  }
  return result;
}

/// Where in the whole input the first largest element of each window lies.
Value positionsOf(OpBinder &op, const PoolInput &pool, Value windows, Value largest) {
  const Window &w = pool.window;
  const Exprs shape = op.b.shape(pool.value);
  const Expr plane = graph::product(pool.spatial);
  Exprs image = {Expr(1), Expr(1)};
  llvm::append_range(image, pool.spatial);
  Value places = op.b.reshape(op.b.iota({plane}, 0), image);
  const Type type = op.b.element(places);
  places = windowsOf(op, places, w, sum(w.high, w.excess), IntegerAttr::get(type, -1));
  Value maximum = op.b.unsqueeze(largest, sequence(2 + w.dims(), 2 + 2 * w.dims()));
  Value isLargest = op.b.binary(BinaryKind::Equal, windows, maximum);
  if (isa<FloatType>(op.b.element(windows))) // where NaN is the largest
    isLargest = op.b.binary(BinaryKind::Or, isLargest, op.b.unary(UnaryKind::IsNaN, windows));
  Value isInside = op.b.binary(BinaryKind::GreaterEqual, places, op.b.intScalar(0, type));
  Value candidates = op.b.select(op.b.binary(BinaryKind::And, isLargest, isInside), places,
                                 op.b.intScalar(std::numeric_limits<int64_t>::max(), type));
  Value position = reduceWindows(op, ReduceKind::Min, candidates, w);
  if (op.intAttribute("storage_order", 0) != 0)
    position = columnMajor(op, position, pool.spatial);
  Exprs front(shape.size(), Expr(1));
  front[0] = shape[0], front[1] = shape[1];
  Value planes = op.b.reshape(op.b.iota({shape[0] * shape[1]}, 0), front);
  return op.b.binary(BinaryKind::Add, op.b.binary(BinaryKind::Mul, planes, op.b.integer(plane, type)), position);
}

/// Whether windows of one axis after the other take so much less that storing what lies between pays.
bool isSeparable(const Window &w) {
  constexpr int64_t manyElements = 49;
  int64_t all = 1, apart = 0;
  for (int64_t size : w.sizes) {
    all *= size;
    apart += size;
  }
  return all >= manyElements && all >= 2 * apart;
}

/// The largest of the largest of each line of a window.
Value largestByAxis(OpBinder &op, const PoolInput &pool, TypedAttr lowest) {
  const Window &w = pool.window;
  Value value = pool.value;
  const int64_t rank = op.b.shape(value).size();
  for (int64_t d = w.dims() - 1; d >= 0; --d) {
    Exprs low(rank, Expr(0)), high = low;
    low[2 + d] = w.low[d];
    high[2 + d] = w.high[d] + w.excess[d];
    value = op.b.pad(value, low, high, graph::PadMode::Constant, lowest);
    value = op.b.window(value, 2 + d, w.sizes[d], w.strides[d], w.dilations[d], w.places[d]);
    value = op.b.squeeze(op.b.reduce(ReduceKind::Max, value, {3 + d}), {3 + d});
  }
  return value;
}

} // namespace

void importMaxPool(OpBinder &op) {
  op.requireNumber(0, "X");
  const PoolInput pool = readPool(op, op.value(0, "X"));
  const Window &w = pool.window;
  const TypedAttr lowest = graph::neutralElement(ReduceKind::Max, op.b.element(pool.value));
  if (isSeparable(w) && !op.wants(1)) {
    op.ignoreAttribute("storage_order"); // of the indices
    op.result(largestByAxis(op, pool, lowest));
    return;
  }
  Value windows = windowsOf(op, pool.value, w, sum(w.high, w.excess), lowest);
  Value largest = reduceWindows(op, ReduceKind::Max, windows, w);
  op.result(largest);
  op.ignoreAttribute("storage_order"); // of the indices
  if (op.wants(1))
    op.result(positionsOf(op, pool, windows, largest), 1);
}

Value averagePool(OpBinder &op, Value input) {
  const PoolInput pool = readPool(op, input);
  const Window &w = pool.window;
  const bool padding = op.intAttribute("count_include_pad", 0) != 0;
  const auto windows = [&](Value value) {
    return windowsOf(op, value, w, sum(w.high, w.excess), zero(op, op.b.element(value)));
  };
  const bool allWhole = llvm::all_of(w.excess, [](const Expr &e) { return e.isConstant(0); });
  if (!w.isPadded() || (padding && allWhole))
    return reduceWindows(op, ReduceKind::Mean, windows(pool.value), w);
  return roundedOnce(op.b, pool.value, [&](Value value) {
    Value total = reduceWindows(op, ReduceKind::Sum, windows(value), w);
    return op.b.binary(BinaryKind::Div, total, countsOf(op, pool, op.b.element(value), padding));
  });
}

void importAveragePool(OpBinder &op) {
  op.requireFloat(0, "X");
  op.result(averagePool(op, op.value(0, "X")));
}

/// (sum |x|^p)^(1/p)
static Value powerNorm(OpBinder &op, Value value, double p, function_ref<Value(Value)> total) {
  return roundedOnce(op.b, value, [&](Value x) {
    const Type type = op.b.element(x);
    Value powers = op.b.binary(BinaryKind::Pow, op.b.unary(UnaryKind::Abs, x), op.b.scalar(p, type));
    return op.b.binary(BinaryKind::Pow, total(powers), op.b.scalar(1 / p, type));
  });
}

static void lpPool(OpBinder &op, double p) {
  op.requireFloat(0, "X");
  const PoolInput pool = readPool(op, op.value(0, "X"));
  const Window &w = pool.window;
  op.result(powerNorm(op, pool.value, p, [&](Value powers) {
    Value windows = windowsOf(op, powers, w, sum(w.high, w.excess), zero(op, op.b.element(powers)));
    return reduceWindows(op, ReduceKind::Sum, windows, w);
  }));
}

static void globalLpPool(OpBinder &op, double p) {
  op.requireFloat(0, "X");
  const size_t dims = spatialExtents(op, op.shape(0, "X")).size();
  op.result(powerNorm(op, op.value(0, "X"), p,
                      [&](Value powers) { return op.b.reduce(ReduceKind::Sum, powers, sequence(2, 2 + dims)); }));
}

void importLpPool(OpBinder &op) { lpPool(op, static_cast<double>(op.intAttribute("p", 2))); }
void importLpPool1(OpBinder &op) { lpPool(op, op.floatAttribute("p", 2)); }
void importGlobalLpPool(OpBinder &op) { globalLpPool(op, static_cast<double>(op.intAttribute("p", 2))); }
void importGlobalLpPool1(OpBinder &op) { globalLpPool(op, op.floatAttribute("p", 2)); }

/// x / (bias + alpha / size * (sum of squares over `size` neighbouring channels))^beta
void importLRN(OpBinder &op) {
  op.requireFloat(0, "X");
  const Exprs shape = op.shape(0, "X");
  const int64_t size = op.requiredInt("size");
  if (shape.size() < 2 || size < 1)
    op.bad("input 0 (X) has the shape " + shapeText(shape) + " and size is " + std::to_string(size) +
           ", expected a rank of at least 2 and a size of at least 1");
  Exprs low(shape.size(), Expr(0)), high(shape.size(), Expr(0));
  low[1] = Expr((size - 1) / 2);
  high[1] = Expr(size / 2);
  op.result(roundedOnce(op.b, op.value(0, "X"), [&](Value value) {
    const Type type = op.b.element(value);
    Value squares = op.b.binary(BinaryKind::Mul, value, value);
    Value padded = op.b.pad(squares, low, high, graph::PadMode::Constant, zero(op, type));
    Value windows = op.b.window(padded, 1, {size}, {1}, {1}, {shape[1]});
    Value total = op.b.squeeze(op.b.reduce(ReduceKind::Sum, windows, {2}), {2});
    Value scaled = op.b.binary(BinaryKind::Mul, total, op.b.scalar(op.floatAttribute("alpha", 1e-4f) / size, type));
    Value base = op.b.binary(BinaryKind::Add, scaled, op.b.scalar(op.floatAttribute("bias", 1), type));
    Value divisor = op.b.binary(BinaryKind::Pow, base, op.b.scalar(op.floatAttribute("beta", 0.75f), type));
    return op.b.binary(BinaryKind::Div, value, divisor);
  }));
}

} // namespace cupola::onnx_import

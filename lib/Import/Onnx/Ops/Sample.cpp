//===- lib/Import/Onnx/Ops/Sample.cpp - reads at computed places -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/Window.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

enum class Border { Zeros, Edge, Reflection };

/// One dimension of the samples: everything has the shape [N, places, 1], so that all channels, which come last, have
/// it in common.
struct Coordinate {
  Value exact;  ///< in elements, a float
  Value extent; ///< of the image, an int64 scalar
};
Value number(OpBinder &op, double value, Value like) { return op.b.scalar(value, op.b.element(like)); }
Value plus(OpBinder &op, Value a, Value b) { return op.b.binary(BinaryKind::Add, a, b); }
Value minus(OpBinder &op, Value a, Value b) { return op.b.binary(BinaryKind::Sub, a, b); }
Value times(OpBinder &op, Value a, Value b) { return op.b.binary(BinaryKind::Mul, a, b); }
Value clamp(OpBinder &op, Value value, Value low, Value high) {
  return op.b.binary(BinaryKind::Min, op.b.binary(BinaryKind::Max, value, low), high);
}

Border readBorder(OpBinder &op) {
  const std::string mode = op.stringAttribute("padding_mode", "zeros");
  if (mode == "zeros")
    return Border::Zeros;
  if (mode == "border")
    return Border::Edge;
  if (mode == "reflection")
    return Border::Reflection;
  op.bad("attribute 'padding_mode' is \"" + mode + "\", expected zeros, border or reflection");
}

/// Back and forth between the borders: the middles of the outer elements, or their edges.
Value reflect(OpBinder &op, Value place, Value extent, bool middles) {
  Value low = number(op, middles ? 0 : -0.5, place);
  // One element alone has its middle on both borders, and no place is away from it.
  Value one = number(op, 1, place), span = middles ? op.b.binary(BinaryKind::Max, minus(op, extent, one), one) : extent;
  Value away = op.b.unary(UnaryKind::Abs, minus(op, place, low));
  Value turns = op.b.unary(UnaryKind::Floor, op.b.binary(BinaryKind::Div, away, span));
  Value rest = minus(op, away, times(op, turns, span));
  Value odd = op.b.binary(BinaryKind::Fmod, turns, number(op, 2, place));
  Value isBack = op.b.binary(BinaryKind::Greater, odd, number(op, 0.5, place));
  return plus(op, op.b.select(isBack, minus(op, span, rest), rest), low);
}

/// A place outside as one inside, but for Border::Zeros.
Value bordered(OpBinder &op, Value place, Value extent, bool middles, Border border) {
  if (border == Border::Reflection)
    place = reflect(op, place, extent, middles);
  if (border != Border::Zeros)
    place = clamp(op, place, number(op, 0, place), minus(op, extent, number(op, 1, place)));
  return place;
}

/// From -1..1 to elements.
Coordinate locate(OpBinder &op, Value grid, const Expr &size, bool middles, Border border) {
  Value extent = op.b.dims({size}, {}, op.b.int64()), wide = op.b.cast(extent, op.b.element(grid));
  Value one = number(op, 1, grid), half = number(op, 0.5, grid), shifted = plus(op, grid, one);
  Value exact = middles ? times(op, times(op, shifted, half), minus(op, wide, one))
                        : times(op, minus(op, times(op, shifted, wide), one), half);
  return {bordered(op, exact, wide, middles, border), extent};
}

/// The pixels of an image [N, pixels, C] at whole coordinates [N, places, 1], 0 outside: [N, places, C] of `type`.
Value pixelsAt(OpBinder &op, Value image, ArrayRef<Coordinate> coordinates, ArrayRef<Value> places, Type type) {
  Value linear, inside, zero = op.b.intScalar(0, op.b.int64()), one = op.b.intScalar(1, op.b.int64());
  for (auto [coordinate, place] : llvm::zip_equal(coordinates, places)) {
    Value index = op.b.cast(place, op.b.int64());
    Value here = op.b.binary(BinaryKind::And, op.b.binary(BinaryKind::GreaterEqual, index, zero),
                             op.b.binary(BinaryKind::Less, index, coordinate.extent));
    index = clamp(op, index, zero, minus(op, coordinate.extent, one));
    linear = linear ? plus(op, times(op, linear, coordinate.extent), index) : index;
    inside = inside ? op.b.binary(BinaryKind::And, inside, here) : here;
  }
  Value read = op.b.cast(op.b.gather(image, op.b.squeeze(linear, {2}), 1, /*batchDims=*/1), type);
  return op.b.select(inside, read, op.b.element(read).isInteger() ? op.b.intScalar(0, type) : op.b.scalar(0, type));
}

/// The sum over the corners of the cell around each place; all in one type.
Value interpolate(OpBinder &op, Value image, ArrayRef<Coordinate> coordinates) {
  Value sum;
  for (unsigned corner = 0; corner < 1u << coordinates.size(); ++corner) {
    SmallVector<Value> places;
    Value weight;
    for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
      Value floor = op.b.unary(UnaryKind::Floor, coordinate.exact), one = number(op, 1, floor);
      Value fraction = minus(op, coordinate.exact, floor);
      const bool upper = corner >> i & 1;
      Value share = upper ? fraction : minus(op, one, fraction);
      places.push_back(upper ? plus(op, floor, one) : floor);
      weight = weight ? times(op, weight, share) : share;
    }
    Value term = times(op, pixelsAt(op, image, coordinates, places, op.b.element(weight)), weight);
    sum = sum ? plus(op, sum, term) : term;
  }
  return sum;
}

/// Keys' weights of the elements at -1, 0, 1 and 2 from the one at or before a place; `t`: how far it is behind it.
SmallVector<Value> cubicWeights(OpBinder &op, Value t) {
  constexpr double a = -0.75;
  const auto polynomial = [&](std::initializer_list<double> coefficients, Value x) {
    Value sum;
    for (const double coefficient : coefficients)
      sum = sum ? plus(op, times(op, sum, x), number(op, coefficient, x)) : number(op, coefficient, x);
    return sum;
  };
  const auto near = [&](Value x) { return polynomial({a + 2, -(a + 3), 0, 1}, x); };
  const auto far = [&](Value x) { return polynomial({a, -5 * a, 8 * a, -4 * a}, x); };
  Value one = number(op, 1, t), rest = minus(op, one, t);
  return {far(plus(op, t, one)), near(t), near(rest), far(plus(op, rest, one))};
}

/// The sum over the 4 elements around each place along each dimension; outside they are what `border` says.
Value interpolateCubic(OpBinder &op, Value image, ArrayRef<Coordinate> coordinates, Border border, bool middles) {
  SmallVector<Value> floors;
  SmallVector<SmallVector<Value>> weights;
  for (const Coordinate &c : coordinates) {
    floors.push_back(op.b.unary(UnaryKind::Floor, c.exact));
    weights.push_back(cubicWeights(op, minus(op, c.exact, floors.back())));
  }
  Value sum;
  for (unsigned tap = 0; tap < 1u << 2 * coordinates.size(); ++tap) {
    SmallVector<Value> places;
    Value weight;
    for (auto [i, c] : llvm::enumerate(coordinates)) {
      const unsigned step = tap >> 2 * i & 3;
      Value place = plus(op, floors[i], number(op, double(step) - 1, floors[i]));
      places.push_back(bordered(op, place, op.b.cast(c.extent, op.b.element(place)), middles, border));
      weight = weight ? times(op, weight, weights[i][step]) : weights[i][step];
    }
    Value term = times(op, pixelsAt(op, image, coordinates, places, op.b.element(weight)), weight);
    sum = sum ? plus(op, sum, term) : term;
  }
  return sum;
}

} // namespace

/// X [N, C, size..], grid [N, place.., one coordinate per size, the last size first].
void importGridSample(OpBinder &op) {
  op.requireFloat(1, "grid");
  const Exprs shape = op.shape(0, "X"), grid = op.shape(1, "grid");
  const int64_t dims = static_cast<int64_t>(shape.size()) - 2;
  if (dims < 1 || grid.size() != shape.size())
    op.bad("X and grid have shapes " + shapeText(shape) + " and " + shapeText(grid) +
           ", expected one rank of at least 3");
  op.b.sameExtent(grid.back(), Expr(dims), "the last extent of grid and the number of coordinates");
  const std::string mode = op.stringAttribute("mode", "linear");
  const bool nearest = mode == "nearest", cubic = mode == "cubic" || mode == "bicubic";
  if (!nearest && !cubic && mode != "linear" && mode != "bilinear")
    op.bad("attribute 'mode' is '" + printable(mode) + "', expected linear, nearest or cubic");
  if (cubic && dims > 3)
    op.unsupported("mode is cubic for " + std::to_string(dims) + " dimensions, supported are up to 3");
  const Type type = op.element(0, "X");
  if (!nearest && type.isInteger(1))
    op.unsupported("input 0 (X) has elements of bool and mode is '" + mode + "', supported is nearest");
  const Type wide = nearest ? formulaType({op.element(1, "grid")}) : formulaType({type, op.element(1, "grid")});
  const bool middles = op.intAttribute("align_corners", 0) != 0;
  const Border border = readBorder(op);
  const Expr batch = op.b.sameExtent(shape[0], grid[0], "batch extents of X and grid");
  const ArrayRef<Expr> wanted = ArrayRef(grid).drop_front().drop_back(), sizes = ArrayRef(shape).drop_front(2);
  Exprs starts(grid.size(), Expr(0)), column(grid);
  column.back() = Expr(1);
  SmallVector<Coordinate> coordinates;
  SmallVector<Value> rounded;
  for (int64_t i = 0; i < dims; ++i) {
    starts.back() = Expr(dims - 1 - i);
    Value place = op.b.slice(op.value(1, "grid"), starts, Ints(grid.size(), 1), column);
    place = op.b.cast(op.b.reshape(place, {batch, graph::product(wanted), Expr(1)}), wide);
    coordinates.push_back(locate(op, place, sizes[i], middles, cubic ? Border::Zeros : border));
    rounded.push_back(op.b.unary(UnaryKind::Round, coordinates[i].exact));
  }
  Value image = op.b.reshape(op.value(0, "X"), {batch, shape[1], graph::product(sizes)});
  image = op.b.transpose(image, {0, 2, 1});
  Value result = nearest ? pixelsAt(op, image, coordinates, rounded, op.b.element(image))
                 : cubic ? interpolateCubic(op, image, coordinates, border, middles)
                         : interpolate(op, image, coordinates);
  result = op.b.cast(op.b.transpose(result, {0, 2, 1}), type);
  Exprs whole = {batch, shape[1]};
  llvm::append_range(whole, wanted);
  op.result(op.b.reshape(result, whole));
}

namespace {

/// X [N, C, spatial..], W [O, C / groups, window..] and what moves the taps, in `offsetGroups` parts of the channels.
struct DeformOperands {
  Window window;
  Exprs spatial;
  Expr batch, taps, windows; ///< numbers: of taps of a window, of windows of an image
  int64_t channels, columns, groups, offsetGroups;
  size_t dims() const { return window.dims(); }
};

DeformOperands readDeformOperands(OpBinder &op) {
  op.requireFloat(0, "X");
  const Exprs image = op.shape(0, "X"), weights = op.shape(1, "W");
  if (image.size() < 3 || weights.size() != image.size())
    op.bad("inputs 0 (X) and 1 (W) have the shapes " + shapeText(image) + " and " + shapeText(weights) +
           ", expected one rank of at least 3");
  const auto fixed = constantDims(weights);
  if (!fixed || llvm::is_contained(*fixed, 0))
    op.undecided(weights,
                 "input 1 (W) has the shape " + shapeText(weights) + ", supported are constant extents above 0");
  DeformOperands o;
  o.spatial.assign(image.begin() + 2, image.end());
  o.window = readWindow(op, o.spatial, ArrayRef(*fixed).drop_front(2));
  op.ignoreAttribute("kernel_shape"); // that of W
  o.batch = image[0];
  o.taps = graph::product(ArrayRef(weights).drop_front(2));
  o.windows = graph::product(o.window.places);
  o.groups = op.intAttribute("group", 1);
  o.offsetGroups = op.intAttribute("offset_group", 1);
  o.columns = (*fixed)[0];
  if (o.groups < 1 || o.columns % o.groups != 0)
    op.bad("group is " + std::to_string(o.groups) + ", expected a divisor of the first extent of W, " +
           std::to_string(o.columns));
  o.channels = *op.b.sameExtent((weights[1] * Expr(o.groups)), image[1], "channels of W and X").constant();
  if (o.offsetGroups < 1 || o.channels % o.offsetGroups != 0)
    op.bad("offset_group is " + std::to_string(o.offsetGroups) + ", expected a divisor of the " +
           std::to_string(o.channels) + " channels");
  return o;
}

/// Input `index`, [batch, offset groups * taps * parts, windows..], as [batch * offset groups, taps, parts, windows].
Value perTap(OpBinder &op, const DeformOperands &o, size_t index, StringRef name, int64_t parts, Type type) {
  Exprs shape = {o.batch, Expr(o.offsetGroups * parts) * o.taps};
  llvm::append_range(shape, o.window.places);
  op.b.sameShape(op.shape(index, name), shape,
                 "the shape of input " + std::to_string(index) + " (" + name.str() + ") and that of the windows");
  return op.b.reshape(op.b.cast(op.value(index, name), type),
                      {o.batch * Expr(o.offsetGroups), o.taps, Expr(parts), o.windows});
}

/// Where each tap of each window reads along dimension `dim` before it is moved: [1, taps, windows].
Value tapPlaces(OpBinder &op, const DeformOperands &o, size_t dim, Type type) {
  const size_t dims = o.dims();
  Exprs whole(o.window.sizes.begin(), o.window.sizes.end());
  llvm::append_range(whole, o.window.places);
  Exprs taps(2 * dims, Expr(1)), windows = taps;
  taps[dim] = whole[dim];
  windows[dims + dim] = whole[dims + dim];
  const auto times = [&](Value place, int64_t step) {
    return op.b.binary(BinaryKind::Mul, place, op.b.intScalar(step, op.b.int64()));
  };
  Value place = plus(op, times(op.b.iota(taps, static_cast<int64_t>(dim)), o.window.dilations[dim]),
                     times(op.b.iota(windows, static_cast<int64_t>(dims + dim)), o.window.strides[dim]));
  place = minus(op, place, op.b.dims({o.window.low[dim]}, {}, op.b.int64()));
  return op.b.reshape(op.b.cast(op.b.broadcast(place, whole), type), {Expr(1), o.taps, o.windows});
}

} // namespace

/// A product of W with the elements that the moved taps read.
void importDeformConv(OpBinder &op) {
  const DeformOperands o = readDeformOperands(op);
  const auto dims = static_cast<int64_t>(o.dims());
  const Type type = op.element(0, "X"), wide = formulaType({type});
  const Expr images = o.batch * Expr(o.offsetGroups), reads = o.taps * o.windows;
  Value offsets = perTap(op, o, 2, "offset", dims, wide);
  SmallVector<Coordinate> coordinates;
  for (int64_t i = 0; i < dims; ++i) {
    Value moved =
        op.b.slice(offsets, {Expr(0), Expr(0), Expr(i), Expr(0)}, {1, 1, 1, 1}, {images, o.taps, Expr(1), o.windows});
    Value place = plus(op, op.b.reshape(moved, {images, o.taps, o.windows}), tapPlaces(op, o, i, wide));
    coordinates.push_back({op.b.reshape(place, {images, reads, Expr(1)}), op.b.dims({o.spatial[i]}, {}, op.b.int64())});
  }
  const Expr channels(o.channels / o.offsetGroups);
  Value image = op.b.reshape(op.value(0, "X"), {images, channels, graph::product(o.spatial)});
  Value read = interpolate(op, op.b.transpose(image, {0, 2, 1}), coordinates);
  if (op.has(4))
    read = times(op, read, op.b.reshape(perTap(op, o, 4, "mask", 1, wide), {images, reads, Expr(1)}));
  read = op.b.transpose(op.b.reshape(read, {images, o.taps, o.windows, channels}), {0, 3, 1, 2});
  const Expr sum = Expr(o.channels / o.groups) * o.taps;
  Value weights = op.b.reshape(op.value(1, "W"), {Expr(1), Expr(o.groups), Expr(o.columns / o.groups), sum});
  Value result = op.b.matmul(weights, op.b.cast(op.b.reshape(read, {o.batch, Expr(o.groups), sum, o.windows}), type));
  Exprs shape = {o.batch, Expr(o.columns)}, bias(2 + o.dims(), Expr(1));
  llvm::append_range(shape, o.window.places);
  bias[1] = Expr(o.columns);
  result = op.b.reshape(result, shape);
  op.result(op.has(3) ? plus(op, result, op.b.reshape(op.value(3, "B"), bias)) : result);
}

} // namespace cupola::onnx_import

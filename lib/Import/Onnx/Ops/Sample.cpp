//===- lib/Import/Onnx/Ops/Sample.cpp - reads at computed places -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

enum class Border { Zeros, Edge, Reflection };

/// One dimension of the samples: everything has the shape [N, 1, places].
struct Coordinate {
  Value exact;  ///< in elements, a float
  Value extent; ///< of the image, an int64 scalar
};

Type i64(OpBinder &op) { return IntegerType::get(op.b.context(), 64); }
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
  Value span = middles ? minus(op, extent, number(op, 1, place)) : extent;
  Value away = op.b.unary(UnaryKind::Abs, minus(op, place, low));
  Value turns = op.b.unary(UnaryKind::Floor, op.b.binary(BinaryKind::Div, away, span));
  Value rest = minus(op, away, times(op, turns, span));
  Value odd = op.b.binary(BinaryKind::Fmod, turns, number(op, 2, place));
  Value isBack = op.b.binary(BinaryKind::Greater, odd, number(op, 0.5, place));
  return plus(op, op.b.select(isBack, minus(op, span, rest), rest), low);
}

/// From -1..1 to elements.
Coordinate locate(OpBinder &op, Value grid, const Expr &size, bool middles, Border border) {
  Value extent = op.b.dims({size}, {}, i64(op)), wide = op.b.cast(extent, op.b.element(grid));
  Value one = number(op, 1, grid), half = number(op, 0.5, grid), shifted = plus(op, grid, one);
  Value exact = middles ? times(op, times(op, shifted, half), minus(op, wide, one))
                        : times(op, minus(op, times(op, shifted, wide), one), half);
  if (border == Border::Reflection)
    exact = reflect(op, exact, wide, middles);
  if (border != Border::Zeros)
    exact = clamp(op, exact, number(op, 0, grid), minus(op, wide, one));
  return {exact, extent};
}

/// The elements at whole coordinates [N, 1, places], 0 outside: [N, C, places].
Value elementsAt(OpBinder &op, Value image, ArrayRef<Coordinate> coordinates, ArrayRef<Value> places) {
  Value linear, inside, zero = op.b.intScalar(0, i64(op)), one = op.b.intScalar(1, i64(op));
  for (auto [coordinate, place] : llvm::zip_equal(coordinates, places)) {
    Value index = op.b.cast(place, i64(op));
    Value here = op.b.binary(BinaryKind::And, op.b.binary(BinaryKind::GreaterEqual, index, zero),
                             op.b.binary(BinaryKind::Less, index, coordinate.extent));
    index = clamp(op, index, zero, minus(op, coordinate.extent, one));
    linear = linear ? plus(op, times(op, linear, coordinate.extent), index) : index;
    inside = inside ? op.b.binary(BinaryKind::And, inside, here) : here;
  }
  Exprs dims = op.b.shape(image);
  dims[2] = op.b.shape(linear)[2];
  Value read = op.b.gatherElements(image, op.b.broadcast(linear, dims), 2);
  return op.b.select(inside, read, number(op, 0, image));
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
    Value term = times(op, elementsAt(op, image, coordinates, places), weight);
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
  const bool nearest = mode == "nearest";
  if (!nearest && mode != "linear" && mode != "bilinear")
    op.unsupported("attribute 'mode' is \"" + mode + "\", supported are linear and nearest");
  const Type type = op.element(0, "X");
  if (!nearest && type.isInteger(1))
    op.unsupported("input 0 (X) has elements of bool and mode is \"" + mode + "\", supported is nearest");
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
    place = op.b.cast(op.b.reshape(place, {batch, Expr(1), graph::product(wanted)}), wide);
    coordinates.push_back(locate(op, place, sizes[i], middles, border));
    rounded.push_back(op.b.unary(UnaryKind::Round, coordinates[i].exact));
  }
  Value image = op.b.reshape(op.value(0, "X"), {batch, shape[1], graph::product(sizes)});
  Value result = nearest ? elementsAt(op, image, coordinates, rounded)
                         : op.b.cast(interpolate(op, op.b.cast(image, wide), coordinates), type);
  Exprs whole = {batch, shape[1]};
  llvm::append_range(whole, wanted);
  op.result(op.b.reshape(result, whole));
}

} // namespace cupola::onnx_import

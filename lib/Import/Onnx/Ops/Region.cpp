//===- lib/Import/Onnx/Ops/Region.cpp - samples of regions of images -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Scatter.h"
#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// What the attributes of RoiAlign say.
struct Alignment {
  double scale;
  bool halfPixel; ///< whether coordinates are those of corners, not of middles
  bool largest;   ///< of the parts of all samples, instead of their mean
  int64_t height, width;
  int64_t samples; ///< along each dimension of a place; 0: one for each element that a place has, or part of one
};

/// Of a place along one dimension, and places of a region: what no image of today has.
constexpr int64_t mostSamples = 1 << 16;

constexpr StringRef alongRows = "the samples of a place along a row",
                    alongColumns = "the samples of a place along a column";

/// Along one dimension, for each region and sample [regions, places * most]: which elements are mixed, and how.
struct Samples {
  Value low, high, share; ///< share: of the upper one
  Value inside;           ///< the image
  Expr most;              ///< samples of a place of any region
  Value count, counts;    ///< where regions have numbers of samples of their own: [regions, 1]; and what counts
};

/// The images of X as [pixels of all of them, channels]: where a pixel is and what it counts is found once for all of
/// its channels, which lie side by side.
Value pixelsOf(OpBinder &op) {
  const Exprs shape = op.shape(0, "X");
  return op.b.reshape(op.b.transpose(op.value(0, "X"), {0, 2, 3, 1}), {shape[0] * shape[2] * shape[3], shape[1]});
}

/// Where among them the pixels of such images, rows and columns are; the shapes broadcast.
Value pixelAt(OpBinder &op, Value image, Value row, Value column) {
  const Exprs shape = op.shape(0, "X");
  const auto step = [&](Value outer, const Expr &extent, Value inner) {
    return op.b.binary(BinaryKind::Add, op.b.binary(BinaryKind::Mul, outer, op.b.integer(extent)), inner);
  };
  return step(step(image, shape[2], row), shape[3], column);
}

/// [regions, rows, columns, channels] with channels first.
Value channelsFirst(OpBinder &op, Value value) { return op.b.transpose(value, {0, 3, 1, 2}); }

/// A column of what describes regions [regions, columns], as [regions, 1].
Value columnOf(OpBinder &op, Value regions, int64_t column) {
  return op.b.slice(regions, {Expr(0), Expr(column)}, {1, 1}, {op.b.shape(regions)[0], Expr(1)});
}

/// The largest of numbers of int64, as an extent that data decide; 0 without regions.
Expr largestOf(OpBinder &op, Value counts, StringRef what) {
  Value most = op.b.reshape(op.b.reduce(ReduceKind::Max, counts, {0, 1}), {});
  most = op.b.binary(BinaryKind::Max, most, op.b.integer(Expr(0)));
  return readCount(op, most, what.str(), Expr(mostSamples));
}

class RoiAligner {
public:
  RoiAligner(OpBinder &op, const Alignment &a)
      : op(op), a(a), type(formulaType({op.element(0, "X"), op.element(1, "rois")})),
        i64(IntegerType::get(op.b.context(), 64)), regions(op.b.cast(op.value(1, "rois"), type)) {}

  Value align() {
    const Exprs shape = op.shape(0, "X");
    const Expr count = op.b.shape(regions)[0];
    const Samples y = along(1, a.height, shape[2]), x = along(0, a.width, shape[3]);
    Value pixels = pixelsOf(op);
    Value batch = scatter::fromFront(op, op.value(2, "batch_indices"), shape[0]);
    batch = op.b.reshape(batch, {count, Expr(1), Expr(1)});
    const auto part = [&](bool lower, bool left) {
      Value index =
          pixelAt(op, batch, op.b.unsqueeze(lower ? y.low : y.high, {2}), op.b.unsqueeze(left ? x.low : x.high, {1}));
      Value weight = ofBoth(BinaryKind::Mul, lower ? rest(y.share) : y.share, left ? rest(x.share) : x.share);
      return binary(BinaryKind::Mul, op.b.cast(op.b.gather(pixels, index, 0), type), weight);
    };
    const BinaryKind kind = a.largest ? BinaryKind::Max : BinaryKind::Add;
    Value value = binary(kind, binary(kind, part(true, true), part(true, false)),
                         binary(kind, part(false, true), part(false, false)));
    value = op.b.select(ofBoth(BinaryKind::And, y.inside, x.inside), value, number(0));
    if (y.count)
      value = op.b.select(ofBoth(BinaryKind::And, y.counts, x.counts), value, number(a.largest ? -INFINITY : 0));
    value = op.b.reshape(value, {count, a.height, y.most, a.width, x.most, shape[1]});
    value = op.b.squeeze(op.b.reduce(reduction(), value, {2, 4}), {2, 4});
    if (y.count)
      value = ofSome(value, ofBoth(BinaryKind::Mul, y.count, x.count));
    return op.b.cast(channelsFirst(op, value), op.element(0, "X"));
  }

private:
  Value binary(BinaryKind kind, Value x, Value y) { return op.b.binary(kind, x, y); }
  Value number(double value) { return op.b.scalar(value, type); }
  Value rest(Value share) { return binary(BinaryKind::Sub, number(1), share); }
  /// Of all rows and columns of a region: [regions, rows, columns, 1].
  Value ofBoth(BinaryKind kind, Value y, Value x) {
    return binary(kind, op.b.unsqueeze(y, {2, 3}), op.b.unsqueeze(x, {1, 3}));
  }

  ReduceKind reduction() const {
    return a.largest ? ReduceKind::Max : a.samples == 0 ? ReduceKind::Sum : ReduceKind::Mean;
  }

  /// Of regions that have `count` [regions, 1, 1, 1] samples for each place; 0 of none.
  Value ofSome(Value value, Value count) {
    if (!a.largest)
      return binary(BinaryKind::Div, value, binary(BinaryKind::Max, count, number(1)));
    return op.b.select(binary(BinaryKind::Greater, count, number(0)), value, number(0));
  }

  /// A coordinate of all regions in elements of X: [regions, 1].
  Value edge(int64_t column) {
    Value line = columnOf(op, regions, column);
    return binary(BinaryKind::Sub, binary(BinaryKind::Mul, line, number(a.scale)), number(a.halfPixel ? 0.5 : 0));
  }

  Samples along(int64_t column, int64_t places, const Expr &extent) {
    Value begin = edge(column), size = binary(BinaryKind::Sub, edge(column + 2), begin);
    if (!a.halfPixel)
      size = binary(BinaryKind::Max, size, number(1));
    Value bin = binary(BinaryKind::Div, size, number(static_cast<double>(places)));
    Samples result;
    result.most = Expr(a.samples);
    if (a.samples == 0)
      countSamples(bin, column, result);
    Value step = op.b.iota({Expr(1), result.most * places}, 1), most = op.b.integer(result.most);
    Value place = op.b.cast(binary(BinaryKind::Div, step, most), type);
    Value sample = op.b.cast(binary(BinaryKind::Mod, step, most), type);
    if (result.count)
      result.counts = binary(BinaryKind::Less, sample, result.count);
    Value count = result.count ? result.count : op.b.cast(most, type);
    sample = binary(BinaryKind::Div, binary(BinaryKind::Add, sample, number(0.5)), count);
    Value at = binary(BinaryKind::Add, begin, binary(BinaryKind::Mul, binary(BinaryKind::Add, place, sample), bin));
    Value wide = op.b.cast(op.b.integer(extent), type), last = binary(BinaryKind::Sub, wide, number(1));
    Value inside = binary(BinaryKind::And, binary(BinaryKind::GreaterEqual, at, number(-1)),
                          binary(BinaryKind::LessEqual, at, wide));
    at = binary(BinaryKind::Min, binary(BinaryKind::Max, at, number(0)), last);
    Value low = op.b.unary(UnaryKind::Floor, at),
          high = binary(BinaryKind::Min, binary(BinaryKind::Add, low, number(1)), last);
    result.low = op.b.cast(low, i64), result.high = op.b.cast(high, i64);
    result.share = binary(BinaryKind::Sub, at, low), result.inside = inside;
    return result;
  }

  /// One sample for each element, or part of one, of places of the size `bin`. Regions have as many as the largest one,
  /// of which not all count.
  void countSamples(Value bin, int64_t column, Samples &result) {
    result.count = binary(BinaryKind::Max, op.b.unary(UnaryKind::Ceil, bin), number(0));
    result.most = largestOf(op, op.b.cast(result.count, i64), column == 0 ? alongRows : alongColumns);
  }

  OpBinder &op;
  const Alignment &a;
  const Type type, i64;
  Value regions;
};

/// MaxRoiPool: whole elements of regions whose ends are rounded, as Fast R-CNN has it (Girshick 2015, section 2.1).
class RoiPooler {
public:
  explicit RoiPooler(OpBinder &op)
      : op(op), type(formulaType({op.element(1, "rois")})), scale(op.floatAttribute("spatial_scale", 1)),
        regions(op.b.cast(op.value(1, "rois"), type)) {}

  Value pool(int64_t height, int64_t width) {
    const Exprs shape = op.shape(0, "X");
    const Expr count = op.b.shape(regions)[0];
    const Part y = along(2, height, shape[2]), x = along(1, width, shape[3]);
    Value batch = op.b.cast(columnOf(op, regions, 0), op.b.int64());
    batch = op.b.reshape(scatter::fromFront(op, batch, shape[0]), {count, Expr(1), Expr(1), Expr(1), Expr(1)});
    Value value = op.b.gather(pixelsOf(op), pixelAt(op, batch, rows(y.element), columns(x.element)), 0);
    Value counts = op.b.unsqueeze(binary(BinaryKind::And, rows(y.counts), columns(x.counts)), {5});
    value = op.b.select(counts, value, op.b.scalar(-INFINITY, op.element(0, "X")));
    value = op.b.squeeze(op.b.reduce(ReduceKind::Max, value, {2, 4}), {2, 4});
    Value some = binary(BinaryKind::And, op.b.unsqueeze(y.some, {2, 3}), op.b.unsqueeze(x.some, {1, 3}));
    value = op.b.select(some, value, op.b.scalar(0, op.element(0, "X")));
    return channelsFirst(op, value);
  }

private:
  /// Of places along one dimension.
  struct Part {
    Value element, counts; ///< [regions, places, most of any place]: where one lies, and whether it is of the place
    Value some;            ///< [regions, places]: whether a place has elements
  };

  Value binary(BinaryKind kind, Value x, Value y) { return op.b.binary(kind, x, y); }
  Value number(double value) { return op.b.scalar(value, type); }
  /// [regions, places, elements] among [regions, rows, elements of rows, columns, elements of columns].
  Value rows(Value value) { return op.b.unsqueeze(value, {3, 4}); }
  Value columns(Value value) { return op.b.unsqueeze(value, {1, 2}); }

  /// The element that a coordinate of the regions is nearest to; of two the one further from 0.
  Value nearest(int64_t column) {
    Value at = binary(BinaryKind::Mul, columnOf(op, regions, column), number(scale)), half = number(0.5);
    return op.b.select(binary(BinaryKind::Less, at, number(0)),
                       op.b.unary(UnaryKind::Ceil, binary(BinaryKind::Sub, at, half)),
                       op.b.unary(UnaryKind::Floor, binary(BinaryKind::Add, at, half)));
  }

  Part along(int64_t column, int64_t places, const Expr &extent) {
    Value begin = nearest(column), size = binary(BinaryKind::Sub, nearest(column + 2), begin);
    size = binary(BinaryKind::Max, binary(BinaryKind::Add, size, number(1)), number(1));
    Value bin = binary(BinaryKind::Div, size, number(static_cast<double>(places)));
    Value place = op.b.cast(op.b.iota({Expr(1), Expr(places)}, 1), type);
    const auto end = [&](UnaryKind rounding, Value place) {
      Value at = binary(BinaryKind::Add, begin, op.b.unary(rounding, binary(BinaryKind::Mul, place, bin)));
      at = binary(BinaryKind::Max, op.b.cast(at, op.b.int64()), op.b.integer(Expr(0)));
      return binary(BinaryKind::Min, at, op.b.integer(extent));
    };
    Value first = end(UnaryKind::Floor, place);
    Value count = end(UnaryKind::Ceil, binary(BinaryKind::Add, place, number(1)));
    count = binary(BinaryKind::Sub, count, first);
    const Expr most = largestOf(op, count, column == 1 ? alongRows : alongColumns);
    Value step = op.b.iota({Expr(1), Expr(1), most}, 2);
    Value element = binary(BinaryKind::Add, op.b.unsqueeze(first, {2}), step);
    return {binary(BinaryKind::Min, element, op.b.integer(extent - Expr(1))),
            binary(BinaryKind::Less, step, op.b.unsqueeze(count, {2})),
            binary(BinaryKind::Greater, count, op.b.integer(Expr(0)))};
  }

  OpBinder &op;
  const Type type;
  const double scale;
  Value regions;
};

void requireRegions(OpBinder &op) {
  op.requireFloat(0, "X");
  op.requireFloat(1, "rois");
  op.requireIndex(2, "batch_indices");
  const Exprs image = op.shape(0, "X"), regions = op.shape(1, "rois"), batch = op.shape(2, "batch_indices");
  if (image.size() != 4 || regions.size() != 2 || batch.size() != 1)
    op.bad("X, rois and batch_indices have the shapes " + shapeText(image) + ", " + shapeText(regions) + " and " +
           shapeText(batch) + ", expected ranks 4, 2 and 1");
  op.b.sameExtent(regions[1], Expr(4), "the coordinates of a region and 4");
  op.b.sameExtent(regions[0], batch[0], "the extents of rois and batch_indices");
}

void roiAlign(OpBinder &op, bool halfPixel) {
  requireRegions(op);
  const std::string mode = op.stringAttribute("mode", "avg");
  if (mode != "avg" && mode != "max")
    op.bad("attribute 'mode' is '" + printable(mode) + "', expected avg or max");
  const Alignment a{op.floatAttribute("spatial_scale", 1),
                    halfPixel,
                    mode == "max",
                    op.intAttribute("output_height", 1),
                    op.intAttribute("output_width", 1),
                    op.intAttribute("sampling_ratio", 0)};
  for (const int64_t count : {a.height, a.width, std::max<int64_t>(a.samples, 1)})
    if (count < 1 || count > mostSamples || a.samples < 0)
      op.bad("output_height, output_width and sampling_ratio are " + listText({a.height, a.width, a.samples}) +
             ", expected numbers from 1 (sampling_ratio: 0) to " + std::to_string(mostSamples));
  op.result(RoiAligner(op, a).align());
}

} // namespace

void importMaxRoiPool(OpBinder &op) {
  op.requireFloat(0, "X");
  op.requireFloat(1, "rois");
  const Exprs image = op.shape(0, "X"), regions = op.shape(1, "rois");
  if (image.size() != 4 || regions.size() != 2)
    op.bad("X and rois have the shapes " + shapeText(image) + " and " + shapeText(regions) +
           ", expected ranks 4 and 2");
  op.b.sameExtent(regions[1], Expr(5), "the numbers of a region and 5");
  const auto listed = op.intsAttribute("pooled_shape");
  const std::vector<int64_t> places(listed ? listed->begin() : nullptr, listed ? listed->end() : nullptr);
  const auto counts = [](int64_t count) { return count >= 1 && count <= mostSamples; };
  if (places.size() != 2 || !llvm::all_of(places, counts))
    op.bad("attribute 'pooled_shape' is " + listText(places) + ", expected two numbers from 1 to " +
           std::to_string(mostSamples));
  op.result(RoiPooler(op).pool(places[0], places[1]));
}

void importRoiAlign10(OpBinder &op) { roiAlign(op, /*halfPixel=*/false); }

void importRoiAlign(OpBinder &op) {
  const std::string mode = op.stringAttribute("coordinate_transformation_mode", "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    op.bad("attribute 'coordinate_transformation_mode' is '" + printable(mode) +
           "', expected half_pixel or output_half_pixel");
  roiAlign(op, mode == "half_pixel");
}

} // namespace cupola::onnx_import

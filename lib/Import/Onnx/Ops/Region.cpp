//===- lib/Import/Onnx/Ops/Region.cpp - samples of regions of images -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Scatter.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// What the attributes of RoiAlign say.
struct Alignment {
  double scale;
  bool halfPixel; ///< whether coordinates are those of corners, not of middles
  bool largest;   ///< of the parts of all samples, instead of their mean
  int64_t height, width, samples;
};

/// Along one dimension, for each region and place [regions, places]: which elements are mixed, and how.
struct Samples {
  Value low, high, share; ///< share: of the upper one
  Value inside;
};

class RoiAligner {
public:
  RoiAligner(OpBinder &op, const Alignment &a)
      : op(op), a(a), type(formulaType({op.element(0, "X"), op.element(1, "rois")})),
        i64(IntegerType::get(op.b.context(), 64)), regions(op.b.cast(op.value(1, "rois"), type)) {}

  Value align() {
    const Exprs shape = op.shape(0, "X");
    const Expr count = op.b.shape(regions)[0], pixels = shape[0] * shape[2] * shape[3];
    const Samples y = along(1, a.height, shape[2]), x = along(0, a.width, shape[3]);
    Value planes = op.b.reshape(op.b.transpose(op.value(0, "X"), {1, 0, 2, 3}), {shape[1], pixels});
    planes = op.b.cast(planes, type);
    Value batch = scatter::fromFront(op, op.value(2, "batch_indices"), shape[0]);
    batch = binary(BinaryKind::Mul, op.b.reshape(batch, {count, Expr(1)}), op.b.integer(shape[2]));
    const auto part = [&](bool lower, bool left) {
      Value row = binary(BinaryKind::Add, batch, lower ? y.low : y.high);
      Value line = op.b.unsqueeze(binary(BinaryKind::Mul, row, op.b.integer(shape[3])), {2});
      Value index = binary(BinaryKind::Add, line, op.b.unsqueeze(left ? x.low : x.high, {1}));
      Value weight = binary(BinaryKind::Mul, op.b.unsqueeze(lower ? rest(y.share) : y.share, {2}),
                            op.b.unsqueeze(left ? rest(x.share) : x.share, {1}));
      return binary(BinaryKind::Mul, op.b.gather(planes, index, 1), weight);
    };
    const BinaryKind kind = a.largest ? BinaryKind::Max : BinaryKind::Add;
    Value value = binary(kind, binary(kind, part(true, true), part(true, false)),
                         binary(kind, part(false, true), part(false, false)));
    Value inside = binary(BinaryKind::And, op.b.unsqueeze(y.inside, {2}), op.b.unsqueeze(x.inside, {1}));
    value = op.b.select(inside, value, number(0));
    value = op.b.reshape(value, {shape[1], count, a.height, a.samples, a.width, a.samples});
    value = op.b.squeeze(op.b.reduce(a.largest ? ReduceKind::Max : ReduceKind::Mean, value, {3, 5}), {3, 5});
    return op.b.cast(op.b.transpose(value, {1, 0, 2, 3}), op.element(0, "X"));
  }

private:
  Value binary(BinaryKind kind, Value x, Value y) { return op.b.binary(kind, x, y); }
  Value number(double value) { return op.b.scalar(value, type); }
  Value rest(Value share) { return binary(BinaryKind::Sub, number(1), share); }

  /// A coordinate of all regions in elements of X: [regions, 1].
  Value edge(int64_t column) {
    const Expr count = op.b.shape(regions)[0];
    Value line = op.b.slice(regions, {Expr(0), Expr(column)}, {1, 1}, {count, Expr(1)});
    return binary(BinaryKind::Sub, binary(BinaryKind::Mul, line, number(a.scale)), number(a.halfPixel ? 0.5 : 0));
  }

  Samples along(int64_t column, int64_t places, const Expr &extent) {
    Value begin = edge(column), size = binary(BinaryKind::Sub, edge(column + 2), begin);
    if (!a.halfPixel)
      size = binary(BinaryKind::Max, size, number(1));
    Value bin = binary(BinaryKind::Div, size, number(static_cast<double>(places)));
    Value step = op.b.iota({Expr(1), Expr(places * a.samples)}, 1), samples = op.b.intScalar(a.samples, i64);
    Value place = op.b.cast(binary(BinaryKind::Div, step, samples), type);
    Value sample = op.b.cast(binary(BinaryKind::Mod, step, samples), type);
    sample = binary(BinaryKind::Div, binary(BinaryKind::Add, sample, number(0.5)), op.b.cast(samples, type));
    Value at = binary(BinaryKind::Add, begin, binary(BinaryKind::Mul, binary(BinaryKind::Add, place, sample), bin));
    Value wide = op.b.cast(op.b.integer(extent), type), last = binary(BinaryKind::Sub, wide, number(1));
    Value inside = binary(BinaryKind::And, binary(BinaryKind::GreaterEqual, at, number(-1)),
                          binary(BinaryKind::LessEqual, at, wide));
    at = binary(BinaryKind::Min, binary(BinaryKind::Max, at, number(0)), last);
    Value low = op.b.unary(UnaryKind::Floor, at),
          high = binary(BinaryKind::Min, binary(BinaryKind::Add, low, number(1)), last);
    return {op.b.cast(low, i64), op.b.cast(high, i64), binary(BinaryKind::Sub, at, low), inside};
  }

  OpBinder &op;
  const Alignment &a;
  const Type type, i64;
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
  if (a.samples == 0)
    op.unsupported("sampling_ratio is 0, so that the size of a region says how many samples there are, supported are "
                   "numbers from 1 on");
  constexpr int64_t most = 1 << 16;
  for (const int64_t count : {a.height, a.width, a.samples})
    if (count < 1 || count > most)
      op.bad("output_height, output_width and sampling_ratio are " + listText({a.height, a.width, a.samples}) +
             ", expected numbers from 1 to " + std::to_string(most));
  op.result(RoiAligner(op, a).align());
}

} // namespace

void importRoiAlign10(OpBinder &op) { roiAlign(op, /*halfPixel=*/false); }

void importRoiAlign(OpBinder &op) {
  const std::string mode = op.stringAttribute("coordinate_transformation_mode", "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    op.bad("attribute 'coordinate_transformation_mode' is '" + printable(mode) +
           "', expected half_pixel or output_half_pixel");
  roiAlign(op, mode == "half_pixel");
}

} // namespace cupola::onnx_import

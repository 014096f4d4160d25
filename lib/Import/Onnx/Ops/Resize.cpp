//===- lib/Import/Onnx/Ops/Resize.cpp - interpolation ----------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Interpolation.h"
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using Mode = Interpolation::Mode;

Mode modeNamed(OpBinder &op, StringRef fallback) {
  const std::string mode = op.stringAttribute("mode", fallback);
  if (mode == "nearest")
    return Mode::Nearest;
  if (mode == "linear" || mode == "bilinear" || mode == "trilinear")
    return Mode::Linear;
  if (mode == "cubic")
    return Mode::Cubic;
  op.bad("attribute 'mode' is '" + printable(mode) + "', expected nearest, linear or cubic");
}

bool isResized(const ResizedDimension &dimension) {
  const bool isScaled = !dimension.scale.isConstant() || dimension.scale.asDouble() != 1;
  return dimension.in != dimension.out || isScaled || dimension.begin;
}

void resize(OpBinder &op, const Interpolation &how, ArrayRef<ResizedDimension> dimensions) {
  if (llvm::none_of(dimensions, isResized))
    return op.result(op.tensor(0, "X"));
  const auto alongEach = [&](Value value) {
    for (const ResizedDimension &dimension : dimensions)
      if (isResized(dimension))
        value = interpolate(op.b, value, how, dimension);
    return value;
  };
  if (how.mode == Mode::Nearest)
    return op.result(alongEach(op.value(0, "X")));
  if (op.element(0, "X").isInteger(1))
    op.unsupported("input 0 (X) has elements of bool, supported for modes other than nearest are numbers");
  op.result(roundedOnce(op.b, op.value(0, "X"), alongEach));
}

/// floor(extent * scale), multiplied in f32, which scales are. A float is a whole number of 2^-e.
Expr scaledExtent(OpBinder &op, const Expr &extent, const Scalar &scale) {
  Expr num = scale.num, den = scale.den;
  if (scale.isConstant()) {
    const double number = scale.asDouble();
    if (!(number > 0) || number > 65536)
      op.bad("a scale is " + std::to_string(number) + ", expected a number above 0 and at most 65536");
    const auto length = static_cast<float>(extent.constant().value_or(0));
    if (extent.constant())
      return Expr(static_cast<int64_t>(std::floor(length * static_cast<float>(number))));
    if (const auto whole = wholeProduct({extent, number, false}, /*up=*/false))
      return op.b.extent(simplify(*whole, op.b.ranges()), "an extent");
    int64_t power = 1;
    while (number * power != std::floor(number * power) && power < (int64_t(1) << 40))
      power *= 2;
    num = Expr(static_cast<int64_t>(number * power));
    den = Expr(power);
  }
  return op.b.extent(simplify(floorDiv(extent * num, den), op.b.ranges()), "an extent");
}

/// The elements of an operand, one per entry of `axes`.
std::vector<Scalar> knownNumbers(OpBinder &op, size_t index, StringRef name, size_t count) {
  std::vector<Scalar> elements = op.numbers(index, name).elements;
  if (elements.size() != count)
    op.bad(operandText(index, name) + " has " + std::to_string(elements.size()) + " elements, expected " +
           std::to_string(count));
  return elements;
}

std::vector<ResizedDimension> fromScales(OpBinder &op, const Ints &axes, ArrayRef<Scalar> scales) {
  const Exprs shape = op.shape(0, "X");
  std::vector<ResizedDimension> dimensions;
  for (auto [axis, scale] : llvm::zip_equal(axes, scales))
    dimensions.push_back({axis, shape[axis], scaledExtent(op, shape[axis], scale), scale});
  return dimensions;
}

/// 1 of an extent that stays as it is, known or not.
Scalar scaleBetween(OpBinder &op, const Expr &in, const Expr &out) {
  if (in.constant() && out.constant())
    return Scalar::constant(static_cast<double>(*out.constant()) / static_cast<double>(*in.constant()));
  return proveEqual(in, out, op.b.ranges()).value_or(false) ? Scalar::constant(1) : Scalar::ratio(out, in);
}

std::vector<ResizedDimension> fromSizes(OpBinder &op, const Ints &axes) {
  const Exprs shape = op.shape(0, "X");
  std::vector<ResizedDimension> dimensions;
  for (auto [axis, size] : llvm::zip_equal(axes, knownNumbers(op, 3, "sizes", axes.size()))) {
    if (size.kind != Scalar::Kind::Int)
      op.bad("input 3 (sizes) holds floats, expected integers");
    const auto out = size.num.constant();
    if (out && *out < 1)
      op.bad("input 3 (sizes) has the extent " + std::to_string(*out) + ", expected at least 1");
    const Expr extent = op.b.bounded(size.num, "an entry of sizes", 1, 0);
    dimensions.push_back({axis, shape[axis], extent, scaleBetween(op, shape[axis], extent)});
  }
  return dimensions;
}

/// The same where extents are known when shapes are bound: with exact fractions.
void keepOpenRatio(OpBinder &op, BinaryKind which, std::vector<ResizedDimension> &dimensions) {
  const Type f32 = Float32Type::get(op.b.context());
  const auto scaleOf = [](const ResizedDimension &d) { return Scalar{Scalar::Kind::Ratio, d.out, d.in, 0, {}}; };
  Scalar best = scaleOf(dimensions.front());
  for (const ResizedDimension &d : llvm::drop_begin(dimensions)) {
    const auto next = computeBinary(which, best, scaleOf(d), f32, op.b.ranges());
    if (!next)
      op.undecided({d.in, d.out}, "keep_aspect_ratio_policy is given for extents that are not constant");
    best = *next;
  }
  for (ResizedDimension &d : dimensions) {
    d.scale = best;
    d.out = op.b.extent(floorDiv(2 * best.num * d.in + best.den, 2 * best.den), "an extent");
  }
}

/// One scale for all dimensions, so that none exceeds (or falls short of) its size.
void keepAspectRatio(OpBinder &op, const std::string &policy, std::vector<ResizedDimension> &dimensions) {
  if (policy == "stretch")
    return;
  if (policy != "not_larger" && policy != "not_smaller")
    op.bad("attribute 'keep_aspect_ratio_policy' is '" + printable(policy) +
           "', expected stretch, not_larger or not_smaller");
  const bool isLeast = policy == "not_larger";
  if (llvm::any_of(dimensions, [](const ResizedDimension &d) { return !d.in.constant() || !d.out.constant(); }))
    return keepOpenRatio(op, isLeast ? BinaryKind::Min : BinaryKind::Max, dimensions);
  std::optional<double> best;
  for (const ResizedDimension &d : dimensions) {
    const double scale = static_cast<double>(*d.out.constant()) / static_cast<double>(*d.in.constant());
    best = !best ? scale : isLeast ? std::min(*best, scale) : std::max(*best, scale);
  }
  for (ResizedDimension &d : dimensions) {
    d.scale = Scalar::constant(*best);
    d.out = Expr(static_cast<int64_t>(std::floor(*best * static_cast<double>(*d.in.constant()) + 0.5)));
  }
}

Interpolation readAttributes(OpBinder &op) {
  static constexpr StringRef coordinates[] = {"half_pixel",        "pytorch_half_pixel",   "align_corners",
                                              "asymmetric",        "half_pixel_symmetric", "tf_half_pixel_for_nn",
                                              "tf_crop_and_resize"};
  static constexpr StringRef roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  Interpolation a;
  a.mode = modeNamed(op, "nearest");
  a.coordinates = op.stringAttribute("coordinate_transformation_mode", "half_pixel");
  if (!llvm::is_contained(coordinates, a.coordinates))
    op.bad("attribute 'coordinate_transformation_mode' is '" + printable(a.coordinates) +
           "', expected half_pixel, pytorch_half_pixel, align_corners, asymmetric, half_pixel_symmetric, "
           "tf_half_pixel_for_nn or tf_crop_and_resize");
  a.rounding = op.stringAttribute("nearest_mode", "round_prefer_floor");
  if (!llvm::is_contained(roundings, a.rounding))
    op.bad("attribute 'nearest_mode' is '" + printable(a.rounding) +
           "', expected round_prefer_floor, round_prefer_ceil, floor or ceil");
  a.cubicA = op.floatAttribute("cubic_coeff_a", -0.75);
  a.excludeOutside = op.intAttribute("exclude_outside", 0) != 0;
  a.extrapolation = op.floatAttribute("extrapolation_value", 0);
  a.antialias = op.intAttribute("antialias", 0) != 0;
  if (a.antialias && a.mode == Mode::Nearest)
    op.bad("antialias is 1 and attribute 'mode' is 'nearest', expected linear or cubic");
  return a;
}

/// tf_crop_and_resize: input 1 has the first place of each dimension, then the last ones.
void readRegion(OpBinder &op, std::vector<ResizedDimension> &dimensions) {
  const auto count = static_cast<int64_t>(dimensions.size());
  op.requireFloat(1, "roi");
  const Exprs given = op.shape(1, "roi");
  if (given.size() != 1)
    op.bad("input 1 (roi) has the shape " + shapeText(given) + ", expected rank 1");
  op.b.sameExtent(given[0], Expr(2 * count), "the extent of roi and two numbers per axis");
  const Known *known = op.known(1);
  const auto is = [&](int64_t i, double number) {
    return known && known->elements[i].isConstant() && known->elements[i].asDouble() == number;
  };
  const auto part = [&](int64_t i) {
    return op.b.squeeze(op.b.slice(op.value(1, "roi"), {Expr(i)}, {1}, {Expr(1)}), {0});
  };
  for (int64_t i = 0; i < count; ++i) {
    ResizedDimension &d = dimensions[i];
    if (d.in == d.out && is(i, 0) && is(i + count, 1))
      continue; // every element stays where it is
    d.begin = part(i), d.end = part(i + count);
  }
}

/// Up to opset 10: places are index / scale, rounded down.
void resizeByScales(OpBinder &op, ArrayRef<Scalar> scales) {
  Interpolation a;
  a.mode = modeNamed(op, "nearest");
  a.coordinates = "asymmetric";
  a.rounding = "floor";
  resize(op, a, fromScales(op, sequence(0, op.rank(0, "X")), scales));
}

} // namespace

void importUpsampleAttribute(OpBinder &op) {
  const auto given = op.floatsAttribute("scales");
  const size_t rank = static_cast<size_t>(op.rank(0, "X"));
  if (!given || given->size() != rank)
    op.bad("attribute 'scales' has " + std::to_string(given ? given->size() : 0) + " entries, expected " +
           std::to_string(rank));
  std::vector<Scalar> scales;
  for (double scale : *given)
    scales.push_back(Scalar::constant(scale));
  resizeByScales(op, scales);
}

void importResize10(OpBinder &op) {
  resizeByScales(op, knownNumbers(op, 1, "scales", static_cast<size_t>(op.rank(0, "X"))));
}

void importResize(OpBinder &op) {
  const Interpolation a = readAttributes(op);
  const std::string policy = op.stringAttribute("keep_aspect_ratio_policy", "stretch");
  const int64_t rank = op.rank(0, "X");
  Ints axes = sequence(0, rank);
  if (const auto given = op.intsAttribute("axes")) {
    axes.clear();
    for (int64_t axis : *given) // in the order in which scales and sizes name them
      axes.push_back(op.axis(axis, rank, "axes"));
  }
  const Known *scales = op.has(2) ? op.known(2) : nullptr;
  const bool hasScales = op.has(2) && !(op.has(3) && scales && scales->elements.empty());
  if (!hasScales && !op.has(3))
    op.bad("neither input 2 (scales) nor 3 (sizes) is there, expected one of them");
  std::vector<ResizedDimension> dimensions =
      hasScales ? fromScales(op, axes, knownNumbers(op, 2, "scales", axes.size())) : fromSizes(op, axes);
  if (!hasScales)
    keepAspectRatio(op, policy, dimensions);
  if (a.coordinates == "tf_crop_and_resize") {
    if (hasScales) // onnx's text and its reference find different extents
      op.unsupported("input 2 (scales) is given for tf_crop_and_resize, supported is input 3 (sizes)");
    readRegion(op, dimensions);
  }
  resize(op, a, dimensions);
}

} // namespace cupola::onnx_import

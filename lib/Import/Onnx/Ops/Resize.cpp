//===- lib/Import/Onnx/Ops/Resize.cpp - interpolation ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Dimension by dimension: where an element of the result lies in the input is float
// arithmetic on its index, and the elements around that place are gathered and mixed.
// Repeating by a whole factor is a view.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Text.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

enum class Mode { Nearest, Linear, Cubic };

struct Attributes {
  Mode mode = Mode::Nearest;
  std::string coordinates = "half_pixel", rounding = "round_prefer_floor";
  double cubicA = -0.75;
  bool excludeOutside = false;
};

/// A dimension that changes: `scale` is what the model gives, or the quotient of the
/// extents where it gives sizes.
struct Dimension {
  int64_t axis;
  Expr in, out;
  Scalar scale;
};

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

/// Interpolates along one dimension.
class Axis {
public:
  Axis(OpBinder &op, const Attributes &attributes, const Dimension &dimension)
      : b(op.b), a(attributes), d(dimension), f32(Float32Type::get(op.b.context())),
        i64(IntegerType::get(op.b.context(), 64)) {}

  Value resize(Value data) {
    if (a.mode == Mode::Nearest) {
      if (std::optional<int64_t> factor = repeats())
        return repeat(data, *factor);
      return pick(data, nearest(place()));
    }
    return a.mode == Mode::Linear ? linear(data) : cubic(data);
  }

private:
  Value number(double value) { return b.scalar(value, f32); }
  Value number(const Expr &value) {
    if (value.constant())
      return number(static_cast<double>(*value.constant()));
    return b.cast(b.dims({value}, {}, i64), f32);
  }
  Value number(const Scalar &value) {
    if (value.isConstant())
      return number(static_cast<float>(value.asDouble()));
    return divide(number(value.num), number(value.den));
  }
  Value add(Value x, Value y) { return b.binary(BinaryKind::Add, x, y); }
  Value subtract(Value x, Value y) { return b.binary(BinaryKind::Sub, x, y); }
  Value multiply(Value x, Value y) { return b.binary(BinaryKind::Mul, x, y); }
  Value divide(Value x, Value y) { return b.binary(BinaryKind::Div, x, y); }
  Value floor(Value x) { return b.unary(UnaryKind::Floor, x); }

  /// The factor of a resize that repeats every element: with whole factors, these forms
  /// of rounding find the same element.
  std::optional<int64_t> repeats() const {
    if (!d.scale.isConstant())
      return std::nullopt;
    const double scale = d.scale.asDouble();
    const bool centred = a.coordinates == "half_pixel" || a.coordinates == "pytorch_half_pixel";
    const bool same = (centred && StringRef(a.rounding).starts_with("round")) ||
                      (a.coordinates == "asymmetric" && a.rounding == "floor");
    const int64_t factor = static_cast<int64_t>(scale);
    if (!same || scale != static_cast<double>(factor) || d.out != d.in * Expr(factor))
      return std::nullopt;
    return factor;
  }

  Value repeat(Value data, int64_t factor) {
    Exprs dims = b.shape(data), apart = dims;
    apart.insert(apart.begin() + d.axis + 1, Expr(factor));
    dims[d.axis] = d.out;
    return b.reshape(b.broadcast(b.unsqueeze(data, {d.axis + 1}), apart), dims);
  }

  /// Where the elements of the result lie in the input.
  Value place() {
    Value x = b.cast(b.iota({d.out}, 0), f32);
    const std::string &mode = a.coordinates;
    if (mode == "asymmetric")
      return divide(x, number(d.scale));
    if (mode == "align_corners") {
      const Expr last = max(Expr(1), d.out - 1); // one element stays where it is
      return divide(multiply(x, number(d.in - 1)), number(simplify(last, b.ranges())));
    }
    Value centre = divide(add(x, number(0.5)), number(d.scale));
    if (mode == "tf_half_pixel_for_nn")
      return centre;
    Value middle = subtract(centre, number(0.5));
    if (mode == "half_pixel")
      return middle;
    if (mode == "pytorch_half_pixel")
      return d.out.isConstant(1) ? number(0.0) : middle;
    return add(symmetricOffset(), middle);
  }

  /// half_pixel_symmetric keeps the middle where extents were rounded.
  Value symmetricOffset() {
    Value adjustment = divide(number(d.out), multiply(number(d.scale), number(d.in)));
    return multiply(divide(number(d.in), number(2.0)), subtract(number(1.0), adjustment));
  }

  Value nearest(Value x) {
    if (a.rounding == "round_prefer_floor")
      return b.unary(UnaryKind::Ceil, subtract(x, number(0.5)));
    if (a.rounding == "round_prefer_ceil")
      return floor(add(x, number(0.5)));
    return a.rounding == "ceil" ? b.unary(UnaryKind::Ceil, x) : floor(x);
  }

  Value clamp(Value x) {
    return b.binary(BinaryKind::Min, b.binary(BinaryKind::Max, x, number(0.0)), number(d.in - 1));
  }
  /// The elements at whole places, the border's where they lie outside.
  Value pick(Value data, Value x) { return b.gather(data, vectorOf(b.cast(clamp(x), i64)), d.axis); }

  Value vectorOf(Value x) { return b.broadcast(x, {d.out}); }

  /// A number per element of the result, to multiply with `data`'s type.
  Value weight(Value w, Value data) {
    Exprs dims(b.shape(data).size(), Expr(1));
    dims[d.axis] = d.out;
    return b.reshape(vectorOf(w), dims);
  }

  Value linear(Value data) {
    Value x = clamp(place()), low = floor(x), share = subtract(x, low);
    Value wide = b.cast(data, f32);
    Value left = pick(wide, low), right = pick(wide, add(low, number(1.0)));
    Value mixed = add(multiply(left, weight(subtract(number(1.0), share), data)), multiply(right, weight(share, data)));
    return b.cast(mixed, b.element(data));
  }

  /// Keys, "Cubic convolution interpolation for digital image processing", 1981: the
  /// weight of an element at distance `t`, below 1 (`near`) or from 1 to 2.
  Value cubicWeight(Value t, bool near) {
    const double A = a.cubicA;
    const auto horner = [&](std::initializer_list<double> coefficients) {
      Value sum;
      for (double coefficient : coefficients)
        sum = sum ? add(multiply(sum, t), number(coefficient)) : number(coefficient);
      return sum;
    };
    return near ? horner({A + 2, -(A + 3), 0, 1}) : horner({A, -5 * A, 8 * A, -4 * A});
  }

  Value cubic(Value data) {
    Value x = place(), low = floor(x), share = subtract(x, low), wide = b.cast(data, f32), sum, total;
    for (int64_t offset = -1; offset <= 2; ++offset) {
      Value at = add(low, number(double(offset)));
      Value distance = offset < 1 ? subtract(share, number(double(offset))) : subtract(number(double(offset)), share);
      Value w = cubicWeight(distance, offset == 0 || offset == 1);
      if (a.excludeOutside)
        w = b.select(b.binary(BinaryKind::Equal, clamp(at), at), w, number(0.0));
      total = total ? add(total, w) : w;
      Value part = multiply(pick(wide, at), weight(w, data));
      sum = sum ? add(sum, part) : part;
    }
    if (a.excludeOutside)
      sum = divide(sum, weight(total, data));
    return b.cast(sum, b.element(data));
  }

  GraphBuilder &b;
  const Attributes &a;
  const Dimension &d;
  Type f32, i64;
};

void resize(OpBinder &op, const Attributes &attributes, ArrayRef<Dimension> dimensions) {
  Value value = op.value(0, "X");
  for (const Dimension &dimension : dimensions) {
    const bool isScaled = !dimension.scale.isConstant() || dimension.scale.asDouble() != 1;
    if (dimension.in != dimension.out || isScaled)
      value = Axis(op, attributes, dimension).resize(value);
  }
  op.result(value);
}

/// floor(extent * scale). A float is a whole number of 2^-e.
Expr scaledExtent(OpBinder &op, const Expr &extent, const Scalar &scale) {
  Expr num = scale.num, den = scale.den;
  if (scale.isConstant()) {
    const double number = scale.asDouble();
    if (!(number > 0) || number > 65536)
      op.bad("a scale is " + std::to_string(number) + ", expected a number above 0 and at most 65536");
    if (extent.constant())
      return Expr(static_cast<int64_t>(std::floor(static_cast<double>(*extent.constant()) * number)));
    int64_t power = 1;
    while (number * power != std::floor(number * power) && power < (int64_t(1) << 40))
      power *= 2;
    num = Expr(static_cast<int64_t>(number * power));
    den = Expr(power);
  }
  return simplify(floorDiv(extent * num, den), op.b.ranges());
}

/// The elements of a known operand, one per entry of `axes`.
std::vector<Scalar> knownNumbers(OpBinder &op, size_t index, StringRef name, size_t count) {
  const Known *known = op.known(index);
  if (!known)
    op.unsupported("input " + std::to_string(index) + " (" + name.str() + ") is computed from data, supported are "
                   "constants and arithmetic on shapes");
  if (known->elements.size() != count)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has " + std::to_string(known->elements.size()) +
           " elements, expected " + std::to_string(count));
  return known->elements;
}

std::vector<Dimension> fromScales(OpBinder &op, const Ints &axes, ArrayRef<Scalar> scales) {
  const Exprs shape = op.shape(0, "X");
  std::vector<Dimension> dimensions;
  for (auto [axis, scale] : llvm::zip_equal(axes, scales))
    dimensions.push_back({axis, shape[axis], scaledExtent(op, shape[axis], scale), scale});
  return dimensions;
}

std::vector<Dimension> fromSizes(OpBinder &op, const Ints &axes) {
  const Exprs shape = op.shape(0, "X");
  std::vector<Dimension> dimensions;
  for (auto [axis, size] : llvm::zip_equal(axes, knownNumbers(op, 3, "sizes", axes.size()))) {
    if (size.kind != Scalar::Kind::Int)
      op.bad("input 3 (sizes) holds floats, expected integers");
    const auto in = shape[axis].constant(), out = size.num.constant();
    if (out && *out < 1)
      op.bad("input 3 (sizes) has the extent " + std::to_string(*out) + ", expected at least 1");
    dimensions.push_back({axis, shape[axis], size.num,
                          in && out ? Scalar::constant(static_cast<float>(*out) / static_cast<float>(*in))
                                    : Scalar::ratio(size.num, shape[axis])});
  }
  return dimensions;
}

/// One scale for all dimensions, so that none exceeds (or falls short of) its size.
void keepAspectRatio(OpBinder &op, const std::string &policy, std::vector<Dimension> &dimensions) {
  if (policy == "stretch")
    return;
  if (policy != "not_larger" && policy != "not_smaller")
    op.bad("attribute 'keep_aspect_ratio_policy' is '" + printable(policy) +
           "', expected stretch, not_larger or not_smaller");
  std::optional<double> best;
  for (const Dimension &d : dimensions) {
    if (!d.scale.isConstant())
      op.unsupported("keep_aspect_ratio_policy is " + policy + " for extents that are not constant");
    const double scale = static_cast<double>(*d.out.constant()) / static_cast<double>(*d.in.constant());
    best = !best ? scale : policy == "not_larger" ? std::min(*best, scale) : std::max(*best, scale);
  }
  for (Dimension &d : dimensions) {
    d.scale = Scalar::constant(*best);
    d.out = Expr(static_cast<int64_t>(std::floor(*best * static_cast<double>(*d.in.constant()) + 0.5)));
  }
}

Attributes readAttributes(OpBinder &op) {
  static constexpr StringRef coordinates[] = {"half_pixel",    "pytorch_half_pixel",  "align_corners",
                                              "asymmetric",    "half_pixel_symmetric", "tf_half_pixel_for_nn"};
  static constexpr StringRef roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  Attributes a;
  a.mode = modeNamed(op, "nearest");
  a.coordinates = op.stringAttribute("coordinate_transformation_mode", "half_pixel");
  if (!llvm::is_contained(coordinates, a.coordinates))
    op.unsupported("attribute 'coordinate_transformation_mode' is '" + printable(a.coordinates) +
                   "', supported are half_pixel, pytorch_half_pixel, align_corners, asymmetric, half_pixel_symmetric "
                   "and tf_half_pixel_for_nn");
  a.rounding = op.stringAttribute("nearest_mode", "round_prefer_floor");
  if (!llvm::is_contained(roundings, a.rounding))
    op.bad("attribute 'nearest_mode' is '" + printable(a.rounding) +
           "', expected round_prefer_floor, round_prefer_ceil, floor or ceil");
  a.cubicA = op.floatAttribute("cubic_coeff_a", -0.75);
  a.excludeOutside = op.intAttribute("exclude_outside", 0) != 0;
  op.ignoreAttribute("extrapolation_value"); // of tf_crop_and_resize
  if (op.intAttribute("antialias", 0) != 0)
    op.unsupported("antialias is 1, supported is 0");
  return a;
}

int64_t rankOfX(OpBinder &op) { return static_cast<int64_t>(op.shape(0, "X").size()); }

/// Up to opset 10: places are index / scale, rounded down.
void resizeByScales(OpBinder &op, ArrayRef<Scalar> scales) {
  Attributes a;
  a.mode = modeNamed(op, "nearest");
  a.coordinates = "asymmetric";
  a.rounding = "floor";
  resize(op, a, fromScales(op, sequence(0, rankOfX(op)), scales));
}

} // namespace

void importUpsampleAttribute(OpBinder &op) {
  op.requireInputs(1, 1);
  const auto given = op.floatsAttribute("scales");
  const size_t rank = static_cast<size_t>(rankOfX(op));
  if (!given || given->size() != rank)
    op.bad("attribute 'scales' has " + std::to_string(given ? given->size() : 0) + " entries, expected " +
           std::to_string(rank));
  std::vector<Scalar> scales;
  for (double scale : *given)
    scales.push_back(Scalar::constant(scale));
  resizeByScales(op, scales);
}

void importResize10(OpBinder &op) {
  op.requireInputs(2, 2);
  resizeByScales(op, knownNumbers(op, 1, "scales", static_cast<size_t>(rankOfX(op))));
}

void importResize(OpBinder &op) {
  op.requireInputs(1, 4);
  const Attributes a = readAttributes(op);
  const std::string policy = op.stringAttribute("keep_aspect_ratio_policy", "stretch");
  const int64_t rank = rankOfX(op);
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
  std::vector<Dimension> dimensions =
      hasScales ? fromScales(op, axes, knownNumbers(op, 2, "scales", axes.size())) : fromSizes(op, axes);
  if (!hasScales)
    keepAspectRatio(op, policy, dimensions);
  resize(op, a, dimensions);
}

} // namespace cupola::onnx_import

//===- lib/Import/Onnx/Interpolation.cpp - resizing along one dimension ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Where an element of the result lies in the input is float arithmetic on its index, and
// the elements around that place are gathered and mixed. Repeating by a whole factor is
// a view.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Interpolation.h"

#include <cmath>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;

/// Interpolates along one dimension.
class Axis {
public:
  Axis(GraphBuilder &builder, const Interpolation &how, const ResizedDimension &dimension, Type places)
      : b(builder), a(how), d(dimension), real(places), i64(IntegerType::get(b.context(), 64)) {}

  Value resize(Value data) {
    Value resized = resizeInside(data);
    if (!d.begin)
      return resized;
    Value x = place();
    Value isOutside = b.binary(BinaryKind::Or, b.binary(BinaryKind::Less, x, number(0.0)),
                               b.binary(BinaryKind::Greater, x, number(d.in - 1)));
    Value outside = b.cast(number(a.extrapolation), b.element(data));
    return b.select(weight(isOutside, data), outside, resized);
  }

private:
  Value resizeInside(Value data) {
    if (a.mode == Interpolation::Mode::Nearest) {
      if (std::optional<int64_t> factor = repeats())
        return repeat(data, *factor);
      return pick(data, nearest(place()));
    }
    if (a.antialias && (!d.scale.isConstant() || d.scale.asDouble() < 1))
      return filtered(data);
    return a.mode == Interpolation::Mode::Linear ? linear(data) : cubic(data);
  }

  Value number(double value) { return b.scalar(value, real); }
  Value whole(const Expr &value) { return b.dims({value}, {}, i64); }
  Value number(const Expr &value) {
    if (value.constant())
      return number(static_cast<double>(*value.constant()));
    return b.cast(whole(value), real);
  }
  Value number(const Scalar &value) {
    if (value.isConstant())
      return number(value.asDouble());
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
    Value x = b.cast(b.iota({d.out}, 0), real);
    const std::string &mode = a.coordinates;
    if (mode == "asymmetric")
      return divide(x, number(d.scale));
    if (mode == "align_corners") {
      const Expr last = max(Expr(1), d.out - 1); // one element stays where it is
      return divide(multiply(x, number(d.in - 1)), number(simplify(last, b.ranges())));
    }
    if (d.begin)
      return placeInRegion(x);
    Value centre = divide(add(x, number(0.5)), number(d.scale));
    if (mode == "tf_half_pixel_for_nn")
      return centre;
    Value middle = subtract(centre, number(0.5));
    if (mode == "half_pixel")
      return middle;
    if (mode == "pytorch_half_pixel")
      return unlessSingle(middle, number(0.0));
    return add(symmetricOffset(), middle);
  }

  /// tf_crop_and_resize: from `begin` to `end`, and in the middle where there is one element.
  Value placeInRegion(Value x) {
    Value begin = b.cast(d.begin, real), end = b.cast(d.end, real), last = number(d.in - 1);
    const Expr steps = simplify(max(Expr(1), d.out - 1), b.ranges());
    Value way = divide(multiply(multiply(x, subtract(end, begin)), last), number(steps));
    Value place = add(multiply(begin, last), way);
    Value middle = multiply(multiply(number(0.5), add(begin, end)), last);
    return unlessSingle(place, middle);
  }

  /// `ofSingle` where there is one element.
  Value unlessSingle(Value place, Value ofSingle) {
    const auto isSingle = proveEqual(d.out, Expr(1), b.ranges());
    if (isSingle)
      return *isSingle ? ofSingle : place;
    Value single = b.binary(BinaryKind::Equal, b.dims({d.out}, {}, i64), b.intScalar(1, i64));
    return b.select(single, ofSingle, place);
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
  Value pick(Value data, Value x) { return gather(data, vectorOf(indexOf(x))); }
  Value gather(Value data, Value indices) {
    return b.gather(data, indices, d.axis, /*batchDims=*/0, /*isInRange=*/!d.begin);
  }

  /// Of an element, whatever is rounded: float32 has not all numbers above 2^24. Places in a region may be NaN, whose
  /// index is checked instead.
  Value indexOf(Value x) {
    if (d.begin)
      return b.cast(clamp(x), i64);
    b.atMost(min(Expr(1), d.out), d.in, "the least of 1 and an extent, and what is resized to it");
    b.atMost(d.in, Expr(int64_t(1) << 30), "an extent that is resized and 2^30");
    const Type i32 = IntegerType::get(b.context(), 32);
    Value index = b.cast(clamp(x), i32);
    if (bounds(d.in, b.ranges()).hi.value_or(INT64_MAX) <= int64_t(1) << 24)
      return index;
    return b.binary(BinaryKind::Min, index, b.dims({d.in - 1}, {}, i32));
  }

  Value vectorOf(Value x) { return b.broadcast(x, {d.out}); }

  /// A number per element of the result, to multiply with `data`'s type.
  Value weight(Value w, Value data) {
    Exprs dims(b.shape(data).size(), Expr(1));
    dims[d.axis] = d.out;
    return b.reshape(vectorOf(w), dims);
  }

  Value linear(Value data) {
    Value x = clamp(place()), low = floor(x), share = subtract(x, low);
    Value left = pick(data, low), right = pick(data, add(low, number(1.0)));
    return add(multiply(left, weight(subtract(number(1.0), share), data)), multiply(right, weight(share, data)));
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
    Value x = place(), low = floor(x), share = subtract(x, low), sum, total;
    for (int64_t offset = -1; offset <= 2; ++offset) {
      Value at = add(low, number(double(offset)));
      Value distance = offset < 1 ? subtract(share, number(double(offset))) : subtract(number(double(offset)), share);
      Value w = cubicWeight(distance, offset == 0 || offset == 1);
      if (a.excludeOutside)
        w = b.select(b.binary(BinaryKind::Equal, clamp(at), at), w, number(0.0));
      total = total ? add(total, w) : w;
      Value part = multiply(pick(data, at), weight(w, data));
      sum = sum ? add(sum, part) : part;
    }
    return a.excludeOutside ? divide(sum, weight(total, data)) : sum;
  }

  /// The weight of an element at a distance: that of the mode, of any sign and size.
  Value filter(Value distance) {
    Value t = b.unary(UnaryKind::Abs, distance);
    if (a.mode == Interpolation::Mode::Linear)
      return b.unary(UnaryKind::Relu, subtract(number(1.0), t));
    Value isFar = b.binary(BinaryKind::Less, t, number(2.0));
    Value far = b.select(isFar, cubicWeight(t, /*near=*/false), number(0.0));
    return b.select(b.binary(BinaryKind::LessEqual, t, number(1.0)), cubicWeight(t, /*near=*/true), far);
  }

  /// antialias: the filter is as wide as the elements that become one, so that each of those counts.
  Value filtered(Value data) {
    const int64_t reach = a.mode == Interpolation::Mode::Linear ? 1 : 2;
    Expr half = max(Expr(reach), ceilDiv(Expr(reach) * d.scale.den, d.scale.num));
    Value scale = b.binary(BinaryKind::Min, number(d.scale), number(1.0));
    if (d.scale.isConstant()) {
      half = Expr(static_cast<int64_t>(std::ceil(static_cast<double>(reach) / d.scale.asDouble())));
      scale = number(d.scale);
    }
    const Exprs taps = {d.out, simplify(half * Expr(2), b.ranges())};
    Value x = b.unsqueeze(vectorOf(place()), {1});
    Value tap = b.binary(BinaryKind::Sub, b.iota({Expr(1), taps[1]}, 1), whole(half - 1));
    Value at = add(floor(x), b.cast(tap, real));
    Value w = filter(multiply(subtract(at, x), scale));
    if (a.excludeOutside)
      w = b.select(b.binary(BinaryKind::Equal, clamp(at), at), w, number(0.0));
    w = divide(w, b.reduce(graph::ReduceKind::Sum, w, {1}));
    Exprs dims(b.shape(data).size() + 1, Expr(1));
    dims[d.axis] = taps[0], dims[d.axis + 1] = taps[1];
    Value elements = gather(data, indexOf(at));
    Value products = multiply(elements, b.reshape(b.broadcast(w, taps), dims));
    return b.squeeze(b.reduce(graph::ReduceKind::Sum, products, {d.axis + 1}), {d.axis + 1});
  }

  GraphBuilder &b;
  const Interpolation &a;
  const ResizedDimension &d;
  Type real, i64; ///< real: of places and weights
};

} // namespace

Value interpolate(GraphBuilder &builder, Value data, const Interpolation &how, const ResizedDimension &dimension) {
  const bool mixes = how.mode != Interpolation::Mode::Nearest;
  const Type places = mixes ? builder.element(data) : Float32Type::get(builder.context());
  return Axis(builder, how, dimension, places).resize(data);
}

} // namespace cupola::onnx_import

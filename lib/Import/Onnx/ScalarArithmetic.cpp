//===- lib/Import/Onnx/ScalarArithmetic.cpp - one known element ------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Choice.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/ValuePropagation.h"

#include <cmath>

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::UnaryKind;

namespace cupola::onnx_import {
namespace {

using Result = std::optional<Scalar>;

Result boolean(std::optional<bool> value) { return value ? Result(Scalar::integer(*value)) : std::nullopt; }

std::optional<bool> negated(std::optional<bool> value) { return value ? std::optional<bool>(!*value) : std::nullopt; }

/// A constant that the type cannot hold would wrap: leave that to the kernel.
Result fitting(const Expr &value, Type type) {
  const auto number = value.constant();
  if (value.overflowed())
    return std::nullopt;
  if (number && !type.isInteger(1)) {
    const unsigned bits = type.getIntOrFloatBitWidth();
    const APInt wide(64, static_cast<uint64_t>(*number));
    if (type.isUnsignedInteger() ? *number < 0 || wide.getActiveBits() > bits : wide.getSignificantBits() > bits)
      return std::nullopt;
  }
  return Scalar::integer(value);
}

bool isNonNegative(const Expr &e, const Ranges &ranges) { return proveLessEqual(Expr(0), e, ranges) == true; }
/// A divisor of 0, an extent that is 0 only at some shapes, is an error when they are bound.
bool isDivisor(const Expr &e, const Ranges &ranges) { return !e.isConstant(0) && isNonNegative(e, ranges); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Division that rounds towards zero.
Result truncatedDiv(const Expr &a, const Expr &b, Type type, const Ranges &ranges) {
  const auto x = a.constant(), y = b.constant();
  if (y && *y == 0)
    return std::nullopt;
  if (x && y)
    return *y == -1 ? fitting(Expr(0) - a, type) : fitting(Expr(*x / *y), type);
  if (isNonNegative(a, ranges) && isDivisor(b, ranges))
    return fitting(floorDiv(a, b), type);
  if (proveLess(Expr(0), b, ranges) == true) // down where a >= 0, else up; what a node needs later may prove which
    return fitting(max(floorDiv(a, b), min(ceilDiv(a, b), Expr(0))), type);
  return std::nullopt;
}

/// What is not decided is a condition (Choice.h).
Result decided(std::optional<bool> proof, const Expr &condition) {
  if (proof)
    return boolean(proof);
  return condition.overflowed() ? std::nullopt : Result(Scalar::integer(condition));
}

Result compare(BinaryKind kind, const Expr &a, const Expr &b, const Ranges &ranges) {
  switch (kind) {
  case BinaryKind::Equal:
    return decided(proveEqual(a, b, ranges), isEqual(a, b));
  case BinaryKind::Less:
    return decided(proveLess(a, b, ranges), isNegative(a - b));
  case BinaryKind::LessEqual:
    return decided(proveLessEqual(a, b, ranges), isNot(isNegative(b - a)));
  case BinaryKind::Greater:
    return decided(negated(proveLessEqual(a, b, ranges)), isNegative(b - a));
  case BinaryKind::GreaterEqual:
    return decided(negated(proveLess(a, b, ranges)), isNot(isNegative(a - b)));
  default:
    return std::nullopt;
  }
}

/// Of bools, which are 0 or 1.
Result logical(BinaryKind kind, const Expr &a, const Expr &b) {
  const Expr both = a * b;
  return decided(std::nullopt, kind == BinaryKind::And  ? both
                               : kind == BinaryKind::Or ? a + b - both
                                                        : a + b - 2 * both);
}

Result intBinary(BinaryKind kind, const Expr &a, const Expr &b, Type type, const Ranges &ranges) {
  switch (kind) {
  case BinaryKind::Add:
    return fitting(a + b, type);
  case BinaryKind::Sub:
    return fitting(a - b, type);
  case BinaryKind::Mul:
    return fitting(a * b, type);
  case BinaryKind::Div:
    return truncatedDiv(a, b, type, ranges);
  case BinaryKind::Mod:
    return isDivisor(b, ranges) ? fitting(mod(a, b), type) : std::nullopt;
  case BinaryKind::Fmod:
    return isNonNegative(a, ranges) && isDivisor(b, ranges) ? fitting(mod(a, b), type) : std::nullopt;
  case BinaryKind::Max:
    return fitting(max(a, b), type);
  case BinaryKind::Min:
    return fitting(min(a, b), type);
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
    return logical(kind, a, b);
  default:
    return compare(kind, a, b, ranges);
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Result ratioBinary(BinaryKind kind, const Scalar &x, const Scalar &y, const Ranges &ranges) {
  const Result a = asFraction(x), b = asFraction(y);
  if (!a || !b)
    return std::nullopt;
  const Expr left = a->num * b->den, right = b->num * a->den, den = a->den * b->den;
  switch (kind) {
  case BinaryKind::Add:
    return Scalar::ratio(left + right, den);
  case BinaryKind::Sub:
    return Scalar::ratio(left - right, den);
  case BinaryKind::Mul:
    return Scalar::ratio(a->num * b->num, den);
  case BinaryKind::Div:
    return isDivisor(b->num, ranges) ? Result(Scalar::ratio(left, right)) : std::nullopt;
  case BinaryKind::Max:
    return Scalar::ratio(max(left, right), den);
  case BinaryKind::Min:
    return Scalar::ratio(min(left, right), den);
  default:
    return compare(kind, left, right, ranges);
  }
}

Result realBinary(BinaryKind kind, double a, double b, Type type) {
  const auto number = [&](double value) { return Scalar::constant(roundedTo(type, value)); };
  switch (kind) {
  case BinaryKind::Add:
    return number(a + b);
  case BinaryKind::Sub:
    return number(a - b);
  case BinaryKind::Mul:
    return number(a * b);
  case BinaryKind::Div:
    return number(a / b);
  case BinaryKind::Max:
    return std::isnan(a) || std::isnan(b) ? std::nullopt : Result(number(std::max(a, b)));
  case BinaryKind::Min:
    return std::isnan(a) || std::isnan(b) ? std::nullopt : Result(number(std::min(a, b)));
  case BinaryKind::Pow:
    if (b == 0.5 && a >= 0)
      return number(std::sqrt(a));
    return b == 2 ? Result(number(a * a)) : std::nullopt;
  case BinaryKind::Equal:
    return Scalar::integer(a == b);
  case BinaryKind::Less:
    return Scalar::integer(a < b);
  case BinaryKind::LessEqual:
    return Scalar::integer(a <= b);
  case BinaryKind::Greater:
    return Scalar::integer(a > b);
  case BinaryKind::GreaterEqual:
    return Scalar::integer(a >= b);
  default:
    return std::nullopt;
  }
}

Result realUnary(UnaryKind kind, double a, Type type) {
  const auto number = [&](double value) { return Scalar::constant(roundedTo(type, value)); };
  switch (kind) {
  case UnaryKind::Neg:
    return number(-a);
  case UnaryKind::Abs:
    return number(std::abs(a));
  case UnaryKind::Sqrt:
    return number(std::sqrt(a));
  case UnaryKind::Reciprocal:
    return number(1 / a);
  case UnaryKind::Floor:
    return number(std::floor(a));
  case UnaryKind::Ceil:
    return number(std::ceil(a));
  case UnaryKind::Round:
    return number(std::nearbyint(a));
  default:
    return std::nullopt;
  }
}

/// floor(a) or ceil(a).
Result whole(const Scalar &a, bool up) {
  if (!a.product)
    return Scalar::ratio(up ? ceilDiv(a.num, a.den) : floorDiv(a.num, a.den), Expr(1));
  const std::optional<Expr> number = wholeProduct(*a.product, up);
  return number ? Result(Scalar::ratio(*number, Expr(1))) : std::nullopt;
}

Result ratioUnary(UnaryKind kind, const Scalar &a, const Ranges &ranges) {
  switch (kind) {
  case UnaryKind::Neg:
    return Scalar::ratio(Expr(0) - a.num, a.den);
  case UnaryKind::Abs:
    return isNonNegative(a.num, ranges) ? Result(a) : std::nullopt;
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
    return whole(a, kind == UnaryKind::Ceil);
  case UnaryKind::Reciprocal:
    return isDivisor(a.num, ranges) ? Result(Scalar::ratio(a.den, a.num)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

Result intUnary(UnaryKind kind, const Expr &a, Type type, const Ranges &ranges) {
  switch (kind) {
  case UnaryKind::Neg:
    return fitting(Expr(0) - a, type);
  case UnaryKind::Abs:
    return fitting(isNonNegative(a, ranges) ? a : max(a, -a), type);
  case UnaryKind::Relu:
    return fitting(max(a, Expr(0)), type);
  case UnaryKind::Not:
    return Scalar::integer(a.constant() ? Expr(*a.constant() == 0) : isNot(a));
  case UnaryKind::Sign:
    return fitting(isNegative(-a) - isNegative(a), type);
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
    return Scalar::integer(a);
  default:
    return std::nullopt;
  }
}

/// A float constant as an integer: truncated; values the type cannot hold stay.
Result truncated(double value, Type to) {
  if (!(std::abs(value) < 9e15))
    return std::nullopt;
  return fitting(Expr(static_cast<int64_t>(std::trunc(value))), to);
}

} // namespace

Result asFraction(const Scalar &value) {
  if (value.kind != Scalar::Kind::Real)
    return value;
  for (int places = 0; places <= 24; ++places) {
    const double scaled = std::ldexp(value.real, places);
    if (!(std::abs(scaled) < 1e15))
      return std::nullopt;
    if (scaled == std::trunc(scaled))
      return Scalar{Scalar::Kind::Ratio, Expr(static_cast<int64_t>(scaled)), Expr(int64_t(1) << places), 0, {}};
  }
  return std::nullopt;
}

Result computeUnary(UnaryKind kind, const Scalar &value, Type type, const Ranges &ranges) {
  switch (value.kind) {
  case Scalar::Kind::Int:
    return intUnary(kind, value.num, type, ranges);
  case Scalar::Kind::Real:
    return realUnary(kind, value.real, type);
  case Scalar::Kind::Ratio:
    return ratioUnary(kind, value, ranges);
  }
  return std::nullopt;
}

Result computeBinary(BinaryKind kind, const Scalar &lhs, const Scalar &rhs, Type type, const Ranges &ranges) {
  if (lhs.kind == Scalar::Kind::Int && rhs.kind == Scalar::Kind::Int)
    return intBinary(kind, lhs.num, rhs.num, type, ranges);
  if (lhs.kind == Scalar::Kind::Int || rhs.kind == Scalar::Kind::Int)
    return std::nullopt;
  if (lhs.kind == Scalar::Kind::Real && rhs.kind == Scalar::Kind::Real)
    return realBinary(kind, lhs.real, rhs.real, type);
  Result result = ratioBinary(kind, lhs, rhs, ranges);
  if (result && result->kind == Scalar::Kind::Ratio)
    result->product = productOf(kind, lhs, rhs, type, ranges);
  return result;
}

Result computeCast(const Scalar &value, Type from, Type to, const Ranges &ranges) {
  if (to.isInteger(1)) {
    if (value.kind == Scalar::Kind::Real)
      return Scalar::integer(value.real != 0);
    return decided(negated(proveEqual(value.num, Expr(0), ranges)), isNot(isZero(value.num)));
  }
  if (isa<FloatType>(to)) {
    if (value.kind == Scalar::Kind::Real)
      return Scalar::constant(roundedTo(to, value.real));
    Scalar result = Scalar::ratio(value.num, value.den);
    if (to.getIntOrFloatBitWidth() >= 32)
      result.product = value.product;
    return result.kind == Scalar::Kind::Real ? Scalar::constant(roundedTo(to, result.real)) : result;
  }
  if (value.kind == Scalar::Kind::Int)
    return fitting(value.num, to);
  if (value.kind == Scalar::Kind::Real)
    return truncated(value.real, to);
  if (value.den.isConstant(1))
    return fitting(value.num, to);
  if (value.product) { // of an integer >= 0
    const Result number = whole(value, /*up=*/false);
    return number ? fitting(number->num, to) : std::nullopt;
  }
  return truncatedDiv(value.num, value.den, to, ranges);
}

} // namespace cupola::onnx_import

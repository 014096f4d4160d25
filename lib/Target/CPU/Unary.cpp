//===- lib/Target/CPU/Unary.cpp - unary scalar functions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Math.h"
#include "lib/Target/CPU/Scalars.h"

#include <limits>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using cupola::graph::UnaryKind;

namespace cupola::cpu {
namespace {

/// The attributes alpha and beta of the op.
struct Parameters {
  double alpha, beta;
};

using Builder = Value (*)(Code &, Value, Parameters);

Value less(Code &c, Value a, Value b) { return c.cmpf(CmpFPredicate::OLT, a, b); }
Value greater(Code &c, Value a, Value b) { return c.cmpf(CmpFPredicate::OGT, a, b); }

/// x where x >= 0 (and for NaN), else the other.
Value whereNegative(Code &c, Value x, Value other) { return c.select(less(c, x, c.real(0, x)), other, x); }

Value sigmoid(Code &c, Value x) {
  Value one = c.real(1, x);
  return c.divf(one, c.addf(one, emitExp(c, c.unary<arith::NegFOp>(x))));
}

Value softplus(Code &c, Value x) {
  Value magnitude = c.unary<math::AbsFOp>(x);
  Value positive = c.select(less(c, x, c.real(0, x)), c.real(0, x), x);
  return c.addf(positive, emitLog1p(c, emitExp(c, c.unary<arith::NegFOp>(magnitude))));
}

Value sign(Code &c, Value x) {
  Value zero = c.real(0, x);
  Value result = c.select(c.cmpf(CmpFPredicate::OEQ, x, zero), zero, x);
  result = c.select(greater(c, x, zero), c.real(1, x), result);
  return c.select(less(c, x, zero), c.real(-1, x), result);
}

Value shrink(Code &c, Value x, Parameters p) {
  Value result = c.select(greater(c, x, c.real(p.alpha, x)), c.subf(x, c.real(p.beta, x)), c.real(0, x));
  return c.select(less(c, x, c.real(-p.alpha, x)), c.addf(x, c.real(p.beta, x)), result);
}

Value halfTimesOnePlus(Code &c, Value x, Value y) { return c.mulf(c.mulf(c.real(0.5, x), x), c.addf(c.real(1, x), y)); }

Value geluErf(Code &c, Value x, Parameters) {
  return halfTimesOnePlus(c, x, emitErf(c, c.mulf(x, c.real(0.70710678118654752, x))));
}

Value geluTanh(Code &c, Value x, Parameters) {
  Value cube = c.mulf(c.mulf(c.mulf(x, x), x), c.real(0.044715, x));
  return halfTimesOnePlus(c, x, emitTanh(c, c.mulf(c.addf(x, cube), c.real(0.79788456080286536, x))));
}

Value hardSigmoid(Code &c, Value x, Parameters p) {
  return c.clamp(c.addf(c.mulf(c.real(p.alpha, x), x), c.real(p.beta, x)), 0, 1);
}

Value hardSwish(Code &c, Value x, Parameters) { return c.mulf(x, hardSigmoid(c, x, {1.0 / 6, 0.5})); }

/// A function of the C library, whose f32 version has the suffix f.
template <const char *name> Value library(Code &c, Value x, Parameters) {
  return c.callLibrary(isDouble(x) ? std::string(name) : std::string(name) + "f", x);
}

constexpr char kTan[] = "tan", kSinh[] = "sinh", kCosh[] = "cosh", kAsinh[] = "asinh", kAcosh[] = "acosh",
               kAtanh[] = "atanh";

/// In the order of the kinds, up to those of bool.
const Builder floats[] = {
    /*Neg*/ [](Code &c, Value x, Parameters) { return c.unary<arith::NegFOp>(x); },
    /*Abs*/ [](Code &c, Value x, Parameters) { return c.unary<math::AbsFOp>(x); },
    /*Exp*/ [](Code &c, Value x, Parameters) { return emitExp(c, x); },
    /*Log*/ [](Code &c, Value x, Parameters) { return emitLog(c, x); },
    /*Sqrt*/ [](Code &c, Value x, Parameters) { return c.unary<math::SqrtOp>(x); },
    /*Rsqrt*/ [](Code &c, Value x, Parameters) { return c.divf(c.real(1, x), c.unary<math::SqrtOp>(x)); },
    /*Reciprocal*/ [](Code &c, Value x, Parameters) { return c.divf(c.real(1, x), x); },
    /*Floor*/ [](Code &c, Value x, Parameters) { return c.unary<math::FloorOp>(x); },
    /*Ceil*/ [](Code &c, Value x, Parameters) { return c.unary<math::CeilOp>(x); },
    /*Round*/ [](Code &c, Value x, Parameters) { return c.unary<math::RoundEvenOp>(x); },
    /*Sign*/ [](Code &c, Value x, Parameters) { return sign(c, x); },
    /*Erf*/ [](Code &c, Value x, Parameters) { return emitErf(c, x); },
    /*Tanh*/ [](Code &c, Value x, Parameters) { return emitTanh(c, x); },
    /*Sigmoid*/ [](Code &c, Value x, Parameters) { return sigmoid(c, x); },
    /*Relu*/ [](Code &c, Value x, Parameters) { return whereNegative(c, x, c.real(0, x)); },
    /*LeakyRelu*/ [](Code &c, Value x, Parameters p) { return whereNegative(c, x, c.mulf(c.real(p.alpha, x), x)); },
    /*Elu*/
    [](Code &c, Value x, Parameters p) { return whereNegative(c, x, c.mulf(c.real(p.alpha, x), emitExpm1(c, x))); },
    /*Selu*/
    [](Code &c, Value x, Parameters p) {
      Value negative = c.mulf(c.real(p.alpha, x), emitExpm1(c, x));
      return c.mulf(c.real(p.beta, x), whereNegative(c, x, negative));
    },
    /*Celu*/
    [](Code &c, Value x, Parameters p) {
      Value alpha = c.real(p.alpha, x);
      return whereNegative(c, x, c.mulf(alpha, emitExpm1(c, c.divf(x, alpha))));
    },
    /*Softplus*/ [](Code &c, Value x, Parameters) { return softplus(c, x); },
    /*Softsign*/ [](Code &c, Value x, Parameters) { return c.divf(x, c.addf(c.real(1, x), c.unary<math::AbsFOp>(x))); },
    /*HardSigmoid*/ hardSigmoid,
    /*HardSwish*/ hardSwish,
    /*Mish*/ [](Code &c, Value x, Parameters) { return c.mulf(x, emitTanh(c, softplus(c, x))); },
    /*ThresholdedRelu*/
    [](Code &c, Value x, Parameters p) { return c.select(greater(c, x, c.real(p.alpha, x)), x, c.real(0, x)); },
    /*Shrink*/ shrink,
    /*GeluErf*/ geluErf,
    /*GeluTanh*/ geluTanh,
    /*Silu*/ [](Code &c, Value x, Parameters p) { return c.mulf(x, sigmoid(c, c.mulf(c.real(p.alpha, x), x))); },
    /*Sin*/ [](Code &c, Value x, Parameters) { return emitSin(c, x); },
    /*Cos*/ [](Code &c, Value x, Parameters) { return emitCos(c, x); },
    /*Tan*/ library<kTan>,
    /*Asin*/ [](Code &c, Value x, Parameters) { return emitAsin(c, x); },
    /*Acos*/ [](Code &c, Value x, Parameters) { return emitAcos(c, x); },
    /*Atan*/ [](Code &c, Value x, Parameters) { return emitAtan(c, x); },
    /*Sinh*/ library<kSinh>,
    /*Cosh*/ library<kCosh>,
    /*Asinh*/ library<kAsinh>,
    /*Acosh*/ library<kAcosh>,
    /*Atanh*/ library<kAtanh>,
};
constexpr unsigned floatKinds = std::size(floats);
static_assert(floatKinds == unsigned(UnaryKind::Not), "a row per kind of function of floats");

Value isInfinite(Code &c, Value x, Parameters p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value none = c.cmpf(CmpFPredicate::AlwaysFalse, x, x);
  Value negative = c.cmpf(CmpFPredicate::OEQ, x, c.real(-infinity, x));
  Value positive = c.cmpf(CmpFPredicate::OEQ, x, c.real(infinity, x));
  return c.ori(p.alpha != 0 ? negative : none, p.beta != 0 ? positive : none);
}

/// Null for kinds that integers do not have. Integers wrap.
Value emitInteger(Code &c, UnaryKind kind, bool isUnsigned, Value x) {
  Value zero = c.integer(0, x);
  auto below = [&] { return c.cmpi(CmpIPredicate::slt, x, zero); };
  switch (kind) {
  case UnaryKind::Neg:
    return c.subi(zero, x);
  case UnaryKind::Abs:
    return isUnsigned ? x : c.select(below(), c.subi(zero, x), x);
  case UnaryKind::Relu:
    return isUnsigned ? x : c.select(below(), zero, x);
  case UnaryKind::Sign: {
    Value one = c.integer(1, x);
    Value result = c.select(c.cmpi(CmpIPredicate::eq, x, zero), zero, one);
    return isUnsigned ? result : c.select(below(), c.integer(-1, x), result);
  }
  case UnaryKind::Not:
    return c.xori(x, c.integer(1, x));
  case UnaryKind::BitwiseNot:
    return c.xori(x, c.integer(-1, x));
  default:
    return nullptr;
  }
}

} // namespace

bool supportsUnary(UnaryKind kind, Type element) {
  if (isa<FloatType>(element))
    return unsigned(kind) < floatKinds || graph::isPredicate(kind);
  if (element.isInteger(1))
    return kind == UnaryKind::Not;
  switch (kind) {
  case UnaryKind::Neg:
  case UnaryKind::Abs:
  case UnaryKind::Relu:
  case UnaryKind::Sign:
  case UnaryKind::BitwiseNot:
    return true;
  default:
    return false;
  }
}

Value emitUnary(Code &c, UnaryKind kind, Type element, Value x, double alpha, double beta) {
  if (!isa<FloatType>(element))
    return emitInteger(c, kind, isUnsigned(element), x);
  Value wide = widen(c, element, x);
  if (kind == UnaryKind::IsNaN)
    return c.isNaN(wide);
  if (kind == UnaryKind::IsInf)
    return isInfinite(c, wide, {alpha, beta});
  return narrow(c, element, floats[unsigned(kind)](c, wide, {alpha, beta}));
}

} // namespace cupola::cpu

//===- lib/Target/CPU/Math.cpp - transcendental functions that vectorise ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The coefficients are minimax fits of the relative error of each function (of the
// absolute error of erfc), rounded to f32.

#include "lib/Target/CPU/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;

namespace cupola::cpu {

bool isDouble(Value x) { return getElementTypeOrSelf(x.getType()).isF64(); }

/// 2^n for integers n in [-126, 127], n as i32.
static Value powerOfTwo(Code &c, Value n) {
  Value biased = c.addi(n, c.integer(127, n));
  Value bits = c.binary<arith::ShLIOp>(biased, c.integer(23, n));
  return c.bitcast(bits, c.b.getF32Type());
}

namespace {

/// x = whole ln 2 + rest with |rest| <= ln 2 / 2 and an integer `whole`, which is the low bits of `shifted`, too.
struct ByLog2 {
  Value rest, whole, shifted;

  ByLog2(Code &c, Value x) {
    // Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
    Value magic = c.real(12582912.0, x);
    shifted = c.fma(x, c.real(1.44269504088896341, x), magic);
    whole = c.subf(shifted, magic);
    rest = c.fma(whole, c.real(-0.693359375, x), x);
    rest = c.fma(whole, c.real(2.12194440e-4, x), rest);
  }
  Value number(Code &c) const {
    Value bits = c.bitcast(shifted, c.b.getI32Type());
    return c.subi(bits, c.integer(0x4b400000, bits));
  }
};

} // namespace

/// exp(r) - 1 for |r| <= ln 2 / 2.
static Value smallExpm1(Code &c, Value r) {
  Value p = c.polynomial(r, {0.49999994, 0.166665196, 0.0416683964, 0.0083687976, 0.00138144253});
  return c.fma(p, c.mulf(r, r), r);
}

/// p * 2^n for integers n; denormal and infinite where that is.
static Value timesPowerOfTwo(Code &c, Value p, const ByLog2 &n) {
  const auto type = dyn_cast<VectorType>(p.getType());
  constexpr int64_t lanes = 16;
  if (c.isa.level >= 4 && type && type.getNumElements() % lanes == 0)
    return c.byParts({p, n.whole}, lanes, [&](ValueRange part) {
      const Value zero = c.real(0, part[0]), all = c.number(c.b.getI16IntegerAttr(-1));
      const Value usualRounding = c.number(c.b.getI32IntegerAttr(4));
      return LLVM::CallIntrinsicOp::create(c.b, c.loc, part[0].getType(),
                                           c.b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
                                           {part[0], part[1], zero, all, usualRounding})
          .getResult(0);
    });
  // Two factors: 2^n alone may be denormal or infinite where the result is not.
  Value number = n.number(c), half = c.binary<arith::ShRSIOp>(number, c.integer(1, number));
  return c.mulf(c.mulf(p, powerOfTwo(c, half)), powerOfTwo(c, c.subi(number, half)));
}

Value emitExp(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("exp", x);
  const ByLog2 parts(c, c.clamp(x, -104, 89)); // beyond: 0 and infinity
  return timesPowerOfTwo(c, c.addf(smallExpm1(c, parts.rest), c.real(1, x)), parts);
}

/// Half of exp(x) - 1 for x in [-25, 89]: that of the largest floats is one.
static Value halfExpm1(Code &c, Value x) {
  const ByLog2 parts(c, x);
  Value number = parts.number(c), power = powerOfTwo(c, c.subi(number, c.integer(1, number)));
  return c.fma(power, smallExpm1(c, parts.rest), c.subf(power, c.real(0.5, x)));
}

Value emitExpm1(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("expm1", x);
  Value half = halfExpm1(c, c.clamp(x, -25, 89));
  return c.addf(half, half);
}

/// log of m * 2^e with m in [sqrt(1/2), sqrt(2)).
static Value logOfParts(Code &c, Value m, Value e) {
  Value f = c.subf(m, c.real(1, m));
  Value square = c.mulf(f, f);
  Value p = c.polynomial(f, {0.333333105, -0.249999866, 0.200022265, -0.166692495, 0.142186552, -0.123843662,
                             0.118730091, -0.117897153, 0.0691518635});
  Value y = c.mulf(c.mulf(square, f), p);
  y = c.fma(e, c.real(-2.12194440e-4, m), y);
  y = c.fma(square, c.real(-0.5, m), y);
  return c.fma(e, c.real(0.693359375, m), c.addf(f, y));
}

Value emitLog(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("log", x);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value denormal = c.cmpf(CmpFPredicate::OLT, x, c.real(1.17549435e-38, x));
  Value scaled = c.select(denormal, c.mulf(x, c.real(8388608.0, x)), x);
  Value bits = c.bitcast(scaled, c.b.getI32Type());
  Value root = c.integer(0x3f3504f3, bits); // sqrt(1/2)
  Value exponent = c.binary<arith::ShRSIOp>(c.subi(bits, root), c.integer(23, bits));
  Value shift = c.binary<arith::ShLIOp>(exponent, c.integer(23, bits));
  Value m = c.bitcast(c.subi(bits, shift), c.b.getF32Type());
  Value e = c.convert<arith::SIToFPOp>(exponent, c.b.getF32Type());
  e = c.subf(e, c.select(denormal, c.real(23, x), c.real(0, x)));
  Value result = logOfParts(c, m, e);

  Value zero = c.real(0, x);
  Value special = c.select(c.cmpf(CmpFPredicate::OLT, x, zero), c.real(std::numeric_limits<double>::quiet_NaN(), x), x);
  special = c.select(c.cmpf(CmpFPredicate::OEQ, x, zero), c.real(-infinity, x), special);
  Value usual = c.andi(c.cmpf(CmpFPredicate::OGT, x, zero), c.cmpf(CmpFPredicate::OLT, x, c.real(infinity, x)));
  return c.select(usual, result, special);
}

Value emitLog1p(Code &c, Value t) {
  if (isDouble(t))
    return c.callLibrary("log1p", t);
  // u = 1 + t rounds; t / (u - 1) makes up for it.
  Value one = c.real(1, t);
  Value u = c.addf(one, t);
  Value rounded = c.subf(u, one);
  Value corrected = c.mulf(emitLog(c, u), c.divf(t, rounded));
  return c.select(c.cmpf(CmpFPredicate::OEQ, rounded, c.real(0, t)), t, corrected);
}

Value emitTanh(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("tanh", x);
  // (exp(2 t) - 1) / (exp(2 t) + 1), which is 1 from t = 10 on.
  Value magnitude = c.unary<math::AbsFOp>(x);
  Value half = halfExpm1(c, c.clamp(c.addf(magnitude, magnitude), 0, 20));
  return c.binary<math::CopySignOp>(c.divf(half, c.addf(half, c.real(1, x))), x);
}

Value emitErf(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("erf", x);
  Value square = c.mulf(x, x);
  Value p = c.polynomial(
      square, {0.128379166, -0.376126319, 0.112836793, -0.026858503, 0.00519884052, -0.000811817008, 8.26779142e-05});
  Value small = c.fma(p, x, x);
  // erf(t) = 1 - exp(log erfc(t)), which is 1 from t = 4 on.
  Value magnitude = c.unary<math::AbsFOp>(x);
  Value four = c.real(4, x);
  Value t = c.select(c.cmpf(CmpFPredicate::OGT, magnitude, four), four, magnitude);
  Value q = c.polynomial(t, {0.000169208943, -1.12948847, -0.633400798, -0.108220436, 0.025080651, -0.00415626913,
                             0.000431396678, -2.08289039e-05});
  Value large = c.subf(c.real(1, x), emitExp(c, q));
  large = c.binary<math::CopySignOp>(large, x);
  return c.select(c.cmpf(CmpFPredicate::OLT, magnitude, c.real(0.9375, x)), small, large);
}

} // namespace cupola::cpu

//===- lib/Target/CPU/Trigonometry.cpp - sines, cosines and their inverses ---===//
// SPDX-License-Identifier: Apache-2.0
//
// As in Math.cpp: minimax fits of the relative error, rounded to f32. Angles are reduced to a quarter of a turn in f64,
// after Cody and Waite, "Software Manual for the Elementary Functions", 1980: the nearest multiple of pi / 2 is taken
// off in two parts.

#include "lib/Target/CPU/Math.h"

using namespace mlir;
using arith::CmpFPredicate;

namespace cupola::cpu {
namespace {

constexpr double kHalfPi = 1.5707963267948966, kHalfPiRest = 6.123233995736766e-17;

/// The library's function where any lane is beyond `limit`, whose results `usual` does not have.
Value unlessBeyond(Code &c, Value x, double limit, StringRef library, Value usual) {
  Value isFar = c.cmpf(CmpFPredicate::UGT, c.unary<math::AbsFOp>(x), c.real(limit, x));
  if (Code::isVector(isFar))
    isFar = vector::ReductionOp::create(c.b, c.loc, vector::CombiningKind::OR, isFar);
  OpBuilder::InsertionGuard guard(c.b);
  auto branch = scf::IfOp::create(c.b, c.loc, usual.getType(), isFar, /*withElseRegion=*/true);
  c.b.setInsertionPointToStart(branch.thenBlock());
  Value far = c.callLibrary(library, x);
  scf::YieldOp::create(c.b, c.loc, far);
  c.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(c.b, c.loc, usual);
  return branch.getResult(0);
}

/// sin(x + turn * pi / 2).
Value sineOf(Code &c, Value x, int64_t turn, StringRef library) {
  if (isDouble(x))
    return c.callLibrary(library, x);
  // Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum.
  Value wide = c.convert<arith::ExtFOp>(x, c.b.getF64Type());
  Value magic = c.real(6755399441055744.0, wide);
  Value shifted = c.fma(wide, c.real(2 / 3.14159265358979323846, wide), magic);
  Value turns = c.subf(shifted, magic);
  Value rest = c.fma(turns, c.real(-kHalfPi, wide), wide);
  rest = c.fma(turns, c.real(-kHalfPiRest, wide), rest);
  Value r = c.convert<arith::TruncFOp>(rest, c.b.getF32Type());
  Value quarter = c.convert<arith::TruncIOp>(c.bitcast(shifted, c.b.getI64Type()), c.b.getI32Type());
  quarter = c.addi(quarter, c.integer(turn, quarter));

  Value square = c.mulf(r, r);
  Value sine = c.polynomial(square, {-0.166666552, 0.00833215844, -0.00019514958});
  sine = c.fma(c.mulf(sine, square), r, r);
  Value cosine = c.polynomial(square, {-0.5, 0.0416666456, -0.0013887313, 2.44327857e-05});
  cosine = c.fma(cosine, square, c.real(1, x));
  Value isOdd = c.cmpi(arith::CmpIPredicate::ne, c.andi(quarter, c.integer(1, quarter)), c.integer(0, quarter));
  Value result = c.bitcast(c.select(isOdd, cosine, sine), c.b.getI32Type());
  Value sign = c.binary<arith::ShLIOp>(c.andi(quarter, c.integer(2, quarter)), c.integer(30, quarter));
  result = c.bitcast(c.xori(result, sign), c.b.getF32Type());
  // Beyond, no bits of a turn are left in the sum.
  return unlessBeyond(c, x, 0x1p50, std::string(library) + "f", result);
}

/// So many quarters of a turn, of which an f32 has no more than a part, less an angle.
Value quartersLess(Code &c, double quarters, Value angle) {
  const double part = static_cast<float>(quarters * kHalfPi);
  return c.addf(c.subf(c.real(part, angle), angle), c.real(quarters * kHalfPi - part, angle));
}

/// asin(x) / x - 1 for |x| <= 1/2, of its square.
Value arcsineRest(Code &c, Value square) {
  return c.mulf(square, c.polynomial(square, {0.166667521, 0.0749529749, 0.0454703756, 0.0241795145, 0.0421663076}));
}

/// asin(t) where t = |x| is small, or half of pi / 2 - asin(t).
Value arcsineOfNear(Code &c, Value magnitude, Value isSmall) {
  Value half = c.real(0.5, magnitude);
  Value rest = c.mulf(half, c.subf(c.real(1, magnitude), magnitude)); // of the other half angle
  Value square = c.select(isSmall, c.mulf(magnitude, magnitude), rest);
  Value t = c.select(isSmall, magnitude, c.unary<math::SqrtOp>(rest));
  return c.fma(arcsineRest(c, square), t, t);
}

} // namespace

Value emitSin(Code &c, Value x) { return sineOf(c, x, 0, "sin"); }
Value emitCos(Code &c, Value x) { return sineOf(c, x, 1, "cos"); }

Value emitAtan(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("atan", x);
  Value magnitude = c.unary<math::AbsFOp>(x), one = c.real(1, x);
  Value isLarge = c.cmpf(CmpFPredicate::OGT, magnitude, one);
  Value t = c.select(isLarge, c.divf(one, magnitude), magnitude);
  Value square = c.mulf(t, t);
  Value p = c.polynomial(square, {-0.333332986, 0.199985489, -0.142642424, 0.109521858, -0.08403451, 0.0579576008,
                                  -0.0311778504, 0.0109146088, -0.00179362227});
  Value small = c.fma(c.mulf(p, square), t, t);
  Value large = quartersLess(c, 1, small);
  return c.binary<math::CopySignOp>(c.select(isLarge, large, small), x);
}

Value emitAsin(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("asin", x);
  Value magnitude = c.unary<math::AbsFOp>(x);
  Value isSmall = c.cmpf(CmpFPredicate::OLE, magnitude, c.real(0.5, x));
  Value near = arcsineOfNear(c, magnitude, isSmall);
  Value large = quartersLess(c, 1, c.addf(near, near));
  return c.binary<math::CopySignOp>(c.select(isSmall, near, large), x);
}

Value emitAcos(Code &c, Value x) {
  if (isDouble(x))
    return c.callLibrary("acos", x);
  Value magnitude = c.unary<math::AbsFOp>(x), zero = c.real(0, x);
  Value isSmall = c.cmpf(CmpFPredicate::OLE, magnitude, c.real(0.5, x));
  Value near = arcsineOfNear(c, magnitude, isSmall);
  Value small = quartersLess(c, 1, c.binary<math::CopySignOp>(near, x));
  Value twice = c.addf(near, near);
  Value large = c.select(c.cmpf(CmpFPredicate::OLT, x, zero), quartersLess(c, 2, twice), twice);
  return c.select(isSmall, small, large);
}

} // namespace cupola::cpu

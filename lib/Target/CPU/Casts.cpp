//===- lib/Target/CPU/Casts.cpp - conversions between element types ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Scalars.h"

#include <cmath>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace cupola::cpu {

static bool isNarrow(Type element) { return element.isF16() || element.isBF16(); }

/// Of the bits below the sign, moved to where f16 has them: the number, but for f16's greater bias and e4m3's only NaN.
static Value float8ToFloat(Code &c, Type element, Value x) {
  Value bits = c.convert<arith::ExtUIOp>(x, c.b.getI16Type());
  auto shifted = [&](Value value, int64_t by) { return c.binary<arith::ShLIOp>(value, c.integer(by, value)); };
  auto number = [&](Value half) {
    return c.convert<arith::ExtFOp>(c.bitcast(half, c.b.getF16Type()), c.b.getF32Type());
  };
  if (isa<Float8E5M2Type>(element))
    return number(shifted(bits, 8));
  Value code = c.andi(bits, c.integer(0x7f, bits)), sign = c.andi(bits, c.integer(0x80, bits));
  Value value = number(c.ori(shifted(code, 7), shifted(sign, 8)));
  Value isNaN = c.cmpi(CmpIPredicate::eq, code, c.integer(0x7f, code));
  return c.select(isNaN, c.real(std::nan(""), value), c.binary<arith::MulFOp>(value, c.real(256, value)));
}

Value widen(Code &c, Type element, Value x) {
  if (graph::isFloat8(element))
    return float8ToFloat(c, element, x);
  if (element.isF16())
    return c.convert<arith::ExtFOp>(x, c.b.getF32Type());
  if (!element.isBF16())
    return x;
  Value bits = c.convert<arith::ExtUIOp>(x, c.b.getI32Type());
  return c.bitcast(c.binary<arith::ShLIOp>(bits, c.integer(16, bits)), c.b.getF32Type());
}

static Value toBF16(Code &c, Value x) {
  Value bits = c.bitcast(x, c.b.getI32Type());
  Value sixteen = c.integer(16, bits);
  Value high = c.binary<arith::ShRUIOp>(bits, sixteen);
  Value odd = c.andi(high, c.integer(1, bits));
  Value rounded = c.addi(bits, c.addi(odd, c.integer(0x7fff, bits)));
  Value quiet = c.ori(high, c.integer(0x40, bits));
  Value result = c.select(c.isNaN(x), quiet, c.binary<arith::ShRUIOp>(rounded, sixteen));
  return c.convert<arith::TruncIOp>(result, c.b.getI16Type());
}

Value narrow(Code &c, Type element, Value x) {
  if (element.isF16())
    return c.convert<arith::TruncFOp>(x, c.b.getF16Type());
  return element.isBF16() ? toBF16(c, x) : x;
}

/// f64 to f32, inexact results made odd: rounding once more is then right.
static Value toOddFloat(Code &c, Value x) {
  Value near = c.convert<arith::TruncFOp>(x, c.b.getF32Type());
  Value back = c.convert<arith::ExtFOp>(near, c.b.getF64Type());
  Value bits = c.bitcast(near, c.b.getI32Type());
  Value one = c.integer(1, bits);
  Value even = c.cmpi(CmpIPredicate::eq, c.andi(bits, one), c.integer(0, bits));
  Value inexact = c.cmpf(CmpFPredicate::ONE, back, x);
  Value above = c.cmpf(CmpFPredicate::OGT, c.unary<math::AbsFOp>(back), c.unary<math::AbsFOp>(x));
  Value odd = c.select(above, c.subi(bits, one), c.addi(bits, one));
  return c.bitcast(c.select(c.andi(even, inexact), odd, bits), c.b.getF32Type());
}

static Value floatToFloat(Code &c, Type from, Type to, Value x) {
  if (from.isF64() && isNarrow(to))
    return narrow(c, to, toOddFloat(c, x));
  Value wide = widen(c, from, x);
  if (to.isF64())
    return from.isF64() ? wide : c.convert<arith::ExtFOp>(wide, to);
  if (from.isF64())
    return c.convert<arith::TruncFOp>(wide, to);
  return narrow(c, to, wide);
}

Value emitBetween(Code &c, Value x, double low, double high) {
  const Value inside = c.select(c.cmpf(CmpFPredicate::OGT, x, c.real(low, x)), x, c.real(low, x));
  return c.select(c.cmpf(CmpFPredicate::OLT, inside, c.real(high, x)), inside, c.real(high, x));
}

/// To integers of up to 16 bits, whose bounds are floats: what is brought between them first is converted as it is.
static Value floatToNarrowInteger(Code &c, Type to, Value x) {
  const unsigned width = to.getIntOrFloatBitWidth();
  const double low = isUnsigned(to) ? 0 : -std::ldexp(1.0, width - 1), high = low + std::ldexp(1.0, width) - 1;
  const Value wide = c.convert<arith::FPToSIOp>(emitBetween(c, x, low, high), c.b.getI32Type());
  const Value result = c.convert<arith::TruncIOp>(wide, valueType(to));
  return isUnsigned(to) ? result : c.select(c.isNaN(x), c.integer(0, result), result);
}

static Value floatToInteger(Code &c, Type from, Type to, Value x) {
  x = widen(c, from, x);
  if (to.getIntOrFloatBitWidth() <= 16)
    return floatToNarrowInteger(c, to, x);
  bool isUnsignedResult = isUnsigned(to);
  unsigned width = to.getIntOrFloatBitWidth();
  double high = std::ldexp(1.0, isUnsignedResult ? width : width - 1);
  double low = isUnsignedResult ? 0 : -high;
  Value above = c.cmpf(CmpFPredicate::OGE, x, c.real(high, x));
  Value below = c.cmpf(CmpFPredicate::OLT, x, c.real(low, x));
  Value inside = c.andi(c.cmpf(CmpFPredicate::OLT, x, c.real(high, x)), c.cmpf(CmpFPredicate::OGE, x, c.real(low, x)));
  Value safe = c.select(inside, x, c.real(0, x)); // NaN too becomes 0
  Type value = valueType(to);
  Value result = isUnsignedResult ? c.convert<arith::FPToUIOp>(safe, value) : c.convert<arith::FPToSIOp>(safe, value);
  APInt largest = isUnsignedResult ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt smallest = isUnsignedResult ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  result = c.select(above, c.number(c.b.getIntegerAttr(value, largest)), result);
  return c.select(below, c.number(c.b.getIntegerAttr(value, smallest)), result);
}

/// An i64 as f64 with inexact results made odd.
static Value wideToOddDouble(Code &c, Type from, Value x) {
  Value low = c.andi(x, c.integer(0x7ff, x));
  Value sticky = c.select(c.cmpi(CmpIPredicate::ne, low, c.integer(0, x)), c.integer(0x800, x), c.integer(0, x));
  Value rounded = c.ori(c.andi(x, c.integer(~int64_t(0x7ff), x)), sticky);
  // Values of up to 53 bits are exact as they are.
  Value high = c.binary<arith::ShRSIOp>(x, c.integer(52, x));
  if (isUnsigned(from))
    high = c.binary<arith::ShRUIOp>(x, c.integer(52, x));
  Value fits = c.cmpi(CmpIPredicate::ule, c.addi(high, c.integer(1, x)), c.integer(1, x));
  Value exact = c.select(fits, x, rounded);
  return isUnsigned(from) ? c.convert<arith::UIToFPOp>(exact, c.b.getF64Type())
                          : c.convert<arith::SIToFPOp>(exact, c.b.getF64Type());
}

static Value integerToFloat(Code &c, Type from, Type to, Value x) {
  Type target = isNarrow(to) ? c.b.getF32Type() : to;
  if (isNarrow(to) && from.getIntOrFloatBitWidth() > 24) {
    Value exact = from.getIntOrFloatBitWidth() == 64 ? wideToOddDouble(c, from, x)
                  : isUnsigned(from)                 ? c.convert<arith::UIToFPOp>(x, c.b.getF64Type())
                                                     : c.convert<arith::SIToFPOp>(x, c.b.getF64Type());
    return narrow(c, to, toOddFloat(c, exact));
  }
  Value result = isUnsigned(from) ? c.convert<arith::UIToFPOp>(x, target) : c.convert<arith::SIToFPOp>(x, target);
  return narrow(c, to, result);
}

static Value integerToInteger(Code &c, Type from, Type to, Value x) {
  unsigned source = from.getIntOrFloatBitWidth(), target = to.getIntOrFloatBitWidth();
  if (source == target)
    return x;
  if (source > target)
    return c.convert<arith::TruncIOp>(x, valueType(to));
  return isUnsigned(from) ? c.convert<arith::ExtUIOp>(x, valueType(to)) : c.convert<arith::ExtSIOp>(x, valueType(to));
}

static Value toBool(Code &c, Type from, Value x) {
  if (!isa<FloatType>(from))
    return c.cmpi(CmpIPredicate::ne, x, c.integer(0, x));
  x = widen(c, from, x);
  return c.cmpf(CmpFPredicate::UNE, x, c.real(0, x));
}

Value emitCast(Code &c, Type from, Type to, Value x) {
  if (from == to)
    return x;
  if (to.isInteger(1))
    return toBool(c, from, x);
  if (isa<FloatType>(from))
    return isa<FloatType>(to) ? floatToFloat(c, from, to, x) : floatToInteger(c, from, to, x);
  return isa<FloatType>(to) ? integerToFloat(c, from, to, x) : integerToInteger(c, from, to, x);
}

} // namespace cupola::cpu

//===- lib/Target/CPU/Binary.cpp - binary scalar functions, reductions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Math.h"
#include "lib/Target/CPU/Scalars.h"

#include "dialects/Graph/Neutral.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;

namespace cupola::cpu {
namespace {

Value callLibrary(Code &c, const char *name, Value a, Value b) {
  c.unify(a, b);
  return c.callLibrary(isDouble(a) ? std::string(name) : std::string(name) + "f", {a, b});
}

/// The remainder with the sign of the divisor, which a zero has, too.
Value floatMod(Code &c, Value a, Value b) {
  Value r = callLibrary(c, "fmod", a, b);
  Value zero = c.real(0, r);
  Value differ = c.xori(c.cmpf(CmpFPredicate::OLT, r, zero), c.cmpf(CmpFPredicate::OLT, b, zero));
  Value moved = c.select(differ, c.addf(r, b), r);
  return c.select(c.cmpf(CmpFPredicate::OEQ, r, zero), c.binary<math::CopySignOp>(r, b), moved);
}

/// The larger, or the smaller; NaN wins, and of zeros either. Written as selects it would take an instruction more.
template <class Op> Value extreme(Code &c, Value a, Value b) {
  c.unify(a, b);
  return Op::create(c.b, c.loc, a, b, arith::FastMathFlags::nsz);
}

using FloatBuilder = Value (*)(Code &, Value, Value);

const FloatBuilder floats[] = {
    /*Add*/ [](Code &c, Value a, Value b) { return c.addf(a, b); },
    /*Sub*/ [](Code &c, Value a, Value b) { return c.subf(a, b); },
    /*Mul*/ [](Code &c, Value a, Value b) { return c.mulf(a, b); },
    /*Div*/ [](Code &c, Value a, Value b) { return c.divf(a, b); },
    /*Mod*/ floatMod,
    /*Fmod*/ [](Code &c, Value a, Value b) { return callLibrary(c, "fmod", a, b); },
    /*Pow*/ [](Code &c, Value a, Value b) { return callLibrary(c, "pow", a, b); },
    /*Max*/ extreme<arith::MaximumFOp>,
    /*Min*/ extreme<arith::MinimumFOp>,
    /*Prelu*/
    [](Code &c, Value a, Value b) { return c.select(c.cmpf(CmpFPredicate::OLT, a, c.real(0, a)), c.mulf(a, b), a); },
};
constexpr unsigned floatKinds = std::size(floats);
static_assert(floatKinds == unsigned(BinaryKind::And), "a row per kind of function of floats");

struct Comparison {
  BinaryKind kind;
  CmpFPredicate floats;
  CmpIPredicate signedIntegers, unsignedIntegers;
};
const Comparison comparisons[] = {
    {BinaryKind::Equal, CmpFPredicate::OEQ, CmpIPredicate::eq, CmpIPredicate::eq},
    {BinaryKind::Less, CmpFPredicate::OLT, CmpIPredicate::slt, CmpIPredicate::ult},
    {BinaryKind::LessEqual, CmpFPredicate::OLE, CmpIPredicate::sle, CmpIPredicate::ule},
    {BinaryKind::Greater, CmpFPredicate::OGT, CmpIPredicate::sgt, CmpIPredicate::ugt},
    {BinaryKind::GreaterEqual, CmpFPredicate::OGE, CmpIPredicate::sge, CmpIPredicate::uge},
};

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

struct Integers {
  Code &c;
  bool isUnsigned;

  Value isZero(Value x) { return c.cmpi(CmpIPredicate::eq, x, c.integer(0, x)); }
  /// x / -1 overflows for the smallest x, and the processor traps.
  Value isMinusOne(Value x) { return c.cmpi(CmpIPredicate::eq, x, c.integer(-1, x)); }
  Value negative(Value x) { return c.cmpi(CmpIPredicate::slt, x, c.integer(0, x)); }

  Value safeDivisor(Value b) {
    Value bad = isZero(b);
    if (!isUnsigned)
      bad = c.ori(bad, isMinusOne(b));
    return c.select(bad, c.integer(1, b), b);
  }

  Value divide(Value a, Value b) {
    c.unify(a, b);
    Value safe = safeDivisor(b), zero = c.integer(0, a);
    if (isUnsigned)
      return c.select(isZero(b), zero, c.binary<arith::DivUIOp>(a, safe));
    Value q = c.binary<arith::DivSIOp>(a, safe);
    q = c.select(isMinusOne(b), c.subi(zero, a), q);
    return c.select(isZero(b), zero, q);
  }

  /// The sign of the dividend; the divisors 0, 1 and -1 leave 0.
  Value truncatedMod(Value a, Value b) {
    c.unify(a, b);
    Value safe = safeDivisor(b);
    return isUnsigned ? c.binary<arith::RemUIOp>(a, safe) : c.binary<arith::RemSIOp>(a, safe);
  }

  Value mod(Value a, Value b) {
    Value r = truncatedMod(a, b);
    if (isUnsigned)
      return r;
    Value nonZero = c.cmpi(CmpIPredicate::ne, r, c.integer(0, r));
    Value adjust = c.andi(nonZero, c.xori(negative(r), negative(b)));
    return c.select(adjust, c.addi(r, b), r);
  }

  /// By squaring, wrapping. A negative exponent gives 0 but for the bases 1 and -1.
  Value power(Value base, Value exponent) {
    c.unify(base, exponent);
    Value one = c.integer(1, base), zero = c.integer(0, base);
    unsigned width = getElementTypeOrSelf(base.getType()).getIntOrFloatBitWidth();
    auto isOdd = [&](Value x) { return c.cmpi(CmpIPredicate::ne, c.andi(x, one), zero); };
    auto loop = scf::ForOp::create(c.b, c.loc, c.i64(0), c.i64(width), c.i64(1), ValueRange{one, base, exponent},
                                   [&](OpBuilder &b, Location loc, Value, ValueRange args) {
                                     Value result = c.select(isOdd(args[2]), c.muli(args[0], args[1]), args[0]);
                                     Value square = c.muli(args[1], args[1]);
                                     Value rest = c.binary<arith::ShRUIOp>(args[2], one);
                                     scf::YieldOp::create(b, loc, ValueRange{result, square, rest});
                                   });
    Value result = loop.getResult(0);
    if (isUnsigned)
      return result;
    Value alternating = c.select(isOdd(exponent), base, one);
    Value inverse = c.select(isMinusOne(base), alternating, zero);
    inverse = c.select(c.cmpi(CmpIPredicate::eq, base, one), one, inverse);
    return c.select(negative(exponent), inverse, result);
  }

  Value shift(bool left, Value a, Value count) {
    c.unify(a, count);
    unsigned width = getElementTypeOrSelf(a.getType()).getIntOrFloatBitWidth();
    Value last = c.integer(width - 1, a);
    Value within = c.cmpi(CmpIPredicate::ule, count, last);
    Value safe = c.select(within, count, last);
    if (left)
      return c.select(within, c.binary<arith::ShLIOp>(a, safe), c.integer(0, a));
    if (isUnsigned)
      return c.select(within, c.binary<arith::ShRUIOp>(a, safe), c.integer(0, a));
    return c.binary<arith::ShRSIOp>(a, safe);
  }

  Value extreme(bool largest, Value a, Value b) {
    if (largest)
      return isUnsigned ? c.binary<arith::MaxUIOp>(a, b) : c.maxsi(a, b);
    return isUnsigned ? c.binary<arith::MinUIOp>(a, b) : c.minsi(a, b);
  }

  Value prelu(Value a, Value b) { return isUnsigned ? a : c.select(negative(a), c.muli(a, b), a); }

  Value emit(BinaryKind kind, Value a, Value b) {
    switch (kind) {
    case BinaryKind::Add:
      return c.addi(a, b);
    case BinaryKind::Sub:
      return c.subi(a, b);
    case BinaryKind::Mul:
      return c.muli(a, b);
    case BinaryKind::Div:
      return divide(a, b);
    case BinaryKind::Mod:
      return mod(a, b);
    case BinaryKind::Fmod:
      return truncatedMod(a, b);
    case BinaryKind::Pow:
      return power(a, b);
    case BinaryKind::Max:
    case BinaryKind::Min:
      return extreme(kind == BinaryKind::Max, a, b);
    case BinaryKind::Prelu:
      return prelu(a, b);
    case BinaryKind::And:
    case BinaryKind::BitwiseAnd:
      return c.andi(a, b);
    case BinaryKind::Or:
    case BinaryKind::BitwiseOr:
      return c.ori(a, b);
    case BinaryKind::Xor:
    case BinaryKind::BitwiseXor:
      return c.xori(a, b);
    default:
      return shift(kind == BinaryKind::ShiftLeft, a, b);
    }
  }
};

const Comparison *findComparison(BinaryKind kind) {
  for (const Comparison &row : comparisons)
    if (row.kind == kind)
      return &row;
  return nullptr;
}

} // namespace

bool supportsBinary(BinaryKind kind, Type element) {
  if (findComparison(kind))
    return true;
  if (isa<FloatType>(element))
    return unsigned(kind) < floatKinds;
  bool logical = kind >= BinaryKind::And && kind <= BinaryKind::Xor;
  bool bitwise = kind >= BinaryKind::BitwiseAnd && kind <= BinaryKind::BitwiseXor;
  bool extreme = kind == BinaryKind::Max || kind == BinaryKind::Min;
  return element.isInteger(1) ? logical || bitwise || extreme : !logical;
}

Value emitBinary(Code &c, BinaryKind kind, Type element, Value lhs, Value rhs) {
  lhs = widen(c, element, lhs);
  rhs = widen(c, element, rhs);
  if (const Comparison *row = findComparison(kind)) {
    if (isa<FloatType>(element))
      return c.cmpf(row->floats, lhs, rhs);
    return c.cmpi(isUnsigned(element) ? row->unsignedIntegers : row->signedIntegers, lhs, rhs);
  }
  if (!isa<FloatType>(element))
    return Integers{c, isUnsigned(element)}.emit(kind, lhs, rhs);
  return narrow(c, element, floats[unsigned(kind)](c, lhs, rhs));
}

Value emitCombine(Code &c, ReduceKind kind, Type element, Value lhs, Value rhs) {
  return emitBinary(c, graph::combiningKind(kind), element, lhs, rhs);
}

Value emitNeutral(Code &c, ReduceKind kind, Type element) {
  TypedAttr neutral = graph::neutralElement(kind, element);
  if (element.isBF16())
    return c.number(IntegerAttr::get(valueType(element), cast<FloatAttr>(neutral).getValue().bitcastToAPInt()));
  if (auto integer = dyn_cast<IntegerAttr>(neutral))
    return c.number(IntegerAttr::get(valueType(element), integer.getValue()));
  return c.number(neutral);
}

} // namespace cupola::cpu

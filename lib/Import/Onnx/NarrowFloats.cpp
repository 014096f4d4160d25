//===- lib/Import/Onnx/NarrowFloats.cpp - bits of narrow floats and numbers ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/NarrowFloats.h"

#include "lib/Import/Onnx/ComputeType.h"

#include <cmath>

using namespace mlir;
using namespace cupola::graph;

namespace cupola::onnx_import {
namespace {

/// f32 or f64 and the integer of as many bits.
struct Wide {
  Type real, integer;
  int fraction, bias;
};

Wide wideOf(Type real) {
  MLIRContext *context = real.getContext();
  return real.isF64() ? Wide{real, IntegerType::get(context, 64), 52, 1023}
                      : Wide{real, IntegerType::get(context, 32), 23, 127};
}

/// Ops of elements of one wide type.
class Formula {
public:
  Formula(GraphBuilder &b, Wide wide) : b(b), wide(wide) {}

protected:
  Value integer(uint64_t value) { return b.intScalar(static_cast<int64_t>(value), wide.integer); }
  Value real(double value) { return b.scalar(value, wide.real); }
  Value op(BinaryKind kind, Value lhs, Value rhs) { return b.binary(kind, lhs, rhs); }
  Value op(BinaryKind kind, Value lhs, uint64_t rhs) { return b.binary(kind, lhs, integer(rhs)); }
  Value bits(Value value) { return b.bitcast(value, wide.integer); }
  Value number(Value bits) { return b.bitcast(bits, wide.real); }

  GraphBuilder &b;
  const Wide wide;
};

/// Of types that no cast reads, none of which has infinities.
class Decoder : Formula {
public:
  Decoder(GraphBuilder &b, const format::NarrowFloat &type)
      : Formula(b, wideOf(Float32Type::get(b.context()))), type(type) {}

  Value numbers(Value source) {
    const Value all = b.cast(source, wide.integer);
    const unsigned sign = format::signBit(type);
    if (!sign)
      return special(all, powers(all));
    const Value code = op(BinaryKind::BitwiseAnd, all, sign - 1);
    const Value size = special(code, magnitude(code));
    const Value isNegative = op(BinaryKind::GreaterEqual, all, sign);
    const Value value = b.select(isNegative, b.unary(UnaryKind::Neg, size), size);
    return type.hasNegativeZero ? value : b.select(op(BinaryKind::Equal, all, sign), real(std::nan("")), value);
  }

private:
  /// The exponent goes where f32 has it. Where it is 0 the fraction is a number by itself.
  Value magnitude(Value code) {
    Value moved = op(BinaryKind::ShiftLeft, code, wide.fraction - type.fraction);
    Value normal = number(op(BinaryKind::Add, moved, uint64_t(wide.bias - type.bias) << wide.fraction));
    Value small = op(BinaryKind::Mul, b.cast(code, wide.real), real(std::ldexp(1.0, 1 - type.bias - type.fraction)));
    return b.select(op(BinaryKind::Less, code, uint64_t(1) << type.fraction), small, normal);
  }

  /// The exponent of f32, whose 0 stands for 2^-127, a half of the least normal number.
  Value powers(Value code) {
    return number(
        op(BinaryKind::Max, op(BinaryKind::ShiftLeft, code, wide.fraction), uint64_t(1) << (wide.fraction - 1)));
  }

  Value special(Value code, Value value) {
    return type.nan ? b.select(op(BinaryKind::Greater, code, type.largest), real(std::nan("")), value) : value;
  }

  const format::NarrowFloat &type;
};

class Encoder : Formula {
public:
  Encoder(GraphBuilder &b, Wide wide, const format::NarrowFloat &type, const NarrowRounding &rounding)
      : Formula(b, wide), type(type), rounding(rounding) {}

  Value bits(Value value) {
    const Value all = Formula::bits(value), isNaN = b.unary(UnaryKind::IsNaN, value);
    const Value size = op(BinaryKind::BitwiseAnd, all, (uint64_t(1) << (wide.fraction + exponentBits())) - 1);
    return b.cast(type.isSigned ? withSign(nearest(size), all, isNaN) : inRange(exponent(size), isNaN), byte());
  }

private:
  int exponentBits() const { return wide.real.isF64() ? 11 : 8; }
  Type byte() const { return IntegerType::get(b.context(), 8, IntegerType::Unsigned); }

  /// Rounded to the type's fraction as an integer, whose carry goes to the exponent as it should.
  Value nearest(Value size) {
    const int drop = wide.fraction - type.fraction;
    Value moved = op(BinaryKind::Sub, size, uint64_t(wide.bias - type.bias) << wide.fraction);
    Value isOdd = op(BinaryKind::BitwiseAnd, op(BinaryKind::ShiftRight, moved, drop), 1);
    Value half = op(BinaryKind::Add, isOdd, (uint64_t(1) << (drop - 1)) - 1);
    Value normal = op(BinaryKind::ShiftRight, op(BinaryKind::Add, moved, half), drop);
    Value units = op(BinaryKind::Mul, number(size), real(std::ldexp(1.0, type.bias - 1 + type.fraction)));
    Value small = b.cast(b.unary(UnaryKind::Round, units), wide.integer);
    Value isSmall = op(BinaryKind::Less, size, uint64_t(wide.bias - type.bias + 1) << wide.fraction);
    return b.select(isSmall, small, normal);
  }

  /// What is too large, NaN, and the sign.
  Value withSign(Value code, Value all, Value isNaN) {
    const unsigned sign = format::signBit(type);
    const Value isNegative = op(BinaryKind::Less, all, uint64_t(0)),
                isLarge = op(BinaryKind::Greater, code, type.largest);
    // Without infinity and NaN what is too large is the largest number anyway.
    const bool saturates = rounding.saturate || (!type.nan && type.hasNegativeZero);
    const unsigned large = saturates ? type.largest : type.infinity ? type.infinity : type.nan;
    code = b.select(isLarge, integer(large), code);
    if (type.hasNegativeZero) {
      code = b.select(isNaN, integer(type.nan), code);
      return op(BinaryKind::Add, code, b.select(isNegative, integer(sign), integer(0)));
    }
    Value hasSign = op(BinaryKind::And, isNegative, op(BinaryKind::Greater, code, uint64_t(0)));
    code = op(BinaryKind::Add, code, b.select(hasSign, integer(sign), integer(0)));
    return b.select(saturates ? isNaN : op(BinaryKind::Or, isNaN, isLarge), integer(sign), code);
  }

  /// Of the power of two that `size` is rounded to; what it adds to the fraction carries.
  Value exponent(Value size) {
    const uint64_t one = uint64_t(1) << wide.fraction;
    const uint64_t added = rounding.mode == RoundMode::Up ? one - 1 : rounding.mode == RoundMode::Nearest ? one / 2 : 0;
    Value exponent = op(BinaryKind::ShiftRight, op(BinaryKind::Add, size, added), wide.fraction);
    return op(BinaryKind::Sub, exponent, wide.bias - type.bias);
  }

  Value inRange(Value code, Value isNaN) {
    const Value low = integer(0), high = integer(type.largest);
    Value inside = op(BinaryKind::Min, op(BinaryKind::Max, code, low), high);
    if (!rounding.saturate)
      isNaN = op(BinaryKind::Or, isNaN, b.unary(UnaryKind::Not, op(BinaryKind::Equal, inside, code)));
    return b.select(isNaN, integer(type.nan), inside);
  }

  const format::NarrowFloat &type;
  const NarrowRounding &rounding;
};

} // namespace

/// The type that casts read; null where there is none.
static Type numberTypeOf(MLIRContext *context, format::DType dtype) {
  return dtype == format::DType::F8E4M3FN ? Type(Float8E4M3FNType::get(context))
         : dtype == format::DType::F8E5M2 ? Type(Float8E5M2Type::get(context))
                                          : Type();
}

Value numbersOfBits(GraphBuilder &b, Value bits, const format::NarrowFloat &type) {
  if (const Type number = numberTypeOf(b.context(), type.dtype))
    return b.cast(b.bitcast(bits, number), Float32Type::get(b.context()));
  return Decoder(b, type).numbers(bits);
}

Value bitsOfNumbers(GraphBuilder &b, Value numbers, const format::NarrowFloat &type, const NarrowRounding &rounding) {
  // f64 has the powers of two of float8e8m0 among its normal numbers, f32 has not.
  const Type real = type.isSigned ? formulaType({b.element(numbers)}) : Type(Float64Type::get(b.context()));
  return Encoder(b, wideOf(real), type, rounding).bits(b.cast(numbers, real));
}

} // namespace cupola::onnx_import

//===- lib/Reference/Functions.cpp - the scalar functions of graph.unary and graph.binary ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Functions.h"

#include <cmath>
#include <type_traits>

// One rounding per operation on every machine.
#pragma clang fp contract(off)

namespace cupola::reference {

using graph::BinaryKind;
using graph::UnaryKind;

double maxOf(double a, double b) { return a >= b || std::isnan(a) ? a : b; }
double minOf(double a, double b) { return a <= b || std::isnan(a) ? a : b; }

namespace {

double sigmoid(double x) {
  const double z = std::exp(-std::fabs(x)); // no overflow on either side
  return x >= 0 ? 1 / (1 + z) : z / (1 + z);
}
double softplus(double x) { return maxOf(x, 0) + std::log1p(std::exp(-std::fabs(x))); }
double sign(double x) { return std::isnan(x) ? x : static_cast<double>(x > 0) - static_cast<double>(x < 0); }
double geluTanh(double x) { return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }
double modulo(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0)
    return std::copysign(r, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

template <class W> struct UnaryRow {
  UnaryKind kind;
  UnaryFunction<W> function;
};
template <class W> struct BinaryRow {
  BinaryKind kind;
  BinaryFunction<W> function;
};

#define X(expression) [](double x, double, double) -> double { return expression; }
#define XA(expression) [](double x, double alpha, double) -> double { return expression; }
#define XAB(expression) [](double x, double alpha, double beta) -> double { return expression; }
constexpr UnaryRow<double> unaryDouble[] = {
    {UnaryKind::Neg, X(-x)},
    {UnaryKind::Abs, X(std::fabs(x))},
    {UnaryKind::Exp, X(std::exp(x))},
    {UnaryKind::Log, X(std::log(x))},
    {UnaryKind::Sqrt, X(std::sqrt(x))},
    {UnaryKind::Rsqrt, X(1 / std::sqrt(x))},
    {UnaryKind::Reciprocal, X(1 / x)},
    {UnaryKind::Floor, X(std::floor(x))},
    {UnaryKind::Ceil, X(std::ceil(x))},
    {UnaryKind::Round, X(std::nearbyint(x))},
    {UnaryKind::Sign, X(sign(x))},
    {UnaryKind::Erf, X(std::erf(x))},
    {UnaryKind::Tanh, X(std::tanh(x))},
    {UnaryKind::Sigmoid, X(sigmoid(x))},
    {UnaryKind::Relu, X(x < 0 ? 0 : x)},
    {UnaryKind::LeakyRelu, XA(x < 0 ? alpha * x : x)},
    {UnaryKind::Elu, XA(x < 0 ? alpha * std::expm1(x) : x)},
    {UnaryKind::Selu, XAB(x > 0 ? beta * x : beta * (alpha * std::expm1(x)))},
    {UnaryKind::Celu, XA(x < 0 ? alpha * std::expm1(x / alpha) : x)},
    {UnaryKind::Softplus, X(softplus(x))},
    {UnaryKind::Softsign, X(x / (1 + std::fabs(x)))},
    {UnaryKind::HardSigmoid, XAB(maxOf(0, minOf(1, alpha *x + beta)))},
    {UnaryKind::HardSwish, X(x * maxOf(0, minOf(1, x / 6 + 0.5)))},
    {UnaryKind::Mish, X(x * std::tanh(softplus(x)))},
    {UnaryKind::ThresholdedRelu, XA(x > alpha ? x : 0)},
    {UnaryKind::Shrink, XAB(x < -alpha  ? x + beta
                            : x > alpha ? x - beta
                                        : 0)},
    {UnaryKind::GeluErf, X(0.5 * x * (1 + std::erf(x * 0.70710678118654752440)))},
    {UnaryKind::GeluTanh, X(geluTanh(x))},
    {UnaryKind::Silu, XA(x * sigmoid(alpha * x))},
    {UnaryKind::Sin, X(std::sin(x))},
    {UnaryKind::Cos, X(std::cos(x))},
    {UnaryKind::Tan, X(std::tan(x))},
    {UnaryKind::Asin, X(std::asin(x))},
    {UnaryKind::Acos, X(std::acos(x))},
    {UnaryKind::Atan, X(std::atan(x))},
    {UnaryKind::Sinh, X(std::sinh(x))},
    {UnaryKind::Cosh, X(std::cosh(x))},
    {UnaryKind::Asinh, X(std::asinh(x))},
    {UnaryKind::Acosh, X(std::acosh(x))},
    {UnaryKind::Atanh, X(std::atanh(x))},
    {UnaryKind::IsNaN, X(std::isnan(x))},
    {UnaryKind::IsInf, XAB(std::isinf(x) && (x < 0 ? alpha : beta) != 0)},
};
#undef X
#undef XA
#undef XAB

#define AB(expression) [](double a, double b) -> double { return expression; }
constexpr BinaryRow<double> binaryDouble[] = {
    {BinaryKind::Add, AB(a + b)},           {BinaryKind::Sub, AB(a - b)},
    {BinaryKind::Mul, AB(a * b)},           {BinaryKind::Div, AB(a / b)},
    {BinaryKind::Mod, AB(modulo(a, b))},    {BinaryKind::Fmod, AB(std::fmod(a, b))},
    {BinaryKind::Pow, AB(std::pow(a, b))},  {BinaryKind::Max, AB(maxOf(a, b))},
    {BinaryKind::Min, AB(minOf(a, b))},     {BinaryKind::Prelu, AB(a < 0 ? a * b : a)},
    {BinaryKind::Equal, AB(a == b)},        {BinaryKind::Less, AB(a < b)},
    {BinaryKind::LessEqual, AB(a <= b)},    {BinaryKind::Greater, AB(a > b)},
    {BinaryKind::GreaterEqual, AB(a >= b)},
};
#undef AB

//===----------------------------------------------------------------------===//
// Integers: + - * wrap around in 64 bits, and the store drops the high bits
//===----------------------------------------------------------------------===//

template <class W> W wrapped(uint64_t bits) { return static_cast<W>(bits); }
uint64_t word(int64_t x) { return static_cast<uint64_t>(x); }
uint64_t word(uint64_t x) { return x; }

template <class W> W divide(W a, W b) {
  if (b == 0)
    return 0;
  if (std::is_signed_v<W> && b == static_cast<W>(-1))
    return wrapped<W>(0 - word(a));
  return a / b;
}
template <class W> W remainder(W a, W b) {
  if (b == 0 || (std::is_signed_v<W> && b == static_cast<W>(-1)))
    return 0;
  return a % b;
}
template <class W> W modulo(W a, W b) {
  const W r = remainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// A negative exponent gives 0, except for the bases 1 and -1.
template <class W> W power(W base, W exponent) {
  if (exponent < 0) {
    if (base == static_cast<W>(-1))
      return exponent % 2 == 0 ? 1 : base;
    return base == 1;
  }
  uint64_t result = 1, square = word(base);
  for (uint64_t rest = word(exponent); rest != 0; rest >>= 1) {
    if (rest & 1)
      result *= square;
    square *= square;
  }
  return wrapped<W>(result);
}

/// A count outside of [0, 64) shifts everything out; narrower types follow because
/// loads extend and stores drop.
template <class W> W shiftLeft(W a, W count) { return word(count) >= 64 ? 0 : wrapped<W>(word(a) << word(count)); }
template <class W> W shiftRight(W a, W count) {
  if (word(count) >= 64)
    return a < 0 ? static_cast<W>(-1) : 0;
  return a >> word(count);
}

template <class W>
constexpr UnaryRow<W> unaryInteger[] = {
    {UnaryKind::Neg, [](W x, double, double) { return wrapped<W>(0 - word(x)); }},
    {UnaryKind::Abs, [](W x, double, double) { return x < 0 ? wrapped<W>(0 - word(x)) : x; }},
    {UnaryKind::Sign, [](W x, double, double) { return static_cast<W>((x > 0) - (x < 0)); }},
    {UnaryKind::Relu, [](W x, double, double) { return x < 0 ? W(0) : x; }},
    {UnaryKind::Not, [](W x, double, double) { return static_cast<W>(x == 0); }},
    {UnaryKind::BitwiseNot, [](W x, double, double) { return static_cast<W>(~x); }},
};

#define AB(expression) [](W a, W b) -> W { return expression; }
template <class W>
constexpr BinaryRow<W> binaryInteger[] = {
    {BinaryKind::Add, AB(wrapped<W>(word(a) + word(b)))},
    {BinaryKind::Sub, AB(wrapped<W>(word(a) - word(b)))},
    {BinaryKind::Mul, AB(wrapped<W>(word(a) * word(b)))},
    {BinaryKind::Div, AB(divide(a, b))},
    {BinaryKind::Mod, AB(modulo(a, b))},
    {BinaryKind::Fmod, AB(remainder(a, b))},
    {BinaryKind::Pow, AB(power(a, b))},
    {BinaryKind::Max, AB(a > b ? a : b)},
    {BinaryKind::Min, AB(a < b ? a : b)},
    {BinaryKind::Prelu, AB(a < 0 ? wrapped<W>(word(a) * word(b)) : a)},
    {BinaryKind::And, AB(a & b)},
    {BinaryKind::Or, AB(a | b)},
    {BinaryKind::Xor, AB(a ^ b)},
    {BinaryKind::BitwiseAnd, AB(a & b)},
    {BinaryKind::BitwiseOr, AB(a | b)},
    {BinaryKind::BitwiseXor, AB(a ^ b)},
    {BinaryKind::ShiftLeft, AB(shiftLeft(a, b))},
    {BinaryKind::ShiftRight, AB(shiftRight(a, b))},
    {BinaryKind::Equal, AB(a == b)},
    {BinaryKind::Less, AB(a < b)},
    {BinaryKind::LessEqual, AB(a <= b)},
    {BinaryKind::Greater, AB(a > b)},
    {BinaryKind::GreaterEqual, AB(a >= b)},
};
#undef AB

template <class Row, class Kind> auto find(llvm::ArrayRef<Row> table, Kind kind) -> decltype(Row::function) {
  for (const Row &row : table)
    if (row.kind == kind)
      return row.function;
  return nullptr;
}

} // namespace

template <class W> UnaryFunction<W> unaryFunction(UnaryKind kind) {
  if constexpr (std::is_same_v<W, double>)
    return find(llvm::ArrayRef(unaryDouble), kind);
  else
    return find(llvm::ArrayRef(unaryInteger<W>), kind);
}
template <class W> BinaryFunction<W> binaryFunction(BinaryKind kind) {
  if constexpr (std::is_same_v<W, double>)
    return find(llvm::ArrayRef(binaryDouble), kind);
  else
    return find(llvm::ArrayRef(binaryInteger<W>), kind);
}

template UnaryFunction<double> unaryFunction(UnaryKind);
template UnaryFunction<int64_t> unaryFunction(UnaryKind);
template UnaryFunction<uint64_t> unaryFunction(UnaryKind);
template BinaryFunction<double> binaryFunction(BinaryKind);
template BinaryFunction<int64_t> binaryFunction(BinaryKind);
template BinaryFunction<uint64_t> binaryFunction(BinaryKind);

} // namespace cupola::reference

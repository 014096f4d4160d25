//===- lib/Import/Onnx/Philox.cpp - random numbers by place ---------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Philox.h"

#include "lib/Import/Onnx/Bodies.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;

constexpr int rounds = 10;
constexpr uint32_t factors[] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t keySteps[] = {0x9E3779B9, 0xBB67AE85};
/// What an outer loop's iteration counts beside that of the loop in it.
constexpr int64_t outerStride = 1 << 16;

} // namespace

Philox::Philox(OpBinder &op, ArrayRef<Expr> shape, std::optional<uint32_t> seed)
    : op(op), b(op.b), words(counter(shape)) {
  uint32_t key0 = seed ? *seed : op.bodies().nextUnseeded(), key1 = seed ? 0 : 1;
  for (int i = 0; i < rounds; ++i, key0 += keySteps[0], key1 += keySteps[1])
    words = round(words, key0, key1);
}

Type Philox::computed(Type element) { return element.isF64() ? element : Type(Float32Type::get(element.getContext())); }

Value Philox::whole(uint32_t value) {
  return b.intScalar(value, IntegerType::get(b.context(), 64, IntegerType::Unsigned));
}

Philox::Words Philox::counter(ArrayRef<Expr> shape) {
  const Type word = IntegerType::get(b.context(), 64, IntegerType::Unsigned);
  const Exprs around = op.bodies().scopes.iterations();
  Value place = b.bitcast(b.reshape(b.iota({graph::product(shape)}, 0), shape), word);
  const ArrayRef<Expr> loops = around;
  Value inner = loops.empty() ? whole(0) : iterations(loops.take_back());
  return {low(place), high(place), inner, iterations(loops.drop_back(loops.empty() ? 0 : 1))};
}

/// Of loops in loops, as one number.
Value Philox::iterations(ArrayRef<Expr> indices) {
  if (indices.empty())
    return whole(0);
  Expr number(0);
  for (const Expr &index : indices)
    number = number * Expr(outerStride) + index;
  const Type word = IntegerType::get(b.context(), 64, IntegerType::Unsigned);
  return low(b.bitcast(b.dims({number}, {}, b.int64()), word));
}

Philox::Words Philox::round(const Words &from, uint32_t key0, uint32_t key1) {
  Value first = binary(BinaryKind::Mul, from[0], whole(factors[0]));
  Value second = binary(BinaryKind::Mul, from[2], whole(factors[1]));
  const auto mixed = [&](Value product, Value word, uint32_t key) {
    return binary(BinaryKind::BitwiseXor, binary(BinaryKind::BitwiseXor, high(product), word), whole(key));
  };
  return {mixed(second, from[1], key0), low(second), mixed(first, from[3], key1), low(first)};
}

Value Philox::fraction(size_t word, Type element) {
  if (!element.isF64()) {
    Value bits = binary(BinaryKind::ShiftRight, words[word], whole(8));
    return binary(BinaryKind::Mul, b.cast(bits, element), b.scalar(0x1p-24, element));
  }
  Value upper = binary(BinaryKind::ShiftLeft, words[2 * word], whole(21));
  Value bits = binary(BinaryKind::BitwiseOr, upper, binary(BinaryKind::ShiftRight, words[2 * word + 1], whole(11)));
  return binary(BinaryKind::Mul, b.cast(bits, element), b.scalar(0x1p-53, element));
}

Value Philox::normal(Type element) {
  constexpr double twoPi = 6.283185307179586;
  const Type type = computed(element);
  Value rest = binary(BinaryKind::Sub, b.scalar(1, type), fraction(0, type));
  Value radius = b.unary(UnaryKind::Sqrt, binary(BinaryKind::Mul, b.scalar(-2, type), b.unary(UnaryKind::Log, rest)));
  Value angle = binary(BinaryKind::Mul, b.scalar(twoPi, type), fraction(1, type));
  return binary(BinaryKind::Mul, radius, b.unary(UnaryKind::Cos, angle));
}

} // namespace cupola::onnx_import

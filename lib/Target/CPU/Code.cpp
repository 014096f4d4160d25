//===- lib/Target/CPU/Code.cpp - building arithmetic on scalars or vectors ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Code.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace cupola::cpu {

Type valueType(Type element) {
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  if (graph::isFloat8(element))
    return IntegerType::get(element.getContext(), 8);
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

Type storageType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : valueType(element);
}

unsigned elementBytes(Type element) { return storageType(element).getIntOrFloatBitWidth() / 8; }

bool isUnsigned(Type element) { return element.isUnsignedInteger() || element.isInteger(1); }

Value Code::splat(Value value) {
  if (isVector(value))
    return value;
  return vector::BroadcastOp::create(b, loc, VectorType::get({lanes}, value.getType()), value);
}

void Code::unify(Value &lhs, Value &rhs) {
  if (isVector(lhs) != isVector(rhs)) {
    lhs = splat(lhs);
    rhs = splat(rhs);
  }
}

Type Code::typeLike(Type type, Value like) {
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    return VectorType::get(vector.getShape(), type);
  return type;
}

Value Code::i64(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }

Value Code::number(TypedAttr value) { return arith::ConstantOp::create(b, loc, value); }

static TypedAttr shapedLike(TypedAttr scalar, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, scalar);
  return scalar;
}

Value Code::real(double value, Value like) {
  auto scalar = b.getFloatAttr(getElementTypeOrSelf(like.getType()), value);
  return number(shapedLike(scalar, like.getType()));
}

Value Code::integer(int64_t value, Value like) {
  auto scalar = b.getIntegerAttr(getElementTypeOrSelf(like.getType()), value);
  return number(shapedLike(scalar, like.getType()));
}

Value Code::fma(Value a, Value x, Value y) {
  unify(a, x);
  unify(a, y);
  unify(x, y);
  return math::FmaOp::create(b, loc, a, x, y);
}

Value Code::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = real(coefficients.back(), x);
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, real(coefficient, x));
  return result;
}

Value Code::cmpf(arith::CmpFPredicate predicate, Value a, Value c) {
  unify(a, c);
  return arith::CmpFOp::create(b, loc, predicate, a, c);
}

Value Code::cmpi(arith::CmpIPredicate predicate, Value a, Value c) {
  unify(a, c);
  return b.createOrFold<arith::CmpIOp>(loc, predicate, a, c);
}

Value Code::isNaN(Value x) { return cmpf(arith::CmpFPredicate::UNO, x, x); }

Value Code::clamp(Value x, double low, double high) {
  const Value lowest = real(low, x), highest = real(high, x);
  x = select(cmpf(arith::CmpFPredicate::OLT, x, lowest), lowest, x);
  return select(cmpf(arith::CmpFPredicate::OGT, x, highest), highest, x);
}

Value Code::select(Value condition, Value a, Value c) {
  unify(a, c);
  if (isVector(condition))
    a = splat(a), c = splat(c);
  return b.createOrFold<arith::SelectOp>(loc, condition, a, c);
}

Value Code::bitcast(Value value, Type element) { return convert<arith::BitcastOp>(value, element); }

/// Declares `name` in the module that is being built.
static LLVM::LLVMFuncOp libraryFunction(OpBuilder &b, ModuleOp module, StringRef name, ValueRange operands) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  Type element = getElementTypeOrSelf(operands[0].getType());
  SmallVector<Type> types(operands.size(), element);
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), name, LLVM::LLVMFunctionType::get(element, types));
}

Value Code::callLibrary(StringRef name, ValueRange operands) {
  LLVM::LLVMFuncOp function = libraryFunction(b, module, name, operands);
  if (llvm::none_of(operands, isVector))
    return LLVM::CallOp::create(b, loc, function, operands).getResult();
  SmallVector<Value> vectors = llvm::map_to_vector(operands, [&](Value v) { return splat(v); });
  Value result = real(0, vectors[0]);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    auto scalars = llvm::map_to_vector(
        vectors, [&](Value vector) -> Value { return vector::ExtractOp::create(b, loc, vector, lane); });
    Value element = LLVM::CallOp::create(b, loc, function, scalars).getResult();
    result = vector::InsertOp::create(b, loc, element, result, lane);
  }
  return result;
}

Value Code::address(Value pointer, Value index, Type element) {
  Type result = LLVM::LLVMPointerType::get(b.getContext());
  if (isVector(index))
    result = VectorType::get({lanes}, result);
  return LLVM::GEPOp::create(b, loc, result, element, pointer, index);
}

std::pair<Value, Value> Code::exchange(Value a, Value other, unsigned half) {
  const unsigned count = cast<VectorType>(a.getType()).getNumElements();
  SmallVector<int32_t> low, high;
  for (unsigned lane = 0; lane < count; ++lane) {
    low.push_back(lane & half ? count + lane - half : lane);
    high.push_back(lane & half ? count + lane : lane + half);
  }
  const Value first = LLVM::ShuffleVectorOp::create(b, loc, a, other, low);
  return {first, LLVM::ShuffleVectorOp::create(b, loc, a, other, high)};
}

/// What an instruction interleaves without moving anything to another part of a vector.
static constexpr unsigned kPartBytes = 16;

/// The lanes of one half of every part of a and of b, in turn.
static Value interleave(Code &c, Value a, Value other, unsigned part, bool upper) {
  const unsigned count = cast<VectorType>(a.getType()).getNumElements();
  SmallVector<int32_t> lanes;
  for (unsigned lane = 0; lane < count; ++lane)
    lanes.push_back(lane / part * part + upper * part / 2 + lane % part / 2 + lane % 2 * count);
  return LLVM::ShuffleVectorOp::create(c.b, c.loc, a, other, lanes);
}

/// Halves of squares change places, then quarters, .. down to parts of a vector. Within these, interleaving the two
/// halves of their vectors as often as these can be halved does the rest: an instruction each for bytes, too.
void Code::transpose(MutableArrayRef<Value> vectors) {
  const unsigned lanes = vectors.size(), bytes = elementBytes(getElementTypeOrSelf(vectors[0].getType()));
  const unsigned part = std::min(lanes, kPartBytes / bytes);
  for (unsigned half = lanes / 2; half >= part; half /= 2)
    for (unsigned i = 0; i < lanes; ++i)
      if (!(i & half))
        std::tie(vectors[i], vectors[i + half]) = exchange(vectors[i], vectors[i + half], half);
  for (unsigned steps = part; steps > 1; steps /= 2)
    for (unsigned first = 0; first < lanes; first += part) {
      const SmallVector<Value> before(vectors.slice(first, part));
      for (unsigned i = 0; i < part; ++i)
        vectors[first + i] = interleave(*this, before[i / 2], before[i / 2 + part / 2], part, i % 2);
    }
}

/// In each step two vectors become one that has half as many addends of either.
Value Code::addLanes(SmallVector<Value> sums) {
  const unsigned count = cast<VectorType>(sums[0].getType()).getNumElements();
  sums.resize(count, number(cast<TypedAttr>(b.getZeroAttr(sums[0].getType()))));
  for (unsigned half = count / 2; half > 0; half /= 2)
    for (unsigned i = 0; i < half; ++i) {
      const auto [low, high] = exchange(sums[i], sums[i + half], half);
      sums[i] = addf(low, high);
    }
  return sums[0];
}

Value Code::part(Value vector, int64_t first, int64_t count) {
  const auto own = llvm::to_vector(llvm::seq<int32_t>(first, first + count));
  return LLVM::ShuffleVectorOp::create(b, loc, vector, vector, own);
}

Value Code::byParts(ValueRange vectors, int64_t count, function_ref<Value(ValueRange)> body) {
  const int64_t all = cast<VectorType>(vectors[0].getType()).getNumElements();
  if (all == count)
    return body(vectors);
  const auto half = [&](int64_t first) {
    const auto own = llvm::map_to_vector(vectors, [&](Value vector) { return part(vector, first, all / 2); });
    return byParts(own, count, body);
  };
  const Value low = half(0), high = half(all / 2);
  return LLVM::ShuffleVectorOp::create(b, loc, low, high, llvm::to_vector(llvm::seq<int32_t>(0, all)));
}

SmallVector<Value> Code::forCount(Value count, ValueRange init,
                                  function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, i64(0), count, i64(1), init,
                                 [&](OpBuilder &inside, Location at, Value i, ValueRange carried) {
                                   scf::YieldOp::create(inside, at, body(i, carried));
                                 });
  return SmallVector<Value>(loop.getResults());
}

} // namespace cupola::cpu

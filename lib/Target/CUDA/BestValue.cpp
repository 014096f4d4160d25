//===- lib/Target/CUDA/BestValue.cpp - the position of the best value, of a thread and of all ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/BestValue.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

using graph::BinaryKind;

BestValue::BestValue(Lowering &low, ArgReduceOp op)
    : low(low), op(op), type(op.getBody().front().getTerminator()->getOperand(0).getType()),
      best(low.variable(low.constant(type, 0))), where(low.variable(low.constant(low.builder.getI64Type(), -1))) {}

Value BestValue::binary(BinaryKind kind, Value lhs, Value rhs) {
  const bool isLogical = kind == BinaryKind::And || kind == BinaryKind::Or;
  const Type result = isLogical ? lhs.getType() : low.builder.getI1Type();
  return BinaryOp::create(low.builder, low.func.getLoc(), result, kind, lhs, rhs);
}

Value BestValue::predicate(graph::UnaryKind kind, Value value) {
  const llvm::APFloat none(0.0);
  return UnaryOp::create(low.builder, low.func.getLoc(), low.builder.getI1Type(), kind, value, none, none,
                         /*coarse=*/false);
}

Value BestValue::isNone(Value place) { return binary(BinaryKind::Less, place, low.constant(place.getType(), 0)); }

Value BestValue::isBetter(Value value, Value old, Value place) {
  const bool isMax = op.getKind() == graph::ReduceKind::Max, last = op.getLast();
  const BinaryKind better = isMax ? (last ? BinaryKind::GreaterEqual : BinaryKind::Greater)
                                  : (last ? BinaryKind::LessEqual : BinaryKind::Less);
  Value wins = binary(BinaryKind::Or, isNone(place), binary(better, value, old));
  if (!llvm::isa<FloatType>(type))
    return wins;
  Value isNaN = predicate(graph::UnaryKind::IsNaN, value);
  if (!last) { // The first NaN stays.
    Value open = predicate(graph::UnaryKind::Not, predicate(graph::UnaryKind::IsNaN, old));
    isNaN = binary(BinaryKind::And, isNaN, open);
    wins = binary(BinaryKind::And, wins, open);
  }
  return binary(BinaryKind::Or, isNaN, wins);
}

void BestValue::take(Value value) {
  Expr position = 0;
  for (auto [index, extent] : llvm::zip_equal(op.getBody().getArguments(), graph::exprsOf(op.getExtents())))
    position = position * extent + low.vars.of(low.values.lookup(index));
  SmallVector<Value> indices = low.vars.write(position);
  take(value, IndexOp::create(low.builder, low.func.getLoc(), low.builder.getI64Type(), position, indices));
}

void BestValue::take(Value value, Value position) {
  const Value old = low.get(best), place = low.get(where), wins = isBetter(value, old, place);
  const Location loc = low.func.getLoc();
  low.set(SelectOp::create(low.builder, loc, type, wins, value, old), best);
  low.set(SelectOp::create(low.builder, loc, place.getType(), wins, position, place), where);
}

BestValue::Found BestValue::ofAll(llvm::function_ref<Value(const Accumulator &)> combine) {
  const Location loc = low.func.getLoc();
  const Value own = low.get(where), none = isNone(own);
  const Accumulator values = makeAccumulator(low, op.getKind(), type);
  const Value neutral = low.get(values.registers), mine = low.cast(low.get(best), neutral.getType());
  low.set(SelectOp::create(low.builder, loc, neutral.getType(), none, neutral, mine), values.registers);
  const Value of = combine(values);
  // The first or the last of the threads' positions where that value stands.
  Value isIt = binary(BinaryKind::Equal, mine, of);
  if (llvm::isa<FloatType>(type))
    isIt = binary(BinaryKind::Or, isIt, predicate(graph::UnaryKind::IsNaN, mine));
  isIt = binary(BinaryKind::And, isIt, predicate(graph::UnaryKind::Not, none));
  const auto side = op.getLast() ? graph::ReduceKind::Max : graph::ReduceKind::Min;
  const Accumulator places = makeAccumulator(low, side, own.getType());
  low.set(SelectOp::create(low.builder, loc, own.getType(), isIt, own, low.get(places.registers)), places.registers);
  return {low.cast(of, type), combine(places)};
}

} // namespace cupola::cuda

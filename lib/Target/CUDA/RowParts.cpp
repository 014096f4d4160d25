//===- lib/Target/CUDA/RowParts.cpp - one loop over a row that blocks share ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/RowParts.h"

#include "lib/Target/CUDA/BestValue.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {

LogicalResult RowParts::run(Operation *loop, const Expr &ofRow, const Expr &ofPart, Lowering::Body rest) {
  row = ofRow;
  part = ofPart;
  if (auto op = dyn_cast<kernel::ReduceOp>(loop))
    return reduce(op, rest);
  return reduce(cast<ArgReduceOp>(loop), rest);
}

/// Words, but those of counters.
static Type storedType(Type type) {
  const Type word = wordType(type);
  return word.isUnsignedInteger(32) ? IntegerType::get(type.getContext(), 64) : word;
}

Value RowParts::leave(Value value) {
  Value all = low.workspace(rows * parts, storedType(value.getType()));
  (void)low.guard({-low.thread()}, [&] {
    low.store(low.cast(value, storedType(value.getType())), all, row * parts + part);
    return success();
  });
  return all;
}

LogicalResult RowParts::eachPart(llvm::function_ref<void(const Expr &)> body) {
  return low.guard({parts - 1 - low.thread()}, [&] {
    body(row * parts + low.thread());
    return success();
  });
}

LogicalResult RowParts::lastBlock(Lowering::Body body) { return low.lastBlock(low.counters(rows), row, parts, body); }

LogicalResult RowParts::reduce(kernel::ReduceOp op, Lowering::Body rest) {
  if (failed(loops.reduce(op)))
    return failure();
  SmallVector<Value> left;
  for (Value result : op.getResults())
    left.push_back(leave(low.values.lookup(result)));
  return lastBlock([&] {
    for (auto [kind, result, all] :
         llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResults(), left)) {
      const Accumulator accumulator = makeAccumulator(low, kind.getValue(), result.getType());
      const Value memory = all;
      (void)eachPart([&](const Expr &element) { accumulate(low, accumulator, low.load(memory, {element, {}})); });
      low.values.map(result, low.cast(loops.combine(accumulator), result.getType()));
    }
    return rest();
  });
}

LogicalResult RowParts::reduce(ArgReduceOp op, Lowering::Body rest) {
  const auto combine = [&](const Accumulator &all) { return loops.combine(all); };
  BestValue own(low, op);
  if (failed(loops.each(op, [&](ValueRange yielded, const Expr &) { own.take(yielded[0]); })))
    return failure();
  const BestValue::Found found = own.ofAll(combine);
  const Value values = leave(found.value), positions = leave(found.position);
  return lastBlock([&] {
    BestValue all(low, op);
    (void)eachPart([&](const Expr &element) {
      all.take(low.cast(low.load(values, {element, {}}), found.value.getType()), low.load(positions, {element, {}}));
    });
    low.values.map(op.getResult(), all.ofAll(combine).position);
    return rest();
  });
}

} // namespace cupola::cuda

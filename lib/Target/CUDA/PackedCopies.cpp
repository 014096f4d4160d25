//===- lib/Target/CUDA/PackedCopies.cpp - packed operands on their way to shared memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/OperandCopies.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

/// Runs in a thread's vector, and what it has of each.
static int64_t runsOf(const Operand &op) { return std::max<int64_t>(op.width / PackedOperand::run, 1); }
static int64_t runOf(const Operand &op) { return std::min(op.width, PackedOperand::run); }
static int64_t othersOf(const Operand &op) { return op.packed->areSame ? 1 : runsOf(op); }

bool OperandVectors::planPacked(Operand &op) const {
  op.packed = packedOperand(*op.body, op.kIndex, op.depthExtent, vars, divisors);
  if (!op.packed)
    return false;
  const int64_t most = op.packed->areTwoRuns ? 2 * PackedOperand::run : PackedOperand::run;
  for (int64_t width = most; width >= PackedOperand::run / 2; width /= 2)
    if (op.depth % width == 0 && op.outer * op.depth % (threads * width) == 0) {
      op.alongK = true;
      op.width = width;
      op.count = op.outer * op.depth / (threads * width);
      return true;
    }
  op.packed.reset();
  return false;
}

void OperandCopies::allocatePacked(Operand &op) {
  for (int64_t i = 0; i < op.count; ++i)
    op.bytes.push_back(low.registers({}, op.packed->bytes.getType(), runOf(op)));
  for (LoadOp load : op.packed->others)
    op.others.push_back(low.registers({op.count, othersOf(op)}, load.getType()));
}

/// Neighbouring threads have neighbouring rows, whose vectors lie in other banks, or two of a row, which share a
/// sector.
void OperandCopies::forPacked(const Operand &op, llvm::function_ref<void(int64_t, const Expr &, const Expr &)> body) {
  const int64_t inRow = op.depth / op.width, together = op.width > PackedOperand::run && inRow % 2 == 0 ? 2 : 1;
  for (int64_t i = 0; i < op.count; ++i) {
    const Expr flat = low.thread() + i * threads;
    const Expr outer = mod(floorDiv(flat, together), op.outer);
    const Expr inner = floorDiv(flat, together * op.outer) * together + mod(flat, together);
    body(i, simplify(outer, low.vars.ranges()), simplify(inner * op.width, low.vars.ranges()));
  }
}

Lowering::Source OperandCopies::packedSource(const Operand &op, LoadOp load, const Expr &outer, const Expr &k) {
  Lowering::Source from = source(op, load, outer, k);
  if (!from.mask.empty())
    from.other = low.constant(load.getType(), 0);
  return from;
}

void OperandCopies::fetchPacked(Operand &op) {
  forPacked(op, [&](int64_t i, const Expr &outer, const Expr &k) {
    auto viewOf = [&](LoadOp load) { return low.values.lookup(load.getView()); };
    low.loadVector(viewOf(op.packed->bytes), packedSource(op, op.packed->bytes, outer, k), op.bytes[i]);
    for (auto [other, registers] : llvm::zip_equal(op.packed->others, op.others))
      for (int64_t run = 0; run < othersOf(op); ++run) {
        const Lowering::Source from = packedSource(op, other, outer, k + run * PackedOperand::run);
        low.set(low.load(viewOf(other), from), registers, {i, run});
      }
  });
}

void OperandCopies::storePacked(Operand &op) {
  forPacked(op, [&](int64_t i, const Expr &outer, const Expr &k) {
    for (int64_t run = 0; run < runsOf(op); ++run)
      storeRun(op, i, run, outer, k + run * PackedOperand::run);
  });
}

/// Of the bytes of the number at k.
Value OperandCopies::shiftAt(const Operand &op, const Expr &k) {
  const Type ui8 = LoadOp(op.packed->bytes).getType();
  Expr shift =
      simplify(op.packed->shift.substitute({{low.vars.name(op.kIndex), tile * op.depth + k}}), low.vars.ranges());
  if (const std::optional<int64_t> number = shift.constant())
    return low.constant(ui8, double(*number));
  SmallVector<Value> indices = low.vars.write(shift);
  return low.cast(IndexOp::create(low.builder, low.func.getLoc(), low.builder.getI64Type(), shift, indices), ui8);
}

void OperandCopies::unpackRun(const Operand &op, int64_t i, const graph::Exprs &at, const Expr &k, Value vectors) {
  const auto type = llvm::cast<RegistersType>(vectors.getType());
  const Nibbles &nibbles = *op.packed->nibbles;
  Value offset = nibbles.offset ? low.constant(low.builder.getI8Type(), *nibbles.offset) : low.get(op.others[1], at);
  Value numbers = low.registers({}, type.getElement(), runOf(op));
  UnpackOp::create(low.builder, low.func.getLoc(), op.bytes[i], shiftAt(op, k), offset, low.get(op.others[0], at),
                   numbers);
  (void)low.loop("e", 0, runOf(op), 1, /*unroll=*/true, [&](const Expr &e) {
    low.set(low.get(numbers, {e}), vectors, {floorDiv(e, type.getVector()), mod(e, type.getVector())});
    return success();
  });
}

/// The kernel's ops, one element after the other.
void OperandCopies::computeRun(const Operand &op, int64_t i, const graph::Exprs &at, Value vectors) {
  const int64_t width = llvm::cast<RegistersType>(vectors.getType()).getVector();
  for (auto [other, registers] : llvm::zip_equal(op.packed->others, op.others))
    low.values.map(LoadOp(other).getResult(), low.get(registers, at));
  (void)low.loop("e", 0, runOf(op), 1, /*unroll=*/true, [&](const Expr &e) {
    low.values.map(LoadOp(op.packed->bytes).getResult(), low.get(op.bytes[i], {e}));
    for (Operation &made : op.body->without_terminator())
      if (!isa<LoadOp>(made))
        (void)low.clone(made);
    low.set(low.yielded(*op.body)[0], vectors, {floorDiv(e, width), mod(e, width)});
    return success();
  });
}

void OperandCopies::storeRun(const Operand &op, int64_t i, int64_t run, const Expr &outer, const Expr &k) {
  const Type type = llvm::cast<SmemType>(op.smem.getType()).getElement();
  const int64_t width = std::min(16 / graph::byteSize(type), runOf(op)), parts = runOf(op) / width;
  const graph::Exprs at = {i, op.packed->areSame ? 0 : run};
  Value vectors = low.registers({parts}, type, width);
  if (op.packed->nibbles)
    unpackRun(op, i, at, k, vectors);
  else
    computeRun(op, i, at, vectors);
  for (int64_t part = 0; part < parts; ++part)
    low.storeVector(vectors, {part}, op.smem, sharedPlace(op, outer, k + part * width));
}

} // namespace cupola::cuda

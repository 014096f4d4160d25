//===- lib/Target/CPU/FourBits.cpp - what is made of numbers of four bits, by a table ---===//
// SPDX-License-Identifier: Apache-2.0
//
// There are sixteen of them, as many as a vector has lanes. What constants make of a number,
// a float less an offset, is computed for each once, in the lane of that number, and an
// instruction brings every lane what its number stands for. It reads the low four bits of an
// index, so that nothing has to mask them.

#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Scalars.h"

using namespace mlir;
using namespace cupola::kernel;
using cupola::graph::BinaryKind;

namespace cupola::cpu {
namespace {

constexpr unsigned kNumbers = 16;

/// .. & 15
bool isNumber(Operation &op) {
  auto mask = dyn_cast<BinaryOp>(op);
  return mask && mask.getKind() == BinaryKind::BitwiseAnd && mask.getType().isUnsignedInteger(8) &&
         isInteger(mask.getRhs(), kNumbers - 1);
}

/// The float that constants make of the number, and the ops between.
SmallVector<Operation *> floatOf(Operation &number) {
  SmallVector<Operation *> ops;
  for (Value made = number.getResult(0); made.hasOneUse();) {
    Operation *next = *made.getUsers().begin();
    const auto isKnown = [&](Value value) { return value == made || value.getDefiningOp<kernel::ConstantOp>(); };
    if (next->getBlock() != number.getBlock() || !isa<CastOp, UnaryOp, BinaryOp>(next) ||
        !llvm::all_of(next->getOperands(), isKnown))
      break;
    ops.push_back(next);
    made = next->getResult(0);
  }
  while (!ops.empty() && !ops.back()->getResult(0).getType().isF32())
    ops.pop_back();
  return ops;
}

} // namespace

/// The words in whose low four bits the numbers are.
Value Emitter::wordsOf(Operation *op) {
  auto number = cast<BinaryOp>(op);
  const auto words = [&](Value value) {
    return c.convert<arith::ExtUIOp>(c.splat(values.lookup(value)), c.b.getI32Type());
  };
  auto shift = number.getLhs().getDefiningOp<BinaryOp>();
  if (shift && shift.getKind() == BinaryKind::ShiftRight)
    return c.binary<arith::ShRUIOp>(words(shift.getLhs()), words(shift.getRhs()));
  return words(number.getLhs());
}

Value Emitter::operandByTable(Region &operand) {
  if (c.lanes != kNumbers || isa.lanes() != kNumbers) // AVX-512
    return operandElement(operand);
  mlir::Block &body = operand.front();
  llvm::DenseSet<Operation *> emitted; // with their number
  for (Operation &op : body.without_terminator()) {
    if (emitted.contains(&op))
      continue;
    emitOp(&op);
    const SmallVector<Operation *> ofNumber = isNumber(op) ? floatOf(op) : SmallVector<Operation *>();
    if (!ofNumber.empty())
      lookUp(&op, ofNumber);
    emitted.insert(ofNumber.begin(), ofNumber.end());
  }
  const Value yielded = body.getTerminator()->getOperand(0);
  return emitCast(c, yielded.getType(), operandType(operand), values.lookup(yielded));
}

/// Emits these ops; by a table where the number is a vector.
void Emitter::lookUp(Operation *number, ArrayRef<Operation *> ofNumber) {
  Value &value = values[number->getResult(0)];
  const bool isVector = Code::isVector(value);
  if (isVector)
    value = c.number(DenseElementsAttr::get(VectorType::get({kNumbers}, c.b.getI8Type()),
                                            ArrayRef(llvm::to_vector(llvm::seq<int8_t>(0, kNumbers)))));
  for (Operation *op : ofNumber) {
    for (Value known : op->getOperands())
      if (auto constant = known.getDefiningOp<kernel::ConstantOp>())
        emitOp(constant);
    emitOp(op);
  }
  if (!isVector)
    return;
  Value &table = values[ofNumber.back()->getResult(0)];
  table =
      LLVM::CallIntrinsicOp::create(c.b, c.loc, table.getType(), c.b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                                    ValueRange{table, wordsOf(number)})
          .getResult(0);
}

} // namespace cupola::cpu

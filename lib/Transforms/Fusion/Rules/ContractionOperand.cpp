//===- lib/Transforms/Fusion/Rules/ContractionOperand.cpp - what a contraction reads ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/ChosenMatrices.h"
#include "lib/Transforms/Fusion/Rules/Cost.h"
#include "lib/Transforms/Fusion/Rules/Rule.h"
#include "lib/Transforms/Quantized/PackedWeights.h"

using namespace mlir;

namespace cupola::fusion {

/// `op` scales the left operand of a contraction of one tap, which reads it by `use`, with
/// something that repeats. Two of the widest tiles have all columns: the multiplications
/// repeated for each cost less than a pass over the tensor.
static bool isGate(Operation *op, Operation *hero, OpOperand &use) {
  constexpr int64_t mostColumns = 256;
  auto product = dyn_cast<graph::BinaryOp>(op);
  if (!product || product.getKind() != graph::BinaryKind::Mul || use.getOperandNumber() != 0)
    return false;
  auto repeats = [](Value value) { return isa_and_nonnull<graph::BroadcastOp>(value.getDefiningOp()); };
  if (llvm::none_of(op->getOperands(), repeats))
    return false;
  graph::Exprs weights = graph::shapeOf(hero->getOperand(1));
  auto conv = dyn_cast<graph::ConvOp>(hero);
  if (conv && (conv.getGroups() != 1 || conv.hasWindow()))
    return false;
  const std::optional<int64_t> columns = weights[conv ? conv.dims().columns : weights.size() - 1].constant();
  return columns && *columns <= mostColumns;
}

/// Queries are computed in the kernel of their attention where that costs little: on plain cores again for every block
/// of keys.
static bool isRepeated(const Group &reader, Operation *op, OpOperand &use) {
  const bool ofScores = isAttention(reader) && use.getOwner() == reader.core.front();
  return isTileOperand(reader, use) || (ofScores && isCostly(op));
}

/// The product whose kernel the reader is, but for those of attention, which have other loops.
static graph::MatMulOp productOf(const Group *reader) {
  return reader && !isAttention(*reader) ? dyn_cast_or_null<graph::MatMulOp>(reader->hero) : graph::MatMulOp();
}

bool choosesMatrices(const Candidate &candidate) {
  graph::MatMulOp product = productOf(candidate.onlyReader());
  return product && isa<graph::GatherOp>(candidate.op) && llvm::any_of(product->getOperands(), [&](Value operand) {
           const auto chosen = graph::chosenMatrices(operand, candidate.kernels.ranges);
           return chosen && llvm::any_of(*chosen, [&](const auto &matrix) { return matrix.gather == candidate.op; });
         });
}

/// Packed weights are taken apart for every tile: that costs less than to read what they become. They may be those that
/// an index chooses.
static bool isOfWeights(const Candidate &candidate, const Group &reader) {
  const auto isRight = [&](OpOperand *use) {
    return candidate.kernels.isInTile(use->getOwner()) ||
           (isa<graph::MatMulOp, graph::BlockMatMulOp>(use->getOwner()) && use->getOperandNumber() == 1);
  };
  if (!llvm::all_of(candidate.reads.uses, isRight))
    return false;
  const Value result = candidate.op->getResult(0);
  graph::MatMulOp product = productOf(&reader);
  return isMadeOfBytes(result) || (product && isMadeOfGatheredBytes(result) &&
                                   graph::chosenMatrices(product.getRhs(), candidate.kernels.ranges));
}

/// Bytes are read as float8 where they lie.
static bool isReading(Operation *op) {
  return isa<graph::BitcastOp>(op) && graph::isFloat8(graph::elementOf(op->getResult(0)));
}

/// Elements moved or cast.
static bool isMove(Operation *op) { return isView(op) || isa<graph::CastOp>(op); }

/// A sum or a product, or a constant, or elements moved or cast.
static bool isSimple(Operation *op) {
  if (auto binary = dyn_cast<graph::BinaryOp>(op))
    return llvm::is_contained({graph::BinaryKind::Add, graph::BinaryKind::Sub, graph::BinaryKind::Mul},
                              binary.getKind());
  return isMove(op) || isa<graph::ConstantOp>(op);
}

/// Of what has a byte for each element, by such ops alone.
static bool isMadeOfElements(Value value, llvm::function_ref<bool(Operation *)> isSuch) {
  SmallVector<Value> work{value};
  SmallPtrSet<Operation *, 8> seen; // operands may be shared
  while (!work.empty()) {
    const Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (graph::elementOf(next).getIntOrFloatBitWidth() == 8)
      continue;
    if (!op || !isSuch(op))
      return false;
    if (seen.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// Keys and values of bytes, as they are or `integer * scale`: their attention reads a quarter of what it would read as
/// numbers.
static bool isOfCache(const Candidate &candidate, const Group &reader) {
  const Value value = candidate.op->getResult(0);
  const Options &options = candidate.kernels.options;
  const auto isOnlyMove = [](Operation *op) { return isMove(op) && op->getNumOperands() == 1; };
  return isAttention(reader) && graph::elementOf(value).getIntOrFloatBitWidth() != 8 &&
         ((options.byteKeys && isMadeOfElements(value, isOnlyMove)) ||
          (options.scaledByteKeys && isMadeOfElements(value, isSimple)));
}

std::optional<StringRef> refuseContractionOperand(const Candidate &candidate) {
  Group *reader = candidate.onlyReader();
  if (!reader || !hasContraction(*reader) || isOfWeights(candidate, *reader) || isReading(candidate.op) ||
      choosesMatrices(candidate) || isOfCache(candidate, *reader))
    return std::nullopt;
  for (OpOperand *use : candidate.reads.uses) {
    Operation *user = use->getOwner();
    if (candidate.kernels.isInTile(user) ||
        (isRepeated(*reader, candidate.op, *use) && !isGate(candidate.op, user, *use)))
      return "an operand of a contraction would be computed again for every tile";
  }
  return std::nullopt;
}

//===--- Operands of parts ---===//

static bool hasWindow(Operation *hero) {
  auto conv = dyn_cast_or_null<graph::ConvOp>(hero);
  return conv && conv.hasWindow();
}

/// Pointwise ops whose results reach `value` through views; false where some of it
/// comes from memory.
static bool collectParts(const Formation &kernels, Value value, SetVector<Operation *> &parts) {
  Operation *op = value.getDefiningOp();
  if (!op || kernels.isComputed(op))
    return false;
  if (classOf(op) == graph::FusionClass::Pointwise)
    return parts.insert(op), true;
  return isView(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return collectParts(kernels, operand, parts); });
}

/// Whether `view` reads elements of another concat through views: each element would be chosen among the parts of both.
static bool readsConcat(const Formation &kernels, Operation *view) {
  return llvm::any_of(view->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && isView(producer) && !kernels.isComputed(producer) &&
           (isa<graph::ConcatOp>(producer) || readsConcat(kernels, producer));
  });
}

/// A contraction that reads several computed parts would have each of them written by
/// a kernel of its own: one kernel writes the joined tensor. So it does for a window, which
/// would choose among the parts again for every tap, and for whatever has a hero and would choose among the parts of
/// parts: units that shuffle channels and hand half of them on would else read through all units before.
bool storeParts(const Formation &kernels, Operation *view) {
  if (!isa<graph::ConcatOp>(view))
    return false;
  const SetVector<Group *> readers = kernels.readsOf(view).kernels;
  SetVector<Operation *> parts;
  if (llvm::any_of(readers, [](Group *group) { return group && hasWindow(group->hero); }))
    return true;
  if (llvm::any_of(readers, [](Group *group) { return group && group->hero; }) && readsConcat(kernels, view))
    return true;
  if (!kernels.options.prologues || !collectParts(kernels, view->getResult(0), parts) || parts.size() < 2)
    return false;
  return llvm::all_of(parts, [&](Operation *part) { return kernels.readsOf(part).kernels == readers; }) &&
         llvm::any_of(readers, [](Group *group) { return group && hasContraction(*group); });
}

} // namespace cupola::fusion

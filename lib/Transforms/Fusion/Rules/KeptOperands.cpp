//===- lib/Transforms/Fusion/Rules/KeptOperands.cpp - keys and values of a cache ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A step of generation appends a few rows to the keys and values of those before and returns
// both. The kernel that multiplies them reads all parts anyway: it computes what is appended
// and writes the whole, which saves a kernel for each; but its blocks are few, so that on GPUs large ones are better
// written by others.

#include "dialects/Graph/Placement.h"
#include "lib/Transforms/Fusion/Rules/Cost.h"
#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;

namespace {

/// The parts are read, and what is appended is computed, again for every head that shares them and every block of
/// rows: few of these, and little to compute.
constexpr int64_t mostRows = 64;
constexpr size_t mostOps = 8;

/// A view that has all elements of what it is a view of: Emitter::storeOrigin goes back through it.
bool hasAllElements(Operation *op) { return isa<graph::TransposeOp, graph::ReshapeOp, graph::BroadcastOp>(op); }

/// What `value`, an operand of `product`, is a view of, if the model returns that and nothing else reads it.
Value returnedOrigin(Value value, Operation *product) {
  Operation *reader = product;
  while (Operation *op = value.getDefiningOp()) {
    auto isReturned = [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); };
    if (llvm::any_of(value.getUsers(), isReturned))
      return llvm::all_of(value.getUsers(), [&](Operation *user) { return user == reader || isReturned(user); })
                 ? value
                 : Value();
    if (!hasAllElements(op) || !value.hasOneUse())
      return {};
    reader = op;
    value = op->getOperand(0);
  }
  return {};
}

/// Pointwise ops and views of what other kernels write, as they do what has several readers.
bool isLittleWork(const Formation &kernels, Value value) {
  SmallVector<Value> work{value};
  DenseSet<Operation *> seen;
  size_t computed = 0;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    const bool isStored = op && op != value.getDefiningOp() && !op->getResult(0).hasOneUse();
    if (!op || isStored || kernels.isComputed(op) || isHero(op) || classOf(op) == graph::FusionClass::Constant ||
        !seen.insert(op).second)
      continue;
    computed += !isView(op);
    if (isCostly(op) || isa<graph::JoinOp>(op) || computed > mostOps)
      return false;
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

bool canKeep(const Formation &kernels, Value value) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  const int64_t elements = op ? graph::product(graph::shapeOf(value)).constant().value_or(0) : 0;
  return op && elements <= kernels.options.mostKept && !kernels.isComputed(op) && graph::isDense(value) &&
         isLittleWork(kernels, value) && (isa<graph::ConcatOp>(op) || classOf(op) == graph::FusionClass::Pointwise);
}

} // namespace

void fusion::keepOperands(Formation &kernels, Group &attention) {
  auto scores = cast<graph::MatMulOp>(attention.core.front()), result = cast<graph::MatMulOp>(attention.hero);
  graph::Exprs dims = graph::shapeOf(scores.getResult());
  if (!kernels.options.prologues || dims[dims.size() - 2].constant().value_or(mostRows + 1) > mostRows)
    return;
  for (graph::MatMulOp product : {scores, result})
    if (Value value = returnedOrigin(product.getRhs(), product); canKeep(kernels, value))
      kernels.keep(attention, value);
}

//===- lib/Target/CPU/SwapOperands.cpp - products of few rows become products of few columns ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A right operand that lies in columns, as the keys of an attention or a matrix that the model transposes, has to be
// turned before a vector can hold some of its columns. With few rows that takes longer than to multiply. As the left
// operand it is read where it lies, and vectors along the depth are all that few columns need (DepthKernel.h).

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Passes.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

#define GEN_PASS_DEF_SWAPOPERANDS
#include "lib/Target/CPU/Passes.h.inc"

namespace {

bool paysToSwap(FuncOp func, const CpuArchitecture &isa) {
  DotOp dot = dotOf(func);
  if (!dot || dot.getInit())
    return false;
  Variables vars(func);
  Result<Contraction> read = readContraction(vars, func);
  if (read.failed() || read->isPacked || !hasFewColumns(dot, read->rows, isa))
    return false;
  const std::optional<int64_t> columns = read->columns.constant();
  return (isContiguous(vars, dot.getRhs(), read->k, read->n, read->rhsType()) ||
          (!plainOperand(dot.getRhs()) && liesAlong(vars, dot.getRhs(), read->k, read->n, isa.lanes()))) &&
         (!columns || *columns > *read->rows.constant());
}

void swapArguments(mlir::Block &block) {
  BlockArgument first = block.getArgument(0), second = block.getArgument(1);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : first.getUses())
    uses.push_back(&use);
  second.replaceAllUsesWith(first);
  for (OpOperand *use : uses)
    use->set(second);
}

ArrayAttr reversed(ArrayAttr list) {
  SmallVector<Attribute> elements(llvm::reverse(list.getValue()));
  return ArrayAttr::get(list.getContext(), elements);
}

void swapRegions(DotOp dot) {
  mlir::Block *lhs = &dot.getLhs().front(), *rhs = &dot.getRhs().front();
  dot.getRhs().push_back(lhs->getParent()->getBlocks().remove(lhs));
  dot.getLhs().push_back(dot.getRhs().getBlocks().remove(rhs));
  swapArguments(*lhs);
  swapArguments(*rhs);
}

} // namespace

void swapOperands(FuncOp func, const CpuArchitecture &isa) {
  if (!paysToSwap(func, isa))
    return;
  DotOp dot = dotOf(func);
  MLIRContext *context = func.getContext();
  const graph::Exprs extents = graph::exprsOf(dot.getExtents());
  swapRegions(dot);
  dot.setExtentsAttr(graph::exprArray(context, {extents[1], extents[0], extents[2]}));
  const TileType tile = dot.getTile().getType();
  dot.getTile().setType(TileType::get(context, tile.getElement(), llvm::to_vector(llvm::reverse(tile.getExtents()))));
  for (auto loop : func.getBody().getOps<ForeachOp>()) {
    loop.setExtentsAttr(reversed(loop.getExtents()));
    swapArguments(loop.getBody().front());
    loop.walk([&](ExtractOp extract) { extract.setPointAttr(reversed(extract.getPoint())); });
  }
}

namespace {

struct SwapOperands : impl::SwapOperandsBase<SwapOperands> {
  using SwapOperandsBase::SwapOperandsBase;
  void runOnOperation() override {
    if (const CpuArchitecture *isa = findCpu(arch))
      return swapOperands(getOperation(), *isa);
    getOperation()->emitError() << "architecture '" << arch << "' is not known";
    signalPassFailure();
  }
};

} // namespace
} // namespace cupola::cpu

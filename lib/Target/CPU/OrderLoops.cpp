//===- lib/Target/CPU/OrderLoops.cpp - loops run as their results lie ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A convolution of channels first is computed as one of channels last between two transposes, which are then a matter
// of positions: its loops are rows, columns, channels, and its results planes. With the channels outermost, columns are
// vectors, and the loop around them is that of the rows, whose windows have most of their elements in common.

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"
#include "lib/Target/CPU/Passes.h"

using namespace mlir;
using namespace cupola::kernel;

namespace cupola::cpu {

#define GEN_PASS_DEF_ORDERLOOPS
#include "lib/Target/CPU/Passes.h.inc"

namespace {

using Order = SmallVector<unsigned>;

/// The dimensions of the grid by how far neighbours of the store lie apart, the farthest first; nothing where it is not
/// linear in all of them.
std::optional<Order> orderOf(Variables &vars, FuncOp func, StoreOp store) {
  const Expr position = vars.read(store.getPosition(), store.getIndices());
  SmallVector<double> steps;
  for (Value at : func.getPoint()) {
    const std::optional<Expr> step = position.coefficient(vars.name(at));
    if (!step)
      return std::nullopt;
    steps.push_back(distanceOf(*step));
  }
  Order order = llvm::to_vector(llvm::seq<unsigned>(0, steps.size()));
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return std::make_pair(-steps[a], a) < std::make_pair(-steps[b], b); });
  return order;
}

/// That of all stores; nothing where they differ.
std::optional<Order> orderOf(FuncOp func) {
  Variables vars(func);
  std::optional<Order> common;
  const WalkResult result = func.walk([&](StoreOp store) {
    std::optional<Order> order = orderOf(vars, func, store);
    const bool isOther = !order || (common && *common != *order);
    common = std::move(order);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : common;
}

void permuteGrid(FuncOp func, ArrayRef<unsigned> order) {
  const auto point = func.getPoint();
  SmallVector<SmallVector<OpOperand *>> uses;
  for (BlockArgument at : point)
    uses.push_back(llvm::map_to_vector(at.getUses(), [](OpOperand &use) { return &use; }));
  const graph::Exprs old = graph::exprsOf(func.getGrid());
  graph::Exprs extents;
  for (auto [to, from] : llvm::enumerate(order)) {
    for (OpOperand *use : uses[from])
      use->set(point[to]);
    extents.push_back(old[from]);
  }
  func.setGridAttr(graph::exprArray(func.getContext(), extents));
}

struct OrderLoops : impl::OrderLoopsBase<OrderLoops> {
  void runOnOperation() override { orderLoops(getOperation()); }
};

} // namespace

void orderLoops(FuncOp func) {
  if (func.getGrid().size() < 2 || dotOf(func) || stepsOf(func))
    return;
  if (const std::optional<Order> order = orderOf(func); order && !llvm::is_sorted(*order))
    permuteGrid(func, *order);
}

} // namespace cupola::cpu

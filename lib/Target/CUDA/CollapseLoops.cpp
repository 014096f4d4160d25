//===- lib/Target/CUDA/CollapseLoops.cpp - merge loop variables ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_COLLAPSELOOPS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// Every expression in `loop` uses outer and inner only as extent * outer + inner.
bool movesAsOne(Operation *loop, const std::string &outer, const std::string &inner, const Expr &extent) {
  auto result = loop->walk([&](Operation *op) {
    if (op == loop)
      return WalkResult::advance();
    if (isa<ExtractOp>(op))
      return WalkResult::interrupt();
    for (const Expr &e : cuda::expressions(op)) {
      std::optional<Expr> a = e.coefficient(outer), b = e.coefficient(inner);
      if (!a || !b || *a != *b * extent)
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

void collapse(Operation *loop) {
  auto varsAttr = loop->getAttrOfType<ArrayAttr>("vars");
  SmallVector<std::string> vars = cuda::names(varsAttr);
  graph::Exprs extents = graph::exprsOf(loop->getAttrOfType<ArrayAttr>("extents"));
  std::map<std::string, Expr> gone;
  for (size_t i = vars.size(); i-- > 1;) {
    if (!movesAsOne(loop, vars[i - 1], vars[i], extents[i]))
      continue;
    gone[vars[i - 1]] = 0;
    extents[i - 1] = extents[i - 1] * extents[i];
    vars[i - 1] = vars[i];
    vars.erase(vars.begin() + i);
    extents.erase(extents.begin() + i);
  }
  if (gone.empty())
    return;
  loop->setAttr("vars", ArrayAttr::get(loop->getContext(), llvm::map_to_vector(vars, [&](const std::string &var) {
                                         return Attribute(StringAttr::get(loop->getContext(), var));
                                       })));
  loop->setAttr("extents", graph::exprArray(loop->getContext(), extents));
  for (Operation &op : loop->getRegion(0).front())
    cuda::substitute(&op, gone);
}

struct CollapseLoops : cuda::impl::CollapseLoopsBase<CollapseLoops> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<ForeachOp, kernel::ReduceOp>(op))
        collapse(op);
    });
  }
};

} // namespace

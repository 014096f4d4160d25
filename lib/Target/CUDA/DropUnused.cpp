//===- lib/Target/CUDA/DropUnused.cpp - names and values nobody uses ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_DROPUNUSED
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

using Names = llvm::StringSet<>;

void addUsed(Operation *op, Names &used) {
  for (const Expr &e : cuda::expressions(op))
    for (const std::string &symbol : e.symbols())
      used.insert(symbol);
}

/// Walks a block from its end, where all uses of a name have been seen at its let. `used`
/// collects the names that the block takes from outside.
void dropUnused(Block &block, Names &used) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (auto let = dyn_cast<LetOp>(op)) {
      if (!used.contains(let.getName())) {
        op.erase();
        continue;
      }
      used.erase(let.getName());
    }
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        dropUnused(inner, used);
    addUsed(&op, used);
  }
}

struct DropUnused : cuda::impl::DropUnusedBase<DropUnused> {
  void runOnOperation() override {
    Names used;
    dropUnused(getOperation().getBody().front(), used);
  }
};

} // namespace

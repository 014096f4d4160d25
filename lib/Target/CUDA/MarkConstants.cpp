//===- lib/Target/CUDA/MarkConstants.cpp - which parameters of a kernel are weights ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Graph.h"
#include "lib/Target/CUDA/Constants.h"
#include "lib/Target/CUDA/CudaDialect.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;

namespace cupola::cuda {
#define GEN_PASS_DEF_MARKCONSTANTS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

static SmallVector<int64_t> constantInputs(graph::FusionOp fusion) {
  SmallVector<int64_t> constants;
  for (auto [i, input] : llvm::enumerate(fusion.getInputs()))
    if (input.getDefiningOp<graph::ConstantOp>())
      constants.push_back(i);
  return constants;
}

std::map<StringRef, SmallVector<graph::FusionOp>> cuda::fusionsByKernel(ModuleOp module) {
  std::map<StringRef, SmallVector<graph::FusionOp>> fusions;
  module.walk([&](graph::FusionOp fusion) {
    if (std::optional<StringRef> kernel = fusion.getKernel())
      fusions[*kernel].push_back(fusion);
  });
  return fusions;
}

std::map<StringRef, SmallVector<int64_t>> cuda::constantParameters(ModuleOp module) {
  std::map<StringRef, SmallVector<int64_t>> constants;
  module.walk([&](graph::FusionOp fusion) {
    const std::optional<StringRef> kernel = fusion.getKernel();
    if (!kernel)
      return;
    const SmallVector<int64_t> own = constantInputs(fusion);
    auto [known, isNew] = constants.try_emplace(*kernel, own);
    if (!isNew)
      llvm::erase_if(known->second, [&](int64_t input) { return !llvm::is_contained(own, input); });
  });
  return constants;
}

namespace {

struct MarkConstants : cuda::impl::MarkConstantsBase<MarkConstants> {
  void runOnOperation() override {
    const auto constants = cuda::constantParameters(getOperation());
    Builder b(&getContext());
    auto mark = [&](kernel::FuncOp func, StringRef of) {
      if (auto found = constants.find(of); found != constants.end() && !found->second.empty())
        func->setAttr(cuda::constantsAttr, b.getDenseI64ArrayAttr(found->second));
    };
    for (auto func : getOperation().getOps<kernel::FuncOp>())
      mark(func, func.getSymName());
    for (auto twin : getOperation().getOps<cuda::TwinOp>()) // with the same operands
      mark(getOperation().lookupSymbol<kernel::FuncOp>(twin.getKernel()), twin.getOther());
  }
};

} // namespace

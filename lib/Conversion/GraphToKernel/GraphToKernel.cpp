//===- lib/Conversion/GraphToKernel/GraphToKernel.cpp - the pass ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Control.h"
#include "lib/Conversion/GraphToKernel/AlikeFusions.h"
#include "lib/Conversion/GraphToKernel/Passes.h"
#include "lib/Conversion/GraphToKernel/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_GRAPHTOKERNEL
#include "lib/Conversion/GraphToKernel/Passes.h.inc"

namespace {

/// The text of a kernel without its name: equal texts are equal kernels.
std::string structureOf(kernel::FuncOp func) {
  StringAttr name = func.getSymNameAttr();
  func.setSymName("k");
  std::string text;
  llvm::raw_string_ostream stream(text);
  func.print(stream, OpPrintingFlags().useLocalScope());
  func.setSymNameAttr(name);
  return text;
}

class GraphToKernel : public impl::GraphToKernelBase<GraphToKernel> {
public:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    for (Block *body : graph::bodiesOf(main))
      for (auto fusion : llvm::make_early_inc_range(body->getOps<graph::FusionOp>()))
        if (failed(convert(fusion)))
          return signalPassFailure();
  }

private:
  LogicalResult convert(graph::FusionOp fusion) {
    if (graph::FusionOp first = alike.firstLike(fusion); first && first != fusion) {
      fusion.setKernelAttr(first.getKernelAttr());
      fusion.setScalarsAttr(first.getScalarsAttr());
      return success();
    }
    Operation *hero = heroOf(fusion);
    for (const Schedule &schedule : schedules()) {
      if (!schedule.matches(hero))
        continue;
      OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
      std::string name = "k" + std::to_string(kernels.size());
      // Gathers are pointwise kernels with an indirect index; reports tell them apart.
      graph::KernelKind kind = hero ? schedule.kind : fusion.getKind();
      Emitter emitter(fusion, b, name, kind);
      schedule.generate(emitter, hero);
      adopt(fusion, emitter);
      return success();
    }
    return fusion.emitError("no schedule for this fusion");
  }

  void adopt(graph::FusionOp fusion, Emitter &emitter) {
    kernel::FuncOp func = emitter.func();
    auto [entry, isNew] = kernels.try_emplace(structureOf(func), func);
    if (!isNew)
      func.erase();
    fusion.setKernel(entry->second.getSymName());
    fusion.setScalarsAttr(graph::exprArray(fusion.getContext(), emitter.scalars()));
  }

  std::map<std::string, kernel::FuncOp> kernels; ///< by structure
  AlikeFusions alike;
};

} // namespace
} // namespace cupola

//===- lib/Target/CPU/PackWeights.cpp - constant operands in the order of their kernel ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/KernelPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::cpu {

namespace {

/// Packs the operands that are constants wherever a kernel is launched.
class Packer {
public:
  Packer(ModuleOp module, const CpuArchitecture &isa) : module(module), isa(isa) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    main.walk([&](graph::FusionOp fusion) { launches[*fusion.getKernel()].push_back(fusion); });
  }

  void run() {
    for (auto func : llvm::make_early_inc_range(module.getOps<kernel::FuncOp>()))
      for (Region *operand : packableOperands(func)) {
        auto isConstant = [&](unsigned parameter) { return isConstantEverywhere(func, parameter); };
        if (llvm::all_of(parametersOf(*operand), isConstant) && isOneMatrix(func, *operand))
          pack(func, *operand);
      }
  }

private:
  /// The copy is made once, for all shapes and iterations: it has a size of its own, and nothing that is open decides
  /// what stands where.
  bool isOneMatrix(kernel::FuncOp func, Region &operand) {
    kernel::DotOp dot = dotOf(func);
    const graph::Exprs extents = graph::exprsOf(dot.getExtents());
    graph::Exprs used = {extents[1] * extents[2]};
    operand.walk([&](Operation *op) { kernel::forEachExpr(op, [&](const Expr &e) { used.push_back(e); }); });
    return llvm::all_of(launches[func.getSymName()], [&](graph::FusionOp fusion) {
      std::map<std::string, Expr> scalars;
      for (auto [i, scalar] : llvm::enumerate(graph::exprsOf(*fusion.getScalars())))
        scalars["n" + std::to_string(i)] = scalar;
      return llvm::all_of(used, [&](const Expr &e) {
        return llvm::all_of(e.symbols(), [&](const std::string &symbol) {
          const auto scalar = scalars.find(symbol); // others are indices
          return scalar == scalars.end() || scalar->second.constant();
        });
      });
    });
  }

  bool isConstantEverywhere(kernel::FuncOp func, unsigned parameter) {
    return llvm::all_of(launches[func.getSymName()], [&](graph::FusionOp fusion) {
      return fusion.getInputs()[parameter].getDefiningOp<graph::ConstantOp>() != nullptr;
    });
  }

  void pack(kernel::FuncOp func, Region &operand) {
    const std::string name = "p" + std::to_string(count++);
    module.getBody()->push_back(packOperand(func, operand, name, isa).release());
  }

  ModuleOp module;
  const CpuArchitecture &isa;
  std::map<StringRef, SmallVector<graph::FusionOp>> launches;
  unsigned count = 0;
};

} // namespace

void packWeights(ModuleOp module, const CpuArchitecture &isa) { Packer(module, isa).run(); }

} // namespace cupola::cpu

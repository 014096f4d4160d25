//===- lib/Target/CPU/PackWeights.cpp - constant operands in the order of their kernel ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToPlan/GraphToPlan.h"
#include "lib/Target/CPU/CpuTarget.h"

using namespace mlir;

namespace cupola::cpu {

namespace {

/// Packs the operands that are constants wherever a kernel is launched.
class Packer {
public:
  Packer(ModuleOp module, const CpuArchitecture &isa) : module(module), isa(isa) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    for (auto fusion : main.getOps<graph::FusionOp>())
      launches[fusion->getAttrOfType<FlatSymbolRefAttr>("kernel").getValue()].push_back(fusion);
  }

  void run() {
    for (auto func : llvm::make_early_inc_range(module.getOps<kernel::FuncOp>()))
      for (unsigned parameter : packableOperands(func, isa))
        if (isConstantEverywhere(func, parameter))
          pack(func, parameter);
  }

private:
  bool isConstantEverywhere(kernel::FuncOp func, unsigned parameter) {
    return llvm::all_of(launches[func.getSymName()], [&](graph::FusionOp fusion) {
      return fusion.getInputs()[parameter].getDefiningOp<graph::ConstantOp>() != nullptr;
    });
  }

  void pack(kernel::FuncOp func, unsigned parameter) {
    PackedOperand packed = packOperand(func, parameter, isa);
    kernel::FuncOp packer = packed.packer.release();
    std::string name = "p" + std::to_string(count++);
    packer.setSymName(name);
    module.getBody()->push_back(packer);
    Builder b(module.getContext());
    SmallVector<Attribute> all;
    if (auto before = func->getAttrOfType<ArrayAttr>(packedAttr))
      llvm::append_range(all, before);
    all.push_back(b.getDictionaryAttr({
        b.getNamedAttr("parameter", b.getI64IntegerAttr(parameter)),
        b.getNamedAttr("bytes", graph::ExprAttr::get(b.getContext(), packed.bytes)),
        b.getNamedAttr("packer", FlatSymbolRefAttr::get(module.getContext(), name)),
    }));
    func->setAttr(packedAttr, b.getArrayAttr(all));
  }

  ModuleOp module;
  const CpuArchitecture &isa;
  std::map<StringRef, SmallVector<graph::FusionOp>> launches;
  unsigned count = 0;
};

} // namespace

void packWeights(ModuleOp module, const CpuArchitecture &isa) { Packer(module, isa).run(); }

} // namespace cupola::cpu

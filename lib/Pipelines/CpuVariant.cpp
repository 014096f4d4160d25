//===- lib/Pipelines/CpuVariant.cpp - packed weights and machine code ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Pipelines/PassErrors.h"
#include "lib/Pipelines/Variant.h"
#include "lib/Target/CPU/CpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace cupola {

static cpu::CpuTargetInfo infoOf(const VariantSpec &spec) { return {spec.arch == "x86-64-v4" ? 4 : 3}; }

namespace {

/// Packs the operands that are constants wherever a kernel is launched.
class Packer {
public:
  Packer(ModuleOp module, const cpu::CpuTargetInfo &info) : module(module), info(info) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    for (auto fusion : main.getOps<graph::FusionOp>())
      launches[fusion->getAttrOfType<FlatSymbolRefAttr>("kernel").getValue()].push_back(fusion);
  }

  void run() {
    for (auto func : llvm::make_early_inc_range(module.getOps<kernel::FuncOp>()))
      for (unsigned parameter : cpu::packableOperands(func, info))
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
    cpu::PackedOperand packed = cpu::packOperand(func, parameter, info);
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
  cpu::CpuTargetInfo info;
  std::map<StringRef, SmallVector<graph::FusionOp>> launches;
  unsigned count = 0;
};

} // namespace

Status prepareCpuKernels(ModuleOp module, const VariantSpec &spec, TargetKernels &kernels) {
  cpu::CpuTargetInfo info = infoOf(spec);
  for (auto func : module.getOps<kernel::FuncOp>())
    cpu::orderDepth(func);
  Packer(module, info).run();
  for (auto func : module.getOps<kernel::FuncOp>()) {
    Result<cpu::CpuKernel> kernel = cpu::prepareCpuKernel(func, info);
    if (kernel.failed())
      return kernel.status().within(nodesText(func.getLoc()));
    kernels[func.getSymName().str()] = {kernel->record, kernel->grid};
  }
  return {};
}

Status compileCpuImage(const VariantSpec &spec, BuiltVariant &built, VariantContext &context) {
  std::vector<kernel::FuncOp> funcs;
  llvm::append_range(funcs, built.module->getOps<kernel::FuncOp>());
  if (funcs.empty()) // a model of copies and constants: there is nothing to link
    return {};
  const PassErrors errors(built.module->getContext());
  // Kernel names are hashes of their content; with what turns it into code they are the key
  // of the image. Raise the number whenever lib/Target/CPU makes other code of a kernel.
  runtime::CacheKey key("cpu");
  key.add("image 8").add(LLVM_VERSION_STRING).add(spec.arch);
  for (const format::Kernel &kernel : built.variant.program.kernels)
    key.add(kernel.name);
  std::string image;
  if (std::optional<std::string> found = context.cache->get(key)) {
    image = std::move(*found);
  } else {
    Result<cpu::CpuImage> compiled = cpu::compileCpuKernels(funcs, infoOf(spec), context.threads);
    if (compiled.failed())
      return errors.added(compiled.status());
    context.llvmCompiles += compiled->codeGenerations;
    image = std::move(compiled->bytes);
    context.cache->put(key, image);
  }
  built.variant.binaries.push_back({spec.arch, {}, std::move(image)});
  return {};
}

} // namespace cupola

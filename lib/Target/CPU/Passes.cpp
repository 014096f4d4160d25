//===- lib/Target/CPU/Passes.cpp - the passes of the CPU target ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Passes.h"
#include "lib/Target/CPU/CpuTarget.h"
#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Lowering.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

namespace cupola::cpu {

#define GEN_PASS_DEF_ORDERDEPTH
#define GEN_PASS_DEF_KERNELTOLOOPS
#define GEN_PASS_DEF_LOOPSTOLLVM
#include "lib/Target/CPU/Passes.h.inc"

namespace {

struct OrderDepth : impl::OrderDepthBase<OrderDepth> {
  void runOnOperation() override { orderDepth(getOperation()); }
};

struct KernelToLoops : impl::KernelToLoopsBase<KernelToLoops> {
  using KernelToLoopsBase::KernelToLoopsBase;

  void runOnOperation() override {
    std::vector<NamedKernel> kernels;
    for (auto func : getOperation().getOps<kernel::FuncOp>())
      kernels.push_back({func, func.getSymName().str()});
    if (kernels.empty())
      return;
    const CpuArchitecture *isa = findCpu(arch);
    if (!isa) {
      getOperation().emitError() << "architecture '" << arch << "' is not known";
      return signalPassFailure();
    }
    Result<OwningOpRef<ModuleOp>> loops = emitScheduled(kernels, *isa);
    if (loops.failed()) {
      getOperation().emitError(loops.status().message());
      return signalPassFailure();
    }
    for (const NamedKernel &kernel : kernels)
      kernel.func->erase();
    Block *target = getOperation().getBody();
    target->getOperations().splice(target->end(), (*loops)->getBody()->getOperations());
  }

private:
  static Result<OwningOpRef<ModuleOp>> emitScheduled(ArrayRef<NamedKernel> kernels, const CpuArchitecture &isa) {
    for (const NamedKernel &kernel : kernels)
      if (kernel::FuncOp func = kernel.func; !func.getScheduleAttr())
        CUPOLA_TRY(chooseSchedule(func, isa));
    return emitLoops(kernels, isa);
  }
};

struct LoopsToLlvm : impl::LoopsToLlvmBase<LoopsToLlvm> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    RewritePatternSet patterns(context);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void addLlvmPasses(PassManager &passes) {
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createLoopsToLlvm());
}

void registerCpuDialects(DialectRegistry &registry) {
  registry.insert<CpuDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect,
                  cf::ControlFlowDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

} // namespace cupola::cpu

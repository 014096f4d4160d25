//===- lib/Target/CPU/Passes.cpp - the passes of the CPU target ---===//
// SPDX-License-Identifier: Apache-2.0

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
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

namespace cupola::cpu {
namespace {

void insertDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect,
                  cf::ControlFlowDialect, LLVM::LLVMDialect>();
}

/// See OrderDepth.cpp.
struct OrderDepth : PassWrapper<OrderDepth, OperationPass<kernel::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderDepth)

  StringRef getArgument() const override { return "order-cpu-depth"; }
  StringRef getDescription() const override {
    return "sort the depth of contractions by the steps of the left operand in memory";
  }
  void runOnOperation() override { orderDepth(getOperation()); }
};

/// kernel.func to llvm.func with loops:
///   kernel.foreach (%d0) in [n0] { %x = kernel.load .. }
/// becomes
///   scf.for %i = .. step 16 { llvm.load : vector<16xf32> .. }, scf.if { masked tail }
struct KernelToLoops : PassWrapper<KernelToLoops, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelToLoops)
  KernelToLoops() = default;
  KernelToLoops(const KernelToLoops &other) : PassWrapper(other) {}

  Option<int> level{*this, "level", llvm::cl::desc("x86-64 level: 3 or 4"), llvm::cl::init(3)};

  StringRef getArgument() const override { return "kernel-to-cpu-loops"; }
  StringRef getDescription() const override { return "lower kernels to loops over vectors for an x86-64 level"; }
  void getDependentDialects(DialectRegistry &registry) const override { insertDialects(registry); }

  void runOnOperation() override {
    std::vector<NamedKernel> kernels;
    for (auto func : getOperation().getOps<kernel::FuncOp>())
      kernels.push_back({func, func.getSymName().str()});
    if (kernels.empty())
      return;
    Result<OwningOpRef<ModuleOp>> loops = emitLoops(kernels, {level});
    if (loops.failed()) {
      getOperation().emitError(loops.status().message());
      return signalPassFailure();
    }
    for (const NamedKernel &kernel : kernels)
      kernel.func->erase();
    Block *target = getOperation().getBody();
    target->getOperations().splice(target->end(), (*loops)->getBody()->getOperations());
  }
};

/// arith, math, vector and cf ops of one module to llvm ops.
struct LoopsToLlvm : PassWrapper<LoopsToLlvm, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoopsToLlvm)

  StringRef getArgument() const override { return "cpu-loops-to-llvm"; }
  StringRef getDescription() const override { return "lower what kernel-to-cpu-loops makes to the llvm dialect"; }
  void getDependentDialects(DialectRegistry &registry) const override { insertDialects(registry); }

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
  passes.addPass(std::make_unique<LoopsToLlvm>());
}

void registerCpuDialects(DialectRegistry &registry) {
  insertDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void registerCpuPasses() {
  registerPass([] { return createSCFToControlFlowPass(); });
  PassRegistration<OrderDepth>();
  PassRegistration<KernelToLoops>();
  PassRegistration<LoopsToLlvm>();
}

} // namespace cupola::cpu

//===- lib/Target/CPU/Codegen.cpp - llvm dialect to relocatable objects ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Lowering.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;

namespace cupola::cpu {
namespace {

constexpr const char *kTriple = "x86_64-unknown-linux-gnu";

/// A third of O2's work gives code as fast, since loops arrive vectorised and with few branches. Full unrolling comes
/// before and after redundant loads and stores are found, which it uncovers; loops whose counts only the run knows stay
/// as they are emitted. docs/results/compile.md has the figures.
constexpr const char *kPasses = "function(early-cse,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
                                "early-cse<memssa>,loop(loop-unroll-full),gvn,instcombine<no-verify-fixpoint>,"
                                "loop-mssa(licm),loop-unroll<no-runtime;O2>,early-cse<memssa>,"
                                "instcombine<no-verify-fixpoint>,simplifycfg)";

Result<std::unique_ptr<llvm::TargetMachine>> targetMachine(const CpuArchitecture &isa) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple(kTriple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return Status::environment("LLVM has no x86-64 target: " + error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, isa.name, isa.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
  return machine;
}

} // namespace

Result<std::unique_ptr<llvm::Module>> translate(ModuleOp module, llvm::LLVMContext &context,
                                                const CpuArchitecture &isa) {
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context, "kernels");
  if (!result)
    return Status::internal("translation to LLVM failed");
  std::string width = std::to_string(isa.vectorBytes * 8);
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", isa.name);
    // What the lowering asked for comes behind the level's.
    std::string features(isa.features);
    if (const llvm::Attribute own = function.getFnAttribute("target-features"); own.isValid())
      features += (features.empty() ? "" : ",") + own.getValueAsString().str();
    if (!features.empty())
      function.addFnAttr("target-features", features);
    function.addFnAttr("prefer-vector-width", width);
    // The image calls nothing but what the lowering asks for.
    function.addFnAttr("no-builtins");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  return result;
}

Result<std::string> compile(llvm::Module &module, const CpuArchitecture &isa) {
  CUPOLA_ASSIGN(std::unique_ptr<llvm::TargetMachine> machine, targetMachine(isa));
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, kPasses))
    return Status::internal("the passes of LLVM: " + llvm::toString(std::move(error)));
  passes.run(module, modules);

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return Status::environment("LLVM cannot write x86-64 objects");
  emit.run(module);
  return std::string(object.begin(), object.end());
}

} // namespace cupola::cpu

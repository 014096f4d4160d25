//===- lib/Target/CPU/Lowering.h - the steps from kernels to an image ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CPU_LOWERING_H
#define CUPOLA_LIB_TARGET_CPU_LOWERING_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Status.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace cupola::cpu {

/// k_ and the first 16 digits of `digest`.
struct KernelName {
  std::string name, digest;
};
KernelName kernelName(kernel::FuncOp func, const CpuArchitecture &isa);

/// One function of scf, arith, math, vector and llvm ops.
struct NamedKernel {
  kernel::FuncOp func;
  std::string name;
};

/// A new module with the kernels as loops, by their schedules (see Emitter.h).
Result<mlir::OwningOpRef<mlir::ModuleOp>> emitLoops(llvm::ArrayRef<NamedKernel> kernels, const CpuArchitecture &isa);
/// All of the module becomes llvm ops.
void addLlvmPasses(mlir::PassManager &passes);

/// Machine code of a module of llvm ops. Thread-safe for different contexts.
Result<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                const CpuArchitecture &isa);
Result<std::string> compile(llvm::Module &module, const CpuArchitecture &isa);

/// Links relocatable objects to a shared object, in memory. One at a time.
Result<std::string> linkImage(llvm::ArrayRef<std::string> objects, const CpuArchitecture &isa);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_LOWERING_H

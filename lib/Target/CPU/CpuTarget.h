//===- lib/Target/CPU/CpuTarget.h - kernels to x86-64 machine code ---===//
// SPDX-License-Identifier: Apache-2.0
//
// From kernel.func to one shared-object image per variant. Nothing looks
// at the machine this runs on: the same functions and level give the same bytes.
//
// A kernel of the image has the type (lib/Runtime/CPU/CpuDevice.h)
//   void k_<16 hex>(const uint64_t *bindings, const uint64_t *args,
//                   int64_t begin, int64_t end, void *scratch)
// and runs the iterations [begin, end) of CpuKernel::grid; iterations are
// independent of each other and give the same result however they are divided.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_CPUTARGET_H
#define CUPOLA_LIB_TARGET_CPU_CPUTARGET_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace cupola::cpu {

/// The x86-64 psABI level to compile for: 3 (AVX2, FMA, F16C) or 4 (AVX-512).
struct CpuTargetInfo {
  int level = 3;
};

/// "x86-64-v3" or "x86-64-v4".
std::string archName(const CpuTargetInfo &info);

/// What a launch needs to know of a kernel.
struct CpuKernel {
  /// name, schedule, sourceHash, scratchBytes, grain and readWrite are set.
  format::Kernel record;
  /// Parallel iterations, over n0, n1, ..; at least 0.
  Expr grid;
};

/// Names the kernel after its content: SHA-256 of the printed function (without its
/// name and locations) and the level, so equal kernels of any model are one.
/// Code::Internal when the function is outside of what the CPU lowers.
Result<CpuKernel> prepareCpuKernel(kernel::FuncOp func, const CpuTargetInfo &info);

/// Sorts the depth of a contraction by the steps of its left operand in memory. Do
/// this before packOperand.
void orderDepth(kernel::FuncOp func);

/// The parameters that a contraction rather reads in the order of its
/// micro-kernel. Packing pays once per executable, so the caller asks for it
/// (packOperand) where the parameter is a weight in every launch of `func`.
std::vector<unsigned> packableOperands(kernel::FuncOp func, const CpuTargetInfo &info);

/// A parameter that holds a packed copy of what the model gives.
struct PackedOperand {
  unsigned parameter = 0;
  /// Size of the packed copy, over n0, n1, .. of the function.
  Expr bytes;
  /// A kernel (source, packed) with the scalars of the function.
  mlir::OwningOpRef<kernel::FuncOp> packer;
};

/// Changes `func` to read `parameter` (one of packableOperands) packed. Do this
/// before prepareCpuKernel: the kernel becomes another one.
PackedOperand packOperand(kernel::FuncOp func, unsigned parameter, const CpuTargetInfo &info);

struct CpuImage {
  std::string bytes;            ///< an ELF shared object; needs libm.so.6 at most
  unsigned codeGenerations = 0; ///< LLVM modules that were compiled
};

/// Compiles the functions (equal ones once) on up to `threads` threads; the bytes
/// do not depend on `threads`. The functions are not changed. Their context must
/// have the dialects of registerCpuDialects.
Result<CpuImage> compileCpuKernels(llvm::ArrayRef<kernel::FuncOp> funcs, const CpuTargetInfo &info, unsigned threads);

/// Dialects and translations that the lowering creates.
void registerCpuDialects(mlir::DialectRegistry &registry);

/// The passes of Passes.cpp, for cupola-opt.
void registerCpuPasses();

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_CPUTARGET_H

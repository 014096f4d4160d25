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
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace cupola::cpu {

/// What a launch needs to know of a kernel.
struct CpuKernel {
  /// name, schedule, sourceHash, scratchBytes, grain and readWrite are set.
  format::Kernel record;
  /// Parallel iterations, over n0, n1, ..; at least 0.
  Expr grid;
};

/// Sorts the depth of a contraction by the steps of its left operand in memory. Do
/// this before packOperand.
void orderDepth(kernel::FuncOp func);

/// Sorts the grid by the steps of what the kernel stores. Products are left alone.
void orderLoops(kernel::FuncOp func);

/// Merges the variables of loops and reductions that all positions inside use as one. Products are left alone.
void mergeLoops(kernel::FuncOp func);

/// Exchanges the operands of a contraction of few rows whose right operand lies in columns. Do this once operands are
/// packed: of a packed one there are no columns.
void swapOperands(kernel::FuncOp func, const CpuArchitecture &isa);

/// The right operand of a contraction and, with blocks, its scales, if the contraction rather reads them in the order
/// of its micro-kernel. Packing pays once per executable, so the caller asks for it (packOperand) where all parameters
/// of an operand are weights in every launch of `func`.
llvm::SmallVector<mlir::Region *> packableOperands(kernel::FuncOp func);
/// The parameters that an operand is made of.
std::vector<unsigned> parametersOf(mlir::Region &operand);

/// Changes `func` to read an operand, which is packable, packed, in place of its first parameter, by the kernel of this
/// name, which is returned: (sources .., packed) with the scalars of the function. Do this before chooseSchedule: the
/// kernel becomes another one.
mlir::OwningOpRef<kernel::FuncOp> packOperand(kernel::FuncOp func, mlir::Region &operand, llvm::StringRef packer,
                                              const CpuArchitecture &isa);

/// Packs the operands that are constants in every launch of a kernel, by new kernels p0, p1, .. of the module.
void packWeights(mlir::ModuleOp module, const CpuArchitecture &isa);

/// Sets the function's schedule, whatever it had. Code::Internal for a contraction that is outside of what the
/// CPU lowers.
Status chooseSchedule(kernel::FuncOp func, const CpuArchitecture &isa);

/// Names the kernel, whose schedule is chosen, after its content: SHA-256 of the printed function
/// (without its name and locations) and the level, so equal kernels of any model are one.
/// Code::Internal when the function or its schedule is outside of what the CPU lowers.
Result<CpuKernel> prepareCpuKernel(kernel::FuncOp func, const CpuArchitecture &isa);

/// The compilation of kernels to one image, in pieces that may run at once: LLVM modules of a
/// few kernels each, by the list of kernels alone. A micro-kernel is an object of its own, made by the first piece
/// that calls it.
class ImageBuilder {
public:
  /// Functions with their schedules; equal ones are compiled once. They are not changed, and outlive this. Their
  /// context must have the dialects of registerCpuDialects.
  ImageBuilder(llvm::ArrayRef<kernel::FuncOp> funcs, const CpuArchitecture &isa);
  ~ImageBuilder();

  size_t pieces() const { return objects.size(); }
  /// Thread-safe for different pieces, each once.
  Status compile(size_t piece);
  /// After all pieces: an ELF shared object, which needs libm.so.6 at most.
  Result<std::string> link() const;

private:
  Status compileMicroKernels(mlir::ModuleOp loops);

  const CpuArchitecture &isa;
  std::vector<struct NamedKernel> kernels; ///< distinct, by name
  std::vector<std::string> objects;        ///< of the pieces
  std::mutex mutex;
  std::map<std::string, std::string> microKernels; ///< objects, by name; empty while one is made
};

/// Dialects and translations that the lowering creates.
void registerCpuDialects(mlir::DialectRegistry &registry);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_CPUTARGET_H

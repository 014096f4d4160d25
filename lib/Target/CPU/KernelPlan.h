//===- lib/Target/CPU/KernelPlan.h - what of a kernel runs in parallel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Decided before lowering, from the function and the level alone, because the plan
// of the model needs the number of iterations and the scratch memory.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_KERNELPLAN_H
#define CUPOLA_LIB_TARGET_CPU_KERNELPLAN_H

#include "dialects/Kernel/Kernel.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Status.h"
#include "lib/Target/CPU/Access.h"
#include "lib/Target/CPU/DepthPieces.h"

namespace cupola::cpu {

/// The loops around a body: those of the grid and, where the function is nothing but
/// one foreach, those of it.
struct Nest {
  mlir::Block *body = nullptr;
  std::vector<std::string> vars; ///< in the order of the loops, outermost first
  std::vector<Expr> extents;
  bool vectorised = false; ///< the last loop is
  unsigned vectors = 1;    ///< so many vectors of it at a time
  unsigned parallel = 0;   ///< so many loops are iterations of the grid
  int64_t chunk = 0;       ///< pieces of this size of the last loop are, too
};

/// How an operand of a contraction is read.
enum class OperandForm : uint8_t {
  Direct, ///< where it lies: f32, contiguous along k (lhs) or n (rhs)
  Copied, ///< computed into scratch memory, block by block
  Packed, ///< the parameter holds it in panels (see packOperand)
};

/// tile[m, n] in blocks of rowBlock x columnBlock per iteration, depthBlock of k at a
/// time. Panels are CpuArchitecture::tileVectors vectors wide.
struct Contraction {
  kernel::DotOp dot;
  std::string m, n, k; ///< names of its variables
  OperandForm lhs = OperandForm::Copied, rhs = OperandForm::Copied;
  int64_t rowBlock = 0, columnBlock = 0, depthBlock = 0;
  int64_t panel = 0;                                    ///< columns of a panel
  int64_t tileOffset = 0, lhsOffset = 0, rhsOffset = 0; ///< bytes into scratch memory
  Expr rows, columns, depth;
  DepthPieces pieces; ///< of a copied left operand; depthBlock is a multiple of their size
};

struct KernelPlan {
  explicit KernelPlan(kernel::FuncOp func) : vars(func) {}

  kernel::Variables vars;                 ///< the names in all of the plan
  std::optional<Contraction> contraction; ///< else the nest
  Nest nest;
  std::vector<Expr> parallel; ///< extents of the iterations, outermost first
  StoredTiles tiles;          ///< byte offsets into scratch memory
  uint64_t scratchBytes = 0;
  uint32_t grain = 1;

  Expr grid() const { return graph::product(parallel); }
};

/// Code::Internal names what the lowering does not know.
Result<KernelPlan> planKernel(kernel::FuncOp func, const CpuArchitecture &isa);

/// Parts of planKernel for functions that contract.
Result<Contraction> planContraction(kernel::Variables &vars, kernel::FuncOp func, kernel::DotOp dot,
                                    const CpuArchitecture &isa);

/// The load that is all of an operand's region, if it is one.
kernel::LoadOp plainOperand(mlir::Region &region);

/// The value of an extent for estimates: unknown scalars count as 64.
double estimate(const Expr &extent);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_KERNELPLAN_H

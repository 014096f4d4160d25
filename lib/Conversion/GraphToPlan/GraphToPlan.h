//===- lib/Conversion/GraphToPlan/GraphToPlan.h - fusions to a host program ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The last steps of a variant: fusions with kernels become a plan.program, the program
// gets its arena, and turns into the records of the package.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOPLAN_GRAPHTOPLAN_H
#define CUPOLA_LIB_CONVERSION_GRAPHTOPLAN_GRAPHTOPLAN_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "lib/Runtime/Format/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace cupola {

/// The constants that kernels read, shared by all variants of a package, in the order
/// of their first use. Those of equal bytes are one, whatever their shapes.
class WeightTable {
public:
  unsigned indexOf(mlir::ElementsAttr value, mlir::Location location);
  struct Entry {
    mlir::ElementsAttr value;
    mlir::Location location;
  };
  llvm::ArrayRef<Entry> entries() const { return table; }

private:
  unsigned indexOfContent(const Entry &entry);
  std::vector<Entry> table;
  llvm::DenseMap<mlir::Attribute, unsigned> known;
  llvm::DenseMap<uint64_t, llvm::SmallVector<unsigned, 1>> byHash;
};

/// format::TensorMap of a kernel, over n0, n1, ..
struct KernelTensorMap {
  uint32_t buffer = 0; ///< parameter
  Expr offset;
  format::DType dtype = format::DType::F32;
  std::vector<Expr> extents, strides;
  std::vector<uint32_t> box;
  uint32_t swizzle = 0;
  format::TensorWindow window = {};
};

/// Counters, u32, that a body of the plan has for its launches, one after the other; all 0 between two of them.
constexpr int64_t kLaunchCounters = 1024;

/// Memory that a launch needs for itself.
struct KernelWorkspace {
  Expr bytes;      ///< over n0, n1, ..
  bool isCounters; ///< kLaunchCounters of them at most
};

/// A kernel as a target made it.
struct TargetKernel {
  format::Kernel record;
  std::vector<Expr> grid; ///< blocks along x, y, z, 1 to 3 of them, or iterations; over n0, n1, ..
  std::vector<KernelTensorMap> maps = {};
  std::vector<KernelWorkspace> workspace = {}; ///< its last parameters
  std::string twin = {}; ///< is launched, too, and has blocks where this one has none; empty: none is
};
using TargetKernels = std::map<std::string, TargetKernel>; ///< by the kernel.func's name

/// An expression over n0, n1, .. of a kernel in the symbols of a launch with these scalars.
inline Expr inSymbols(const Expr &expr, mlir::ArrayAttr scalars) {
  std::map<std::string, Expr> map;
  for (auto [i, scalar] : llvm::enumerate(graph::exprsOf(scalars)))
    map["n" + std::to_string(i)] = scalar;
  return expr.substitute(map);
}

/// Makes the plan.program of `module`'s main function at the end of the module.
plan::ProgramOp graphToPlan(mlir::ModuleOp module, llvm::StringRef target, llvm::StringRef arch,
                            const TargetKernels &kernels, WeightTable &weights);

/// Gives every arena buffer of a static body its place (lib/Planner/MemoryPlanner.h);
/// leaves bodies with symbolic sizes to the runtime. A branch and the other are never both
/// alive, and no body is while one beside it is: each has an arena that begins anew.
void planMemory(plan::ProgramOp program);

/// First and last step in which each arena buffer of a body is alive, inclusive.
using Lifetimes = llvm::MapVector<plan::BufferOp, std::pair<uint32_t, uint32_t>>;
Lifetimes liveness(mlir::Block &body);

/// The records of the package. Steps refer to `nodes`, which grows.
class NodeTable;
format::Program planToFormat(plan::ProgramOp program, const TargetKernels &kernels, NodeTable &nodes);

/// The record of a fact, whose error is `reason`.
format::Check checkOf(const Expr &lhs, graph::Relation relation, const Expr &rhs, graph::ReasonAttr reason);

/// The nodes that steps name, each once, in order of first use.
class NodeTable {
public:
  std::vector<uint32_t> indicesOf(mlir::Location location);
  const std::vector<format::Node> &all() const { return nodes; }
  std::vector<format::Node> takeNodes() { return std::move(nodes); }

private:
  std::vector<format::Node> nodes;
  llvm::DenseMap<mlir::StringAttr, uint32_t> known;
};

} // namespace cupola

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOPLAN_GRAPHTOPLAN_H

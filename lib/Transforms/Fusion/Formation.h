//===- lib/Transforms/Fusion/Formation.h - kernels while rules form them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_FUSION_FORMATION_H
#define CUPOLA_LIB_TRANSFORMS_FUSION_FORMATION_H

#include "lib/Transforms/Fusion/Grouping.h"

namespace cupola::fusion {

/// A kernel grows to at most this many ops: longer chains cost registers and compile time
/// and gain nothing over two kernels.
constexpr size_t maxOps = 64;

/// Reads the memory that a value was written to.
bool isOutside(mlir::Operation *user);
bool isHero(mlir::Operation *op);
/// What a value is, before reshapes.
mlir::Value reshaped(mlir::Value value);
/// How many gathers there are whose results become `value` by nothing but arithmetic and views; counts up to `most`.
unsigned gathersIn(mlir::Value value, unsigned most);
/// Made of what several gathers find.
bool isInterpolated(mlir::Value value);
/// Has a hero that computes its result in tiles, each of which reads whole operands.
bool hasContraction(const Group &group);
/// Its heroes are two products and a softmax.
bool isAttention(const Group &group);
/// Its heroes are reductions of the same values, and so many of its values may be results.
bool isJoint(const Group &group);
/// An operand of such a hero of the group, whose elements are read for several tiles. Not the queries of an attention:
/// whatever block has a row of them takes it through all keys.
bool isTileOperand(const Group &group, mlir::OpOperand &use);

/// Why an op is stored, not computed inside the kernels that read it.
struct Refusal {
  llvm::StringRef rule, reason; ///< the rule's name in the table
};

/// How the kernels that there are read a result, directly or through views.
struct Reads {
  llvm::SetVector<Group *> kernels;          ///< null stands for joins and what leaves the body
  llvm::SmallVector<mlir::OpOperand *> uses; ///< by ops of those kernels
  bool broadcast = false;                    ///< a reader sees elements several times
  bool windows = false; ///< and here in windows that overlap, or computes with what it reads where such a reader does
};

/// The kernels of a body so far, and what rules ask about its ops. Owns the groups.
class Formation {
public:
  Formation(mlir::Block &body, const Options &options);

  mlir::Block &body;
  const Options options;
  const Ranges ranges; ///< of the model's symbols

  /// The place of `op` in the body.
  int64_t positionOf(mlir::Operation *op) const { return positions.lookup(op); }
  /// The kernels that compute `op`: none, one or two.
  llvm::ArrayRef<Group *> kernelsOf(mlir::Operation *op) const;
  bool isComputed(mlir::Operation *op) const { return computed.count(op); }
  /// Why `op` is stored; null if nothing refused it.
  const Refusal *refusalOf(mlir::Operation *op) const;
  Reads readsOf(mlir::Operation *op) const;
  /// A tile of a contraction computes `op` where it reads an operand.
  bool isInTile(mlir::Operation *op) const { return inTiles.contains(op); }
  /// The length of the chain of ops computed inside a kernel that `op` would begin.
  size_t chainFrom(mlir::Operation *op) const;

  /// A new kernel that computes `output`; `hero` is null or the same op.
  Group &start(mlir::Operation *hero, mlir::Operation *output);
  /// A new kernel with several heroes, in program order; `hero`: the last of them.
  Group &startCore(const llvm::SetVector<mlir::Operation *> &core, mlir::Operation *hero);
  /// A new kernel, of `op`, which is computed in none that reads it.
  void store(mlir::Operation *op, const Refusal &refusal);
  /// The ops of `group` become `ops`, in which nothing but `output` is read outside.
  void extend(Group &group, const llvm::SetVector<mlir::Operation *> &ops, mlir::Value output);
  /// The last `ops` of `group` are left to others, who read `output`: why it is stored.
  void cut(Group &group, llvm::ArrayRef<mlir::Operation *> ops, mlir::Value output, const Refusal &refusal);
  /// `group` computes `value`, which it reads, and writes it, too.
  void keep(Group &group, mlir::Value value);
  /// `op` is computed in every kernel that reads it.
  void computeInside(mlir::Operation *op, const Reads &reads);

  llvm::ArrayRef<std::unique_ptr<Group>> allKernels() const { return groups; }
  /// Hands the groups over, in program order of their outputs, but for those that others read before: each one stands
  /// behind all that it reads.
  std::vector<std::unique_ptr<Group>> takeGroups();

private:
  llvm::SetVector<Group *> groupsReadBy(const Group &group) const;
  void collectReads(mlir::Operation *op, Reads &reads) const;

  std::vector<std::unique_ptr<Group>> groups;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Group *, 1>> computed;
  llvm::DenseMap<mlir::Operation *, Refusal> refusals;
  llvm::DenseSet<mlir::Operation *> inTiles, inWindows;
  llvm::DenseMap<mlir::Operation *, size_t> chains;
};

} // namespace cupola::fusion

#endif // CUPOLA_LIB_TRANSFORMS_FUSION_FORMATION_H

//===- lib/Target/CUDA/StepCopies.h - keys and values of a step on their way to shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_STEPCOPIES_H
#define CUPOLA_LIB_TARGET_CUDA_STEPCOPIES_H

#include "lib/Target/CUDA/AttentionLowering.h"

namespace cupola::cuda {

/// Loads of fragments are for 16 columns.
inline int64_t wholeFragments(int64_t columns) { return llvm::alignTo(columns, 16); }

/// Vectors of a thread that come through registers at a time: what goes into all of them would not leave enough of
/// these.
int64_t vectorsAtOnce(const Operand &op);

/// The steps of a group of the block's threads: from the first, before the end; `most` of them at most.
struct StepRange {
  Expr first, end, most;
};

/// Brings the keys and values of each step of a group's part for the group alone. By cp.async the keys of the next step
/// and the values of this one arrive while a product is made. A short part has two buffers, and nothing waits for
/// memory but its first step: both of the next step are under way from the beginning on. Of bytes those of the next
/// step are, while this one's, as numbers, are multiplied.
class StepCopies {
public:
  /// Of so many groups, with so many threads each.
  StepCopies(Lowering &low, const AttentionParts &parts, int64_t groups, int64_t threads);

  Operand k, v;

  /// Whether cp.async may bring both as they are multiplied.
  static bool areAsync(const OperandVectors &vectors, const AttentionParts &parts);
  /// Whether by cp.async, and by how many buffers. `isShort`: the part has few steps.
  void choose(bool hasAsync, bool isShort);
  /// Shared memory, and registers where operands come through them.
  void allocate(mlir::Type stored);
  bool isAsync() const { return async; }
  /// The group's number, where there are several, and its threads'.
  void setGroup(const Expr &number, const Expr &thread);

  mlir::LogicalResult begin(const StepRange &range);
  /// Until keys are there, and may be read by all of the group; the same for values.
  mlir::LogicalResult awaitKeys(), awaitValues();
  /// Behind the last time that this step reads them.
  mlir::LogicalResult leaveKeys(), leaveValues();
  Expr buffer(const Operand &op) const { return own.buffer(op); }
  /// Until copies that were started before those of the second step have come.
  void awaitFirst() { wait(buffers - 1); }

  /// Bytes of all buffers of both.
  static int64_t bytes(const AttentionParts &parts, int64_t groups, bool isShort);

private:
  /// Starts the copies of a step's keys; with two buffers of its values, too.
  mlir::LogicalResult bring(const Expr &step);
  /// The same of the next step that has no copies yet.
  mlir::LogicalResult bringNext();
  /// The same of one operand of bytes.
  mlir::LogicalResult bringBytes(Operand &op, const Expr &step);
  /// Until they are numbers, which all of the group may read. The operand's next ones are on their way then.
  mlir::LogicalResult awaitBytes(Operand &op);
  /// The step of the kernel, and what it is here.
  mlir::Value index() { return kernel::ForOp(parts.steps).getStep(); }
  Expr now() { return low.vars.of(low.values.lookup(index())); }
  Expr bufferOf(const Expr &step) { return group * buffers + mod(step - range.first, buffers); }
  void commit();
  /// Until at most so many of the newest groups are under way.
  void wait(int64_t pending);
  void meet();

  Lowering &low;
  const AttentionParts &parts;
  OperandCopies own; ///< of the threads of a group
  Expr group = 0;
  int64_t groups, buffers = 1;
  bool async = false;
  bool areStaged = false; ///< both are bytes, which cp.async brings
  StepRange range;
};

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_STEPCOPIES_H

//===- lib/Transforms/Fusion/Grouping.h - which ops become one kernel ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_FUSION_GROUPING_H
#define CUPOLA_LIB_TRANSFORMS_FUSION_GROUPING_H

#include "dialects/Graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

namespace cupola::fusion {

struct Options {
  bool epilogues = true;
  bool prologues = true;
  bool attention = true;
  int64_t mostKept = std::numeric_limits<int64_t>::max(); ///< elements of a returned operand that its attention writes
  int64_t fewRows = 0;                                    ///< products of at most so many rows may be one kernel
  /// Transposed images that windows read are written first where an element has so many bytes, at most, and a place so
  /// many channels, at least.
  int64_t windowBytes = 0, windowChannels = 1;
  bool shortRuns = false; ///< not where there is a window, but where little of it lies side by side
  /// Of so many channels, at least, what is interpolated is written before they are turned outward; 0: never.
  int64_t mixedChannels = 0;
  bool mirrored = false;       ///< images whose borders are made of their insides are written before windows read them
  bool byteKeys = false;       ///< keys and values that are bytes become numbers where an attention reads them
  bool scaledByteKeys = false; ///< so do those that are computed of bytes and constants
};

/// Ops that one kernel computes. Views that its operands pass through belong to
/// every group that reads through them and are not listed, but for those after the
/// hero, which are part of the epilogue.
struct Group {
  mlir::Operation *hero = nullptr; ///< null for pointwise groups; the last of several
  /// Several heroes and what is computed on the way from the first to the last, or until they meet; else empty.
  llvm::SetVector<mlir::Operation *> core;
  llvm::SetVector<mlir::Operation *> ops;
  mlir::Value output;
  llvm::SmallVector<mlir::Value, 0> kept; ///< further results: operands that leave the body, too, or of joint heroes
};

/// Why an edge is what it is. Where views stand between what computes a value and what
/// computes with it, there is an edge from the one to the other besides those into and
/// between the views.
struct Verdict {
  mlir::Operation *producer, *consumer;
  bool fused;
  llvm::StringRef rule; ///< its name in the table of rules
  std::string reason;
  llvm::SmallVector<mlir::Operation *> views; ///< passed on the way, from the producer on
};

struct Grouping {
  std::vector<std::unique_ptr<Group>> groups; ///< in program order of their outputs
  std::vector<Verdict> verdicts;
};

graph::FusionClass classOf(mlir::Operation *op);
bool isView(mlir::Operation *op);
/// Made of nothing but its own index: every kernel that reads it makes it.
bool isGenerator(mlir::Operation *op);

/// Decides for every op of `body` in which kernel it is computed.
Grouping formGroups(mlir::Block &body, const Options &options);

/// Records the verdicts on all bodies of `func` as graph.verdicts in front of it.
void recordVerdicts(mlir::func::FuncOp func, llvm::ArrayRef<Verdict> verdicts);

} // namespace cupola::fusion

#endif // CUPOLA_LIB_TRANSFORMS_FUSION_GROUPING_H

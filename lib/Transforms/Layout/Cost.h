//===- lib/Transforms/Layout/Cost.h - what a layout of a chain costs ---===//
// SPDX-License-Identifier: Apache-2.0
//
// In bytes of memory traffic, beyond what convolutions take that are channels last between
// tensors that are. A transpose at the border is a kernel where a convolution would read much
// through it: else that reads or writes through it, as it does where it is channels first
// itself. Extents that are not known count as 64: convolutions and borders grow with them alike.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_LAYOUT_COST_H
#define CUPOLA_LIB_TRANSFORMS_LAYOUT_COST_H

#include "lib/Transforms/Layout/Chains.h"

namespace cupola::layout {

/// What kernels of a target take for tensors that are channels first, in bytes of traffic per byte.
struct TargetRow {
  llvm::StringRef target;
  double read;  ///< by a convolution, for every tap
  double write; ///< of a result
  double most;  ///< of what a convolution reads through a transpose: that of writing it (Target::windowImages)
  /// One filter per channel, over so many places of a line, at least, reads and writes neighbours: it costs nothing
  /// more. 0: it does.
  int64_t line;
};
llvm::ArrayRef<TargetRow> targetRows();
/// Of a value that is read to be written in the other order.
constexpr double copyCost = 2;

struct Candidate {
  graph::ConvLayout layout;
  int64_t transposes = 0, bytes = 0; ///< at the border, and what they move: each element once
  int64_t cost = 0;                  ///< summed over the targets
};
/// Of a chain for these targets, in the order of preference where costs are equal. `targets` are rows' names, others
/// do not count; none: all rows.
llvm::SmallVector<Candidate, 2> candidatesOf(const Chain &chain, llvm::ArrayRef<std::string> targets);
const Candidate &cheapest(llvm::ArrayRef<Candidate> candidates);

} // namespace cupola::layout

#endif // CUPOLA_LIB_TRANSFORMS_LAYOUT_COST_H

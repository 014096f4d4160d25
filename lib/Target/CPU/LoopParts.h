//===- lib/Target/CPU/LoopParts.h - loops in parts whose conditions are known ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What reads a concat, a pad or a slice asks for every element which part it lies in, or takes the smaller of two
// places. Where that depends on one loop alone, the loop is several, and none of them asks.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_LOOPPARTS_H
#define CUPOLA_LIB_TARGET_CPU_LOOPPARTS_H

#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace cupola::cpu {

/// Iterations [begin, end) of a loop; expressions over the scalars of the kernel. Where it is not known in which order
/// parts begin, some have none. What is known of a variable in an iteration is from <= variable < to.
struct LoopPart {
  LoopPart() = default;
  LoopPart(const Expr &begin, const Expr &end) : begin(begin), end(end), from(begin), to(end) {}
  LoopPart(const Expr &begin, const Expr &end, const Expr &from, const Expr &to)
      : begin(begin), end(end), from(from), to(to) {}
  Expr begin, end, from, to;
};
using LoopParts = std::vector<LoopPart>;

/// The loops that are in a part now, by their variables.
using LiveParts = std::map<std::string, LoopPart>;

/// What is known of variables in these parts.
Ranges within(const LiveParts &parts, const Ranges &ranges);

/// Cuts loops of [0, extents[i]) around `body` where conditions on one of their variables alone begin or end to hold,
/// whatever loops inside of the body do, or where another one of two places is the smaller or the larger, as far as the
/// order of these cuts is known: for each loop its parts in order. The last loop has so many lanes; 1: it is none of
/// vectors. As many iterations of the nest are emitted as there are combinations, which are few.
std::vector<LoopParts> cutLoops(kernel::Variables &vars, llvm::ArrayRef<std::string> loops,
                                llvm::ArrayRef<Expr> extents, mlir::Block &body, int64_t lanes);

/// What has to be >= 0 for an op to act: of a mask, or of in_range; none of other ops.
graph::Exprs conditionsOf(kernel::Variables &vars, mlir::Operation *op);

/// Whether all expressions are >= 0 (true), or one is not (false), in every iteration of the parts; nothing where
/// neither is known.
std::optional<bool> holdsIn(const LiveParts &parts, llvm::ArrayRef<Expr> conditions, const Ranges &ranges);

/// The ops of `body` that its stores need. `isKnown`: of an op with a mask, or in_range, whether its conditions hold.
llvm::DenseSet<mlir::Operation *> neededOps(mlir::Block &body,
                                            llvm::function_ref<std::optional<bool>(mlir::Operation *)> isKnown);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_LOOPPARTS_H

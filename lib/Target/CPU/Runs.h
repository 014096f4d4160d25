//===- lib/Target/CPU/Runs.h - rows of a left operand that lie in memory as runs ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The places of a convolution's window that lie side by side are one run of an image that is channels last, and runs
// have equal distances: a row needs no copy but where a border meets its window.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_RUNS_H
#define CUPOLA_LIB_TARGET_CPU_RUNS_H

#include "dialects/Kernel/Kernel.h"

namespace cupola::cpu {

struct Runs {
  int64_t size = 0;                  ///< elements of a run, which divide the depth
  int64_t distance = 0;              ///< elements from a run to the next
  Expr begin;                        ///< position of a row's first element
  llvm::SmallVector<Expr, 4> inside; ///< all >= 0 where no condition fails in any place of the row
};

/// The longest runs of whole vectors of the left operand; none where it is more than a load of `element`, or some
/// condition may fail although it holds at both ends of the depth.
std::optional<Runs> runsOf(kernel::Variables &vars, kernel::DotOp dot, mlir::Type element, int64_t lanes);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_RUNS_H

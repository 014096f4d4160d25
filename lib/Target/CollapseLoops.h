//===- lib/Target/CollapseLoops.h - merge loop variables ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_COLLAPSELOOPS_H
#define CUPOLA_LIB_TARGET_COLLAPSELOOPS_H

#include "dialects/Kernel/Kernel.h"

namespace cupola {

/// Merges the variables of a foreach or reduce that all expressions inside use as one.
void collapseLoops(mlir::Operation *loop, kernel::Variables &vars);

} // namespace cupola

#endif // CUPOLA_LIB_TARGET_COLLAPSELOOPS_H

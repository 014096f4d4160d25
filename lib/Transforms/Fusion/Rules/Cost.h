//===- lib/Transforms/Fusion/Rules/Cost.h - what computing again costs ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_FUSION_RULES_COST_H
#define CUPOLA_LIB_TRANSFORMS_FUSION_RULES_COST_H

#include "dialects/Graph/Graph.h"

namespace cupola::fusion {

/// Costs too much to compute once more per reader.
bool isCostly(mlir::Operation *op);

/// Cheap enough to be computed in two kernels: together they move no more bytes than if one
/// stored it for both, and what they read instead takes no more memory than it.
bool isCheapTwice(mlir::Operation *op);

} // namespace cupola::fusion

#endif // CUPOLA_LIB_TRANSFORMS_FUSION_RULES_COST_H

//===- lib/Transforms/Simplify/Patterns.h - the patterns of `simplify` ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_SIMPLIFY_PATTERNS_H
#define CUPOLA_LIB_TRANSFORMS_SIMPLIFY_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace cupola::simplification {

/// Views that do nothing go, chains of one kind become one view, views of a splat
/// constant become that constant.
void addViewPatterns(mlir::RewritePatternSet &patterns);

/// Concats of one part go, constants side by side in one become one.
void addConcatPatterns(mlir::RewritePatternSet &patterns);

/// x * 1, x + 0, -(-x), a condition that is constant, ...
void addScalarPatterns(mlir::RewritePatternSet &patterns);

/// Gathers at constant places become slices.
void addGatherPatterns(mlir::RewritePatternSet &patterns);

/// What branches and loops do not need: captures, results, conditions that are constant.
void addBodyPatterns(mlir::RewritePatternSet &patterns);

/// Pointwise ops move before reshapes and transposes, factors behind contractions.
void addMotionPatterns(mlir::RewritePatternSet &patterns);

} // namespace cupola::simplification

#endif // CUPOLA_LIB_TRANSFORMS_SIMPLIFY_PATTERNS_H

//===- lib/Transforms/Positions.h - values that their own index makes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_POSITIONS_H
#define CUPOLA_LIB_TRANSFORMS_POSITIONS_H

#include "mlir/IR/Value.h"

namespace cupola {

/// A mask by position: a few additions, multiplications, comparisons and choices make its elements of their indices, of
/// extents and of numbers. Every kernel that reads it makes it anew: nothing is stored, and it can be seen what the
/// mask hides.
bool isMadeOfPositions(mlir::Value value);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_POSITIONS_H

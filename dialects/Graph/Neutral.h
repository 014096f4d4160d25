//===- dialects/Graph/Neutral.h - what a reduction begins with ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_NEUTRAL_H
#define CUPOLA_DIALECTS_GRAPH_NEUTRAL_H

#include "dialects/Graph/Graph.h"

namespace cupola::graph {

/// The neutral element of a reduction: 0, 1, and for extrema the infinity, or the integer, that
/// gives way to every other. A mean is the quotient of a sum and a count.
mlir::TypedAttr neutralElement(ReduceKind kind, mlir::Type element);

/// The reduction of no element at all: the neutral one, and for the mean of floats NaN (0 / 0).
mlir::TypedAttr emptyReduction(ReduceKind kind, mlir::Type element);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_NEUTRAL_H

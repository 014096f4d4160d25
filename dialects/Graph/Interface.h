//===- dialects/Graph/Interface.h - inputs as the model declares them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_INTERFACE_H
#define CUPOLA_DIALECTS_GRAPH_INTERFACE_H

#include "dialects/Graph/Shape.h"

namespace cupola::graph {

/// Of an argument, the symbols that its elements are when shapes are bound, row-major: one of an integer; of a float
/// a numerator and a denominator (lib/Runtime/Format/ShapeElements.h).
constexpr llvm::StringLiteral elementsAttr = "graph.elements";

/// The extents that bind symbols: those of the argument's type, or of its `graph.dims` where a
/// fact replaced a symbol of the type; the replaced one still has to be bound and checked.
Exprs declaredShapeOf(mlir::BlockArgument argument);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_INTERFACE_H

//===- dialects/Graph/Interface.h - inputs as the model declares them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_INTERFACE_H
#define CUPOLA_DIALECTS_GRAPH_INTERFACE_H

#include "dialects/Graph/Shape.h"

namespace cupola::graph {

/// The extents that bind symbols: those of the argument's type, or of its `graph.dims` where a
/// fact replaced a symbol of the type; the replaced one still has to be bound and checked.
Exprs declaredShapeOf(mlir::BlockArgument argument);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_INTERFACE_H

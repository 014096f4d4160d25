//===- dialects/Graph/Interface.h - inputs as the model declares them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_INTERFACE_H
#define CUPOLA_DIALECTS_GRAPH_INTERFACE_H

#include "dialects/Graph/ElementTypes.h"
#include "dialects/Graph/Shape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cupola::graph {

/// Of an argument, the symbols that its elements are when shapes are bound, row-major: one of an integer; of a float
/// a numerator and a denominator (lib/Runtime/Format/ShapeElements.h).
constexpr llvm::StringLiteral elementsAttr = "graph.elements";

/// Of an argument or a result, the name of the element type that the model has (lib/Runtime/Format/ElementTypes.h),
/// where kernels see it as another: those types stand at the interface alone.
constexpr llvm::StringLiteral elementAttr = "graph.element";

/// What the model has as elements of an argument of the function.
format::DType declaredDtype(mlir::BlockArgument argument);
/// The same of a result.
format::DType declaredDtype(mlir::func::FuncOp function, unsigned result);

/// Of the module: the texts of the strings that constants hold as numbers, by number.
constexpr llvm::StringLiteral stringsAttr = "graph.strings";

/// The extents that bind symbols: those of the argument's type, or of its `graph.dims` where a
/// fact replaced a symbol of the type; the replaced one still has to be bound and checked.
Exprs declaredShapeOf(mlir::BlockArgument argument);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_INTERFACE_H

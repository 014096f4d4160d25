//===- dialects/Graph/Shape.h - symbolic shapes of tensor types ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The bridge between tensor types and `cupola::Expr`. A tensor type with a
// dynamic dimension carries #graph.shape; a static one carries nothing.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_GRAPH_SHAPE_H
#define CUPOLA_DIALECTS_GRAPH_SHAPE_H

#include "dialects/Graph/ExprAttr.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace cupola::graph {

/// The extents of a ranked tensor, constants included.
Exprs shapeOf(mlir::Type type);
inline Exprs shapeOf(mlir::Value value) { return shapeOf(value.getType()); }
/// One extent.
Expr extentOf(mlir::Value value, unsigned dim);

/// The type of a tensor with these extents; an encoding only where one is needed.
mlir::RankedTensorType tensorType(llvm::ArrayRef<Expr> dims, mlir::Type element);

inline mlir::RankedTensorType typeOf(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
inline unsigned rankOf(mlir::Value value) { return typeOf(value).getRank(); }
inline mlir::Type elementOf(mlir::Value value) { return typeOf(value).getElementType(); }

Expr product(llvm::ArrayRef<Expr> dims);
inline Expr elementCount(mlir::Value value) { return product(shapeOf(value)); }

/// `min` of a graph.symbol that may be any number.
constexpr int64_t anyNumber = std::numeric_limits<int64_t>::min();

/// What is known of every graph.symbol in the module.
Ranges symbolRanges(mlir::ModuleOp module);
std::map<std::string, int64_t> symbolDivisors(mlir::ModuleOp module);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_SHAPE_H

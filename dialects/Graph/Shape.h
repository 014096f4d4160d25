//===- dialects/Graph/Shape.h - symbolic shapes of tensor types ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The bridge between tensor types and `cupola::Expr`. A tensor type with a
// dynamic dimension carries #graph.shape; a static one carries nothing.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_GRAPH_SHAPE_H
#define CUPOLA_DIALECTS_GRAPH_SHAPE_H

#include "lib/Planner/Expr.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace cupola::graph {

using Exprs = llvm::SmallVector<Expr>;

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

/// Expressions as attributes and back (canonical text).
mlir::ArrayAttr exprArray(mlir::MLIRContext *context, llvm::ArrayRef<Expr> exprs);
Exprs exprsOf(mlir::ArrayAttr texts);
/// The expression of a text that a verifier accepted.
Expr exprOf(llvm::StringRef text);

/// What is known of every graph.symbol in the module.
Ranges symbolRanges(mlir::ModuleOp module);
std::map<std::string, int64_t> symbolDivisors(mlir::ModuleOp module);

/// `text` is a canonical expression.
bool isCanonical(llvm::StringRef text);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_SHAPE_H

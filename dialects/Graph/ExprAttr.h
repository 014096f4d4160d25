//===- dialects/Graph/ExprAttr.h - expressions as attributes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// `#graph.expr<"384*s0 + 1">` holds a `cupola::Expr`: read once, canonical, unique in its
// context, so that equal expressions are the same attribute. Every dialect writes its
// expressions with it; in the syntax of an op it is the quoted text alone.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_GRAPH_EXPRATTR_H
#define CUPOLA_DIALECTS_GRAPH_EXPRATTR_H

#include "lib/Planner/Expr.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace cupola {

inline llvm::hash_code hash_value(const Expr &expr) { return expr.hash(); }

namespace graph {

class ExprAttr;
using Exprs = llvm::SmallVector<Expr>;

/// An ExprAttr that is not overflowed.
bool isExpr(mlir::Attribute attr);
mlir::ArrayAttr exprArray(mlir::MLIRContext *context, llvm::ArrayRef<Expr> exprs);
/// The expression of an ExprAttr, or those of an array of them.
const Expr &exprOf(mlir::Attribute attr);
Exprs exprsOf(mlir::ArrayAttr attrs);
/// As packages hold them.
std::vector<std::string> textsOf(llvm::ArrayRef<Expr> exprs);

//===--- Syntax: custom<Expr>, custom<Exprs> of ops; the others of types and attributes ---===//

mlir::ParseResult parseExprText(mlir::AsmParser &parser, Expr &expr);
void printExprText(mlir::AsmPrinter &printer, const Expr &expr);
mlir::ParseResult parseExpr(mlir::AsmParser &parser, ExprAttr &expr);
void printExpr(mlir::AsmPrinter &printer, ExprAttr expr);
mlir::ParseResult parseExprList(mlir::AsmParser &parser, llvm::SmallVectorImpl<ExprAttr> &exprs);
void printExprList(mlir::AsmPrinter &printer, llvm::ArrayRef<ExprAttr> exprs);

void printExpr(mlir::OpAsmPrinter &printer, mlir::Operation *op, ExprAttr expr);
mlir::ParseResult parseExprs(mlir::OpAsmParser &parser, mlir::ArrayAttr &exprs);
void printExprs(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr exprs);

} // namespace graph
} // namespace cupola

#endif // CUPOLA_DIALECTS_GRAPH_EXPRATTR_H

//===- dialects/Graph/ExprAttr.cpp - expressions as attributes ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/ExprAttr.h"

#include "dialects/Graph/Graph.h"

using namespace mlir;

namespace cupola::graph {

bool isExpr(Attribute attr) {
  auto expr = dyn_cast_or_null<ExprAttr>(attr);
  return expr && !expr.getValue().overflowed();
}

ArrayAttr exprArray(MLIRContext *context, ArrayRef<Expr> exprs) {
  auto attrs = llvm::map_to_vector(exprs, [&](const Expr &expr) -> Attribute { return ExprAttr::get(context, expr); });
  return ArrayAttr::get(context, attrs);
}

const Expr &exprOf(Attribute attr) { return cast<ExprAttr>(attr).getValue(); }

Exprs exprsOf(ArrayAttr attrs) {
  return llvm::map_to_vector(attrs.getValue(), [](Attribute attr) { return exprOf(attr); });
}
std::vector<std::string> textsOf(ArrayRef<Expr> exprs) {
  const auto texts = llvm::map_range(exprs, [](const Expr &expr) { return expr.text(); });
  return {texts.begin(), texts.end()};
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult parseExprText(AsmParser &parser, Expr &expr) {
  SMLoc where = parser.getCurrentLocation();
  std::string text, error;
  if (parser.parseString(&text))
    return failure();
  std::optional<Expr> parsed = Expr::parse(text, &error);
  if (parsed && parsed->overflowed())
    error = "it leaves the range of 64 bits";
  if (!error.empty())
    return parser.emitError(where) << "'" << text << "' is no expression: " << error;
  expr = *parsed;
  return success();
}

void printExprText(AsmPrinter &printer, const Expr &expr) { printer << '"' << expr.text() << '"'; }

ParseResult parseExpr(AsmParser &parser, ExprAttr &expr) {
  Expr value;
  if (parseExprText(parser, value))
    return failure();
  expr = ExprAttr::get(parser.getContext(), value);
  return success();
}

void printExpr(AsmPrinter &printer, ExprAttr expr) { printExprText(printer, expr.getValue()); }

ParseResult parseExprList(AsmParser &parser, SmallVectorImpl<ExprAttr> &exprs) {
  return parser.parseCommaSeparatedList([&] { return parseExpr(parser, exprs.emplace_back()); });
}

void printExprList(AsmPrinter &printer, ArrayRef<ExprAttr> exprs) {
  llvm::interleaveComma(exprs, printer, [&](ExprAttr expr) { printExpr(printer, expr); });
}

void printExpr(OpAsmPrinter &printer, Operation *, ExprAttr expr) { printExpr(printer, expr); }

ParseResult parseExprs(OpAsmParser &parser, ArrayAttr &exprs) {
  SmallVector<Attribute> parsed;
  ParseResult done = parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    ExprAttr expr;
    if (parseExpr(parser, expr))
      return failure();
    parsed.push_back(expr);
    return success();
  });
  exprs = ArrayAttr::get(parser.getContext(), parsed);
  return done;
}

void printExprs(OpAsmPrinter &printer, Operation *, ArrayAttr exprs) {
  printer << '[';
  llvm::interleaveComma(exprs.getAsRange<ExprAttr>(), printer, [&](ExprAttr expr) { printExpr(printer, expr); });
  printer << ']';
}

} // namespace cupola::graph

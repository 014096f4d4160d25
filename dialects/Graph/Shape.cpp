//===- dialects/Graph/Shape.cpp - symbolic shapes of tensor types ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Shape.h"

#include "dialects/Graph/Graph.h"

using namespace mlir;

namespace cupola::graph {

Expr exprOf(StringRef text) {
  std::string error;
  std::optional<Expr> expr = Expr::parse(std::string_view(text.data(), text.size()), &error);
  assert(expr && "expressions in attributes are verified");
  return *expr;
}

bool isCanonical(StringRef text) {
  std::string error;
  std::optional<Expr> expr = Expr::parse(std::string_view(text.data(), text.size()), &error);
  return expr && !expr->overflowed() && expr->text() == text;
}

Exprs shapeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Exprs dims;
  if (auto shape = dyn_cast_or_null<ShapeAttr>(tensor.getEncoding())) {
    for (StringAttr dim : shape.getDims())
      dims.push_back(exprOf(dim.getValue()));
    return dims;
  }
  for (int64_t extent : tensor.getShape())
    dims.push_back(Expr(extent));
  return dims;
}

Expr extentOf(Value value, unsigned dim) {
  auto tensor = typeOf(value);
  if (!tensor.isDynamicDim(dim))
    return Expr(tensor.getDimSize(dim));
  return exprOf(cast<ShapeAttr>(tensor.getEncoding()).getDims()[dim].getValue());
}

RankedTensorType tensorType(ArrayRef<Expr> dims, Type element) {
  SmallVector<int64_t> extents;
  SmallVector<StringAttr> texts;
  bool dynamic = false;
  for (const Expr &dim : dims) {
    std::optional<int64_t> extent = dim.constant();
    dynamic |= !extent;
    extents.push_back(extent.value_or(ShapedType::kDynamic));
    texts.push_back(StringAttr::get(element.getContext(), dim.text()));
  }
  Attribute encoding;
  if (dynamic)
    encoding = ShapeAttr::get(element.getContext(), texts);
  return RankedTensorType::get(extents, element, encoding);
}

Expr product(ArrayRef<Expr> dims) {
  Expr result(1);
  for (const Expr &dim : dims)
    result *= dim;
  return result;
}

ArrayAttr exprArray(MLIRContext *context, ArrayRef<Expr> exprs) {
  SmallVector<Attribute> texts;
  for (const Expr &expr : exprs)
    texts.push_back(StringAttr::get(context, expr.text()));
  return ArrayAttr::get(context, texts);
}

Exprs exprsOf(ArrayAttr texts) {
  Exprs exprs;
  for (auto text : texts.getAsRange<StringAttr>())
    exprs.push_back(exprOf(text.getValue()));
  return exprs;
}

Ranges symbolRanges(ModuleOp module) {
  Ranges ranges;
  for (SymbolOp symbol : module.getOps<SymbolOp>()) {
    Range &range = ranges[symbol.getSymName().str()];
    range.lo = Expr(symbol.getMin());
    if (symbol.getMax() > 0)
      range.hi = Expr(symbol.getMax());
  }
  return ranges;
}

std::map<std::string, int64_t> symbolDivisors(ModuleOp module) {
  std::map<std::string, int64_t> divisors;
  for (SymbolOp symbol : module.getOps<SymbolOp>())
    divisors[symbol.getSymName().str()] = symbol.getDivisor();
  return divisors;
}

} // namespace cupola::graph

//===- dialects/Graph/Shape.cpp - symbolic shapes of tensor types ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Shape.h"

#include "dialects/Graph/Graph.h"

using namespace mlir;

namespace cupola::graph {

Exprs shapeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Exprs dims;
  if (auto shape = dyn_cast_or_null<ShapeAttr>(tensor.getEncoding())) {
    for (ExprAttr dim : shape.getDims())
      dims.push_back(dim.getValue());
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
  return cast<ShapeAttr>(tensor.getEncoding()).getDims()[dim].getValue();
}

RankedTensorType tensorType(ArrayRef<Expr> dims, Type element) {
  SmallVector<int64_t> extents;
  SmallVector<ExprAttr> exprs;
  bool dynamic = false;
  for (const Expr &dim : dims) {
    std::optional<int64_t> extent = dim.constant();
    dynamic |= !extent;
    extents.push_back(extent.value_or(ShapedType::kDynamic));
    exprs.push_back(ExprAttr::get(element.getContext(), dim));
  }
  Attribute encoding;
  if (dynamic)
    encoding = ShapeAttr::get(element.getContext(), exprs);
  return RankedTensorType::get(extents, element, encoding);
}

Expr product(ArrayRef<Expr> dims) {
  Expr result(1);
  for (const Expr &dim : dims)
    result *= dim;
  return result;
}

Ranges symbolRanges(ModuleOp module) {
  Ranges ranges;
  for (SymbolOp symbol : module.getOps<SymbolOp>()) {
    Range &range = ranges[symbol.getSymName().str()];
    if (static_cast<int64_t>(symbol.getMin()) != anyNumber)
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

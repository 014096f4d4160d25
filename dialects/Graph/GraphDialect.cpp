//===- dialects/Graph/GraphDialect.cpp - registration, attributes, folds ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cupola::graph;

#include "dialects/Graph/GraphDialect.cpp.inc"
#include "dialects/Graph/GraphEnums.cpp.inc"
#include "dialects/Graph/GraphInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Graph/GraphAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Graph/GraphOps.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Graph/GraphAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Graph/GraphOps.cpp.inc"
      >();
}

LogicalResult ShapeAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getDims().size())
    return emitError() << "shape has " << getDims().size() << " expressions for rank " << shape.size();
  bool dynamic = false;
  for (auto [extent, expr] : llvm::zip_equal(shape, getDims())) {
    if (expr.getValue().overflowed())
      return emitError() << "an extent leaves the range of 64 bits";
    std::optional<int64_t> constant = expr.getValue().constant();
    if (constant ? *constant != extent : !ShapedType::isDynamic(extent))
      return emitError() << "expression '" << expr.getValue().text() << "' does not match the type's extent";
    dynamic |= !constant;
  }
  if (!dynamic)
    return emitError() << "a static shape needs no expressions";
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

bool cupola::graph::isComparison(BinaryKind kind) {
  return kind >= BinaryKind::Equal && kind <= BinaryKind::GreaterEqual;
}

bool cupola::graph::isPredicate(UnaryKind kind) { return kind == UnaryKind::IsNaN || kind == UnaryKind::IsInf; }

BinaryKind cupola::graph::combiningKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return BinaryKind::Add;
  case ReduceKind::Prod:
    return BinaryKind::Mul;
  case ReduceKind::Max:
    return BinaryKind::Max;
  case ReduceKind::Min:
    return BinaryKind::Min;
  }
  llvm_unreachable("every kind has a case");
}

//===- dialects/Graph/GraphDialect.cpp - registration, attributes, folds ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Interface.h"
#include "dialects/Graph/Placement.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
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

//===--- Attributes of the function's arguments and results ---===//

namespace {

bool isExprs(Attribute attr, Type) {
  auto list = dyn_cast<ArrayAttr>(attr);
  return list && llvm::all_of(list, cupola::graph::isExpr);
}

/// A text has one number.
bool areTexts(Attribute attr) {
  auto list = dyn_cast<ArrayAttr>(attr);
  llvm::DenseSet<Attribute> seen;
  return list && llvm::all_of(list, [&](Attribute text) { return isa<StringAttr>(text) && seen.insert(text).second; });
}

/// The name of a type that kernels see as the elements of `tensor`.
bool isElement(Attribute attr, Type tensor) {
  auto name = dyn_cast<StringAttr>(attr);
  auto shaped = dyn_cast<RankedTensorType>(tensor);
  return name && shaped && cupola::format::findElementType([&](const cupola::format::ElementType &row) {
           return name.getValue() == row.name && !isComputed(row.dtype) &&
                  cupola::graph::typeOf(row.dtype, attr.getContext()) == shaped.getElementType();
         });
}

struct InterfaceAttr {
  StringLiteral name;
  bool ofArguments, ofResults;
  bool (*isValid)(Attribute, Type tensor);
};

/// All that there are.
constexpr InterfaceAttr interfaceAttrs[] = {
    {"graph.name", true, true, [](Attribute attr, Type) { return isa<StringAttr>(attr); }},
    {"graph.dims", true, false, isExprs},
    {elementsAttr, true, false, isExprs},
    {elementAttr, true, true, isElement},
    {storageAttr, true, true, isExprs},
    {aliasAttr, false, true, [](Attribute attr, Type) { return isa<IntegerAttr>(attr); }},
};

LogicalResult verifyInterface(Operation *op, NamedAttribute attr, Type tensor, bool InterfaceAttr::*isThere,
                              StringRef where) {
  for (const InterfaceAttr &row : interfaceAttrs)
    if (row.*isThere && attr.getName() == row.name && row.isValid(attr.getValue(), tensor))
      return success();
  return op->emitError() << "no " << where << " has an attribute " << attr.getName() << " like this";
}

} // namespace

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() == stringsAttr && isa<ModuleOp>(op))
    return areTexts(attr.getValue()) ? success() : op->emitError() << stringsAttr << " is no list of different texts";
  if (attr.getName() == storedAttr && op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType())) {
    auto stored = dyn_cast<TypeAttr>(attr.getValue());
    const bool isNarrower = stored && isa<FloatType>(stored.getValue()) && elementOf(op->getResult(0)).isF32() &&
                            stored.getValue().getIntOrFloatBitWidth() < 32;
    return isNarrower ? success() : op->emitError() << storedAttr << " is no narrower float than the result's f32";
  }
  return op->emitError() << "no op has the attribute " << attr.getName();
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  const Type tensor = cast<FunctionOpInterface>(op).getArgumentTypes()[index];
  return verifyInterface(op, attr, tensor, &InterfaceAttr::ofArguments, "argument");
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  const Type tensor = cast<FunctionOpInterface>(op).getResultTypes()[index];
  return verifyInterface(op, attr, tensor, &InterfaceAttr::ofResults, "result");
}

LogicalResult LibraryCallAttr::verify(function_ref<InFlightDiagnostic()> emitError, LibraryCallKind kind,
                                      ArrayRef<int64_t>, ArrayRef<int64_t>, ArrayRef<int64_t>, ArrayRef<int64_t>,
                                      ArrayRef<int64_t>, ArrayRef<int64_t>, ArrayRef<PostOpAttr>, Type element,
                                      ArrayRef<int64_t>, ArrayRef<int64_t>, int64_t) {
  if ((kind == LibraryCallKind::StridedProduct) != bool(element))
    return emitError() << "has elements and steps, which a strided product has and no other call";
  if (element && !isa<Float32Type, Float16Type, BFloat16Type>(element))
    return emitError() << "has elements of " << element << ", which are none of f32, f16 and bf16";
  return success();
}

int64_t LibraryCallAttr::countInputs() {
  return 2 + llvm::count_if(getPostOps(), [](PostOpAttr op) { return op.getKind() <= PostOpKind::AddTensor; });
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

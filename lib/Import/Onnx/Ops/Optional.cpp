//===- lib/Import/Onnx/Ops/Optional.cpp - values that may be absent --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/DeclaredTypes.h"
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {

void importOptional(OpBinder &op) {
  const onnx::TypeProto *type = op.typeAttribute("type");
  if (op.has(0)) {
    const Tensor value = op.operand(0, "input");
    return op.result(op.ofComposite({Composite::Optional, {value}}, value->element));
  }
  if (!type)
    op.bad("the node has neither an input nor the attribute 'type', expected one of them");
  const DeclaredType declared = declaredTypeOf(*type);
  const Type element = elementTypeOf(declared.elementType, op.b.context());
  if (!element)
    op.unsupported("attribute 'type' has elements of " + elementTypeName(declared.elementType) +
                   ", which are not supported");
  op.result(op.ofComposite({Composite::Optional, {}}, element));
}

void importOptionalHasElement(OpBinder &op) {
  const bool isThere = op.has(0) && !(op.operand(0, "input")->composite &&
                                      op.operand(0, "input")->composite->kind == Composite::Optional &&
                                      op.operand(0, "input")->composite->elements.empty());
  op.result(Known{{}, {Scalar::integer(Expr(isThere ? 1 : 0))}}, IntegerType::get(op.b.context(), 1));
}

void importOptionalGetElement(OpBinder &op) {
  const Tensor value = op.operand(0, "input");
  if (!value->composite || value->composite->kind != Composite::Optional)
    return op.result(value); // from opset 18 on
  if (value->composite->elements.empty())
    op.bad("input 0 (input) is " + formOf(*value) + ", expected one that has a value");
  op.result(value->composite->elements.front());
}

} // namespace cupola::onnx_import

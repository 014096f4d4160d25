//===- lib/Import/Onnx/ModelOutputs.cpp - what a model gives ---------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ModelOutputs.h"

#include "lib/Import/Onnx/Composite.h"
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/DeclaredTypes.h"
#include "lib/Import/Onnx/Finish.h"
#include "lib/Import/Onnx/ModelInputs.h"
#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {

/// What is declared counts; outputs that are none of the model's declare nothing.
static std::optional<format::Composite::Kind> kindOf(const onnx::ValueInfoProto &output, const TensorRecord &value) {
  const DeclaredType declared = declaredTypeOf(output.type());
  if (declared.composite || declared.tensor || !value.composite)
    return declared.composite;
  if (value.composite->kind != Composite::Optional)
    return format::Composite::Sequence;
  const std::vector<Tensor> &held = value.composite->elements;
  return held.empty() || !held.front()->composite ? format::Composite::Optional : format::Composite::OptionalSequence;
}

void ModelOutputs::add(const onnx::ValueInfoProto &output, Tensor tensor) {
  if (!listed.insert(output.name()).second)
    return diagnostics.warning("graph output " + quoted(output.name()) + " is listed twice, and given once");
  if (tensor->composite && tensor->composite->kind == Composite::Maps)
    return addMaps(output.name(), *tensor);
  if (const auto kind = kindOf(output, *tensor))
    return addComposite(output, tensor, *kind);
  const Value value = pool.materialize(tensor);
  checkDeclared(output, value, tensor->element);
  addValue(output.name(), value, tensor->element);
}

void ModelOutputs::addValue(std::string name, Value value, Type element) {
  if (!taken.insert(name).second) // only elements can have a name that is taken
    builder.fail("two outputs are called " + quoted(name) + ": one is an element of another one; rename the other one",
                 ErrorKind::Unsupported);
  const Location last = builder.swapLocation(makerOf(value, builder.location()));
  results.push_back(bytesOf(builder, value, element));
  builder.swapLocation(last);
  outputs.push_back({std::move(name), element});
}

void ModelOutputs::addMaps(const std::string &name, const TensorRecord &maps) {
  const Tensor values = maps.composite->elements[0], labels = maps.composite->elements[1];
  addValue(name, pool.materialize(values), values->element);
  addValue(name + "[labels]", pool.materialize(labels), labels->element);
}

void ModelOutputs::addComposite(const onnx::ValueInfoProto &output, Tensor tensor, format::Composite::Kind kind) {
  const std::vector<Tensor> self{tensor};
  const bool isOptional = tensor->composite && tensor->composite->kind == Composite::Optional;
  const std::vector<Tensor> &held = isOptional ? tensor->composite->elements : self;
  std::vector<Value> values;
  for (const Tensor value : held) {
    const Tensor stack = value->composite ? stackOf(*value) : nullptr;
    const bool isOpen = stack && !builder.shape(stack->value)[0].constant();
    if (isOpen && !output.has_type())
      return;
    if (isOpen)
      builder.undecided({builder.shape(stack->value)[0]}, quoted(output.name()) + " is " + formOf(*value) +
                                                              ", supported are lengths that are known while compiling");
    if (stack)
      values = rowsOf(builder, stack->value);
    else
      for (const Tensor leaf : leavesOf({value}))
        values.push_back(pool.materialize(leaf));
  }
  composed.push_back({output.name(), kind, /*output=*/true, held.empty(), static_cast<uint32_t>(results.size()),
                      static_cast<uint32_t>(values.size())});
  for (auto [i, value] : llvm::enumerate(values))
    addValue(elementName(output.name(), kind, i), value, tensor->element);
}

/// Shapes and values that the user gave may be others than those that the model was exported with. Exporters write
/// wrong shapes, which no node reads; wrong elements would be read as others than they are.
void ModelOutputs::checkDeclared(const onnx::ValueInfoProto &output, Value value, Type found) {
  if (!output.type().has_tensor_type())
    return;
  const auto mismatch = [&](const std::string &declared, const std::string &found) {
    return "graph output " + quoted(output.name()) + " is declared with " + declared + ", but has " + found;
  };
  const auto &type = output.type().tensor_type();
  const Type element = modelTypeOf(type.elem_type(), builder.context());
  if (element && element != found)
    diagnostics.error(ErrorKind::BadModel, mismatch("elements of " + typeText(element), typeText(found)));
  const bool isGiven = !shapes.inputs.empty() || !shapes.symbols.empty() || !shapes.values.empty();
  const Exprs shape = builder.shape(value);
  if (!isGiven && type.has_shape() && contradicts(type.shape(), shape))
    diagnostics.warning(mismatch("the shape " + declaredShapeText(output), shapeText(shape)));
}

} // namespace cupola::onnx_import

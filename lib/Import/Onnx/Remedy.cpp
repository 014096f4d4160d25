//===- lib/Import/Onnx/Remedy.cpp - options that would decide a value ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Remedy.h"

#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/PinnedInputs.h"
#include "lib/Import/Onnx/ShapeInputs.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

using namespace mlir;

namespace cupola::onnx_import {

/// Integers or bools, few of them whatever the dimensions; or what may be a shape input.
static bool canBePinned(const TensorRecord &input) {
  if (canBeShapeInput(input))
    return true;
  if (!isa<IntegerType>(input.element) || isNarrow(input.element) || input.dims.size() > 1)
    return false;
  const auto count = input.dims.empty() ? 1 : input.dims[0].constant().value_or(1);
  return count <= static_cast<int64_t>(maxPinnedElements);
}

/// What would be a shape input if the number of its elements were known.
static bool isListOfOpenLength(const TensorRecord &input) {
  if (input.dims.size() != 1 || input.dims[0].constant())
    return false;
  TensorRecord list = input;
  list.dims = {Expr(1)};
  return canBeShapeInput(list);
}

void Remedy::recordMaker(const onnx::NodeProto &node) {
  for (const std::string &output : node.output())
    makers[output] = &node;
}

void Remedy::addExtents(ArrayRef<Expr> extents, Options &options) const {
  for (const Expr &extent : extents)
    for (const std::string &id : symbols.current(extent).symbols())
      if (symbols.isRun(id))
        options.isEnough = false;
      else if (const std::string *input = symbols.inputOf(id))
        options.inputs.insert(*input);
      else if (const auto definition = symbols.definitionOf(id))
        addExtents({*definition}, options);
      else
        options.dimensions.insert(symbols.nameOf(id));
}

/// True where the walk towards the sources ends: at what is known, and at an input.
bool Remedy::addIfReached(const std::string &value, Options &options) const {
  const auto found = values.find(value);
  if (found == values.end() || !found->second)
    return true; // an initialiser, or an operand that is not there
  const TensorRecord &tensor = *found->second;
  if (tensor.known) {
    for (const Scalar &element : tensor.known->elements)
      addExtents({element.num, element.den}, options);
    return true;
  }
  if (tensor.constant || makers.count(value))
    return tensor.constant != nullptr;
  if (tensor.poisoned || tensor.composite)
    options.isEnough = false;
  else if (canBePinned(tensor))
    options.inputs.insert(value);
  else if (isListOfOpenLength(tensor)) // with a length it is a shape input
    addExtents(tensor.dims, options);
  else
    options.isEnough = false;
  return true;
}

/// The extents of what a node reads; those that only a run knows are none that anybody could give.
void Remedy::addOperands(const onnx::NodeProto &node, Options &options) const {
  for (const std::string &name : node.input())
    if (const auto found = values.find(name); found != values.end() && found->second)
      addExtents(found->second->dims, options);
  options.isEnough = true;
}

/// What a node reads, and what its bodies do, which may be values around it.
static void addOperandNames(const onnx::NodeProto &node, std::vector<std::string> &names) {
  names.insert(names.end(), node.input().begin(), node.input().end());
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    for (const onnx::NodeProto &inner : attribute.g().node())
      addOperandNames(inner, names);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      names.push_back(output.name());
  }
}

void Remedy::addSources(const std::string &value, Options &options) const {
  std::set<std::string> seen{value};
  std::vector<std::string> work{value};
  while (!work.empty() && options.isEnough) {
    const std::string current = work.back();
    work.pop_back();
    if (addIfReached(current, options))
      continue;
    std::vector<std::string> operands;
    addOperandNames(*makers.at(current), operands);
    for (const std::string &operand : operands)
      if (!operand.empty() && seen.insert(operand).second)
        work.push_back(operand);
  }
}

std::set<std::string> Remedy::openShapeInputs(const Options &options) const {
  std::set<std::string> inputs;
  for (const std::string &name : options.inputs)
    if (const Tensor input = values.at(name); !input->known) {
      if (!canBeShapeInput(*input))
        return {};
      inputs.insert(name);
    }
  return inputs;
}

Remedy::Answer Remedy::forError(const NodeError &error, const onnx::NodeProto &node) const {
  Options options;
  addExtents(error.undecided, options);
  if (error.operand && static_cast<int>(*error.operand) < node.input_size())
    addSources(node.input(static_cast<int>(*error.operand)), options);
  if (error.isByOperands)
    addOperands(node, options);
  if (!options.isEnough || (options.dimensions.empty() && options.inputs.empty()))
    return {};
  std::string text;
  for (const std::string &name : options.dimensions)
    text += " --shape " + printable(name) + "=VALUE";
  if (!options.dimensions.empty())
    text += " (or a --dim that leaves one answer)";
  for (const std::string &name : options.inputs)
    text += " --set " + printable(name) + "=VALUE";
  return {";" + text + (error.isByOperands ? " may decide it" : " would decide it"),
          openShapeInputs(options),
          {options.inputs, options.dimensions}};
}

} // namespace cupola::onnx_import

//===- lib/Import/Onnx/CompositeInputs.cpp - inputs that are no tensors ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/CompositeInputs.h"

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

#include <set>

namespace cupola::onnx_import {

using format::Composite;

CompositeInputs::CompositeInputs(const std::vector<const onnx::ValueInfoProto *> &declared, ShapeOptions &options,
                                 Diagnostics &diagnostics)
    : options(options), diagnostics(diagnostics) {
  std::set<std::string> sequences;
  for (const auto *input : declared) {
    const DeclaredType type = declaredTypeOf(input->type());
    if (!type.composite) {
      list.push_back(input);
      continue;
    }
    sequences.insert(input->name());
    add(*input, type);
  }
  for (const auto &[name, count] : options.sequences)
    if (!sequences.count(name))
      diagnostics.error(ErrorKind::Usage, quoted(name) + " is no input that is a sequence or an optional");
  checkNames();
}

CompositeInputs::~CompositeInputs() = default;

void CompositeInputs::add(const onnx::ValueInfoProto &input, const DeclaredType &type) {
  Composite composite{input.name(), *type.composite, false, false, static_cast<uint32_t>(list.size()), 0};
  if (!count(composite))
    return;
  for (size_t i = 0; i < composite.count; ++i)
    addElement(input, type, i);
  if (composite.kind != Composite::Optional)
    options.inputs.erase(input.name()); // its elements have it
  found.push_back(std::move(composite));
  types.push_back(type.elementType);
}

/// How many elements there are; false after an error.
bool CompositeInputs::count(Composite &composite) {
  const auto option = options.sequences.find(composite.name);
  if (option == options.sequences.end() && options.given)
    return countGiven(composite);
  const std::string what = "graph input " + quoted(composite.name) + " is " + kindText(composite.kind);
  const std::string flag = "--sequence " + printable(composite.name) + "=";
  const bool isOptional = composite.kind != Composite::Sequence;
  if (option == options.sequences.end()) {
    const std::string open =
        composite.kind == Composite::Optional
            ? ", and whether it has a value is not known: " + flag + "1 or " + flag + "absent"
            : ", whose number of elements is not known: " + flag + "N" + (isOptional ? " or " + flag + "absent" : "");
    diagnostics.error(ErrorKind::Unsupported, what + open + " would tell it", {{composite.name}, {}});
    return false;
  }
  composite.absent = !option->second;
  const int64_t most = composite.kind == Composite::Optional ? 1 : mostElements;
  const int64_t number = option->second.value_or(0);
  const bool isRight =
      composite.absent ? isOptional : number >= (composite.kind == Composite::Optional) && number <= most;
  if (!isRight)
    diagnostics.error(ErrorKind::Usage,
                      what + ", which " + flag + (composite.absent ? "absent" : std::to_string(number)) +
                          " does not fit, expected " +
                          (composite.kind == Composite::Optional ? "1" : "0 to " + std::to_string(most)) +
                          (isOptional ? " or absent" : ""));
  composite.count = static_cast<uint32_t>(number);
  return isRight;
}

bool CompositeInputs::countGiven(Composite &composite) {
  std::set<std::string> names;
  for (const GivenInput &input : *options.given)
    names.insert(input.name);
  const auto has = [&](size_t i) { return names.count(elementName(composite.name, composite.kind, i)) > 0; };
  const size_t most = composite.kind == Composite::Optional ? 1 : mostElements;
  while (composite.count < most && has(composite.count))
    ++composite.count;
  const bool isEmpty = composite.kind != Composite::Optional && names.count(composite.name + "[]");
  composite.absent = composite.kind != Composite::Sequence && composite.count == 0 && !isEmpty;
  if (composite.count > 0 || isEmpty || composite.absent)
    return true;
  diagnostics.error(ErrorKind::Usage, "graph input " + quoted(composite.name) + " is a sequence: the inputs have no " +
                                          quoted(composite.name + "[0]") + " and no " + quoted(composite.name + "[]") +
                                          ", which stands for no elements");
  return false;
}

/// As an option says, or as it is in a run, where the model says nothing.
std::optional<std::vector<int64_t>> CompositeInputs::shapeOf(const std::string &element, const std::string &input,
                                                             bool isDeclared) {
  for (const std::string &name : {element, input})
    if (const auto option = options.inputs.find(name); option != options.inputs.end())
      return option->second;
  if (options.given && !isDeclared)
    for (const GivenInput &given : *options.given)
      if (given.name == element)
        return given.shape;
  return std::nullopt;
}

void CompositeInputs::addElement(const onnx::ValueInfoProto &input, const DeclaredType &type, size_t index) {
  auto element = std::make_unique<onnx::ValueInfoProto>();
  const std::string name = elementName(input.name(), *type.composite, index);
  element->set_name(name);
  if (options.values.count(name))
    diagnostics.error(ErrorKind::Usage, "--set " + printable(name) + ": " + kindText(*type.composite) +
                                            " has no value to be set, expected a tensor");
  auto &tensor = *element->mutable_type()->mutable_tensor_type();
  tensor = *type.tensor;
  const auto shape = shapeOf(name, input.name(), tensor.has_shape());
  if (!tensor.has_shape() && !shape)
    diagnostics.error(ErrorKind::Unsupported,
                      "graph input " + quoted(input.name()) + " declares no shape of what it consists of: --shape " +
                          printable(name) + "=2x3 would tell it",
                      {{input.name()}, {}});
  if (!tensor.has_shape())
    for (size_t d = 0; d < (shape ? shape->size() : 0); ++d)
      tensor.mutable_shape()->add_dim();
  auto &dims = *tensor.mutable_shape()->mutable_dim(); // which is there for rank 0, too
  if (*type.composite != Composite::Optional)
    for (auto &dim : dims)
      if (!extentOf(dim))
        dim.clear_dim_param(); // an extent of its own in each element: ONNX's names are the same for all
  if (shape)
    options.inputs[name] = *shape;
  list.push_back(element.get());
  made.push_back(std::move(element));
}

/// Elements have names that an input of the model may have, too.
void CompositeInputs::checkNames() {
  std::set<std::string> names;
  for (const auto *input : list)
    if (!names.insert(input->name()).second)
      diagnostics.error(ErrorKind::Unsupported, "two inputs are called " + quoted(input->name()) +
                                                    ": one is an element of a sequence; rename the other one");
}

} // namespace cupola::onnx_import

//===- lib/Import/Onnx/ModelInputs.cpp - extents of the model's inputs -----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ModelInputs.h"

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/PinnedInputs.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/onnx_pb.h"

namespace cupola::onnx_import {
namespace {

std::string joined(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + printable(name);
  return text.empty() ? "none" : text;
}

/// A list of numbers that is declared to have none, as axes and pads may be: there a 0 is meant as such.
bool isEmptyList(const onnx::ValueInfoProto &input) {
  const auto &tensor = input.type().tensor_type();
  return tensor.elem_type() == onnx::TensorProto::INT64 && tensor.shape().dim_size() == 1 &&
         tensor.shape().dim(0).has_dim_value() && tensor.shape().dim(0).dim_value() == 0;
}

} // namespace

std::vector<const onnx::ValueInfoProto *> realInputs(const onnx::GraphProto &graph) {
  std::set<std::string> initializers;
  for (const auto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  std::vector<const onnx::ValueInfoProto *> result;
  for (const auto &input : graph.input())
    if (!initializers.count(input.name()))
      result.push_back(&input);
  return result;
}

bool contradicts(const onnx::TensorShapeProto &declared, llvm::ArrayRef<Expr> shape) {
  if (declared.dim_size() != static_cast<int>(shape.size()))
    return true;
  return llvm::any_of(llvm::zip_equal(declared.dim(), shape), [](const auto &pair) {
    const auto extent = extentOf(std::get<0>(pair));
    return extent && std::get<1>(pair).constant() && !std::get<1>(pair).isConstant(*extent);
  });
}

ModelInputs::ModelInputs(const onnx::GraphProto &graph, ShapeOptions given, Symbols &symbols, Diagnostics &diagnostics)
    : options(std::move(given)), parts(realInputs(graph), options, diagnostics), list(parts.tensors()),
      composed(parts.composites()), symbols(symbols), diagnostics(diagnostics) {
  readOptions();
  const auto isPinned = [&](const auto *input) { return options.values.count(input->name()) > 0; };
  for (format::Composite &composite : composed) // no element is pinned
    composite.first -=
        static_cast<uint32_t>(llvm::count_if(llvm::ArrayRef(list).take_front(composite.first), isPinned));
  llvm::erase_if(list, isPinned);
  for (const auto *input : list)
    shapes.push_back(diagnostics.failed() ? Exprs() : shapeOf(*input));
}

ModelInputs::~ModelInputs() = default;

void ModelInputs::fix(const std::string &name, int64_t value, const std::string &option) {
  const auto [entry, isNew] = fixed.emplace(name, value);
  if (isNew)
    from[name] = option;
  else if (entry->second != value)
    diagnostics.error(ErrorKind::Usage, "dimension " + quoted(name) + " is " + std::to_string(entry->second) + " by " +
                                            from[name] + " and " + std::to_string(value) + " by " + option);
}

void ModelInputs::checkNames(const std::set<std::string> &dimensions) {
  std::set<std::string> inputs;
  for (const auto *input : list)
    inputs.insert(input->name());
  const auto check = [&](const auto &options, const std::set<std::string> &known) {
    for (const auto &option : options)
      if (!known.count(option.first))
        diagnostics.error(ErrorKind::Usage, quoted(option.first) +
                                                " is no input or dynamic dimension, expected one of the inputs " +
                                                joined(inputs) + " or the dimensions " + joined(dimensions));
  };
  check(options.inputs, inputs);
  check(options.values, inputs);
  check(options.symbols, dimensions);
  check(options.bounds, dimensions);
}

/// An input with a value: what is unknown of its shape follows from that.
void ModelInputs::pin(const onnx::ValueInfoProto &input, const std::string &text) {
  auto value = pinnedValue(input, text, diagnostics);
  if (!value)
    return;
  const auto &shape = input.type().tensor_type().shape();
  for (int i = 0; i < shape.dim_size(); ++i)
    if (!extentOf(shape.dim(i)))
      fix(dimensionName(input, i), value->dims(i), "--set " + printable(input.name()));
  values.push_back(std::move(value));
}

/// What `--shape` says of an input; its dimensions without an extent go to `dimensions`.
void ModelInputs::readShape(const onnx::ValueInfoProto &input, std::set<std::string> &dimensions) {
  const auto &shape = input.type().tensor_type().shape();
  const auto given = options.inputs.find(input.name());
  const bool has = given != options.inputs.end();
  if (has && static_cast<int>(given->second.size()) != shape.dim_size()) {
    diagnostics.error(ErrorKind::Usage, "--shape gives input " + quoted(input.name()) + " " +
                                            std::to_string(given->second.size()) + " dimensions, expected " +
                                            std::to_string(shape.dim_size()));
    return;
  }
  for (int i = 0; i < shape.dim_size(); ++i) {
    if (extentOf(shape.dim(i)))
      continue;
    const std::string name = dimensionName(input, i);
    dimensions.insert(name);
    if (has)
      fix(name, given->second[static_cast<size_t>(i)], "--shape " + printable(input.name()));
  }
}

void ModelInputs::readOptions() {
  std::set<std::string> dimensions;
  for (const auto &[name, value] : options.symbols)
    fix(name, value, "--shape " + printable(name));
  for (const auto *input : list) {
    readShape(*input, dimensions);
    if (const auto value = options.values.find(input->name()); value != options.values.end())
      pin(*input, value->second);
  }
  checkNames(dimensions);
}

Exprs ModelInputs::shapeOf(const onnx::ValueInfoProto &input) {
  Exprs result;
  const auto &shape = input.type().tensor_type().shape();
  const auto given = options.inputs.find(input.name());
  for (int i = 0; i < shape.dim_size(); ++i) {
    const std::string name = dimensionName(input, i);
    const auto value = fixed.find(name);
    if (given != options.inputs.end()) {
      result.push_back(Expr(given->second[static_cast<size_t>(i)]));
    } else if (const auto extent = extentOf(shape.dim(i))) {
      result.push_back(Expr(*extent));
    } else if (value != fixed.end()) {
      result.push_back(Expr(value->second));
    } else if (isEmptyList(input)) {
      result.push_back(Expr(0));
    } else {
      auto known = created.find(name);
      if (known == created.end()) {
        const auto bounds = options.bounds.find(name);
        const DimBounds range = bounds == options.bounds.end() ? DimBounds() : bounds->second;
        const std::string origin =
            "dimension " + std::to_string(i) + " (" + quoted(name) + ") of input " + quoted(input.name());
        known = created.emplace(name, symbols.create(name, origin, range.min, range.max)).first;
      }
      result.push_back(known->second);
    }
  }
  return result;
}

} // namespace cupola::onnx_import

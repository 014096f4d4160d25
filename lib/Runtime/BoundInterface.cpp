//===- lib/Runtime/BoundInterface.cpp - A package's tensors at one set of input shapes ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/BoundInterface.h"

#include <algorithm>

namespace cupola::runtime {

namespace {

Status bindTensor(const format::Tensor &tensor, const ParsedTensor &parsed, const SymbolValues &values,
                  std::vector<Shape> &shapes, std::vector<uint64_t> &bytes) {
  CUPOLA_ASSIGN(Shape shape, evaluateShape(tensor, parsed, values));
  CUPOLA_ASSIGN(Shape storage, evaluateStorage(tensor, parsed, values));
  CUPOLA_ASSIGN(uint64_t size, tensorBytes(tensor.dtype, storage));
  shapes.push_back(std::move(shape));
  bytes.push_back(size);
  return Status::ok();
}

/// Whether it uses a symbol that gets its value in a run.
bool isOpen(const Expr &dim, const SymbolValues &values) {
  const std::set<std::string> symbols = dim.symbols();
  return std::any_of(symbols.begin(), symbols.end(), [&](const auto &symbol) { return values.count(symbol) == 0; });
}

/// Null dims are known after a run.
std::optional<Shape> openShape(const ParsedTensor &parsed, const SymbolValues &values) {
  Shape shape;
  bool open = false;
  for (const Expr &dim : parsed.dims) {
    open |= isOpen(dim, values);
    shape.push_back(isOpen(dim, values) ? -1 : dim.evaluate(values).value_or(-1));
  }
  return open ? std::optional<Shape>(shape) : std::nullopt;
}

} // namespace

Result<BoundInterface> bindInterface(const format::Package &package, const ParsedInterface &parsed,
                                     const std::vector<Shape> &inputs, const std::vector<Strides> &strides,
                                     const std::vector<Elements> &elements) {
  BoundInterface bound;
  CUPOLA_ASSIGN(bound.values, bindShapes(package, parsed, inputs, strides, elements));
  for (size_t i = 0; i < package.inputs.size(); ++i)
    CUPOLA_TRY(bindTensor(package.inputs[i], parsed.inputs[i], bound.values, bound.inputShapes, bound.inputBytes));
  for (size_t i = 0; i < package.outputs.size(); ++i) {
    const std::optional<Shape> open = openShape(parsed.outputs[i], bound.values);
    bound.isOpen.push_back(open.has_value());
    if (open) {
      bound.outputShapes.push_back(*open);
      bound.outputBytes.push_back(0);
      continue;
    }
    CUPOLA_TRY(bindTensor(package.outputs[i], parsed.outputs[i], bound.values, bound.outputShapes, bound.outputBytes));
    if (package.outputs[i].memoryOf != 0)
      bound.sharedStrides[i] = denseStrides(*evaluateStorage(package.outputs[i], parsed.outputs[i], bound.values));
  }
  return bound;
}

} // namespace cupola::runtime

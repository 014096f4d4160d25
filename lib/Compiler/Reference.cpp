//===- lib/Compiler/Reference.cpp - the model's answer, op by op ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/CompilationImpl.h"
#include "lib/Reference/Reference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::compiler {

/// The inputs in the order of the model.
static Result<std::vector<reference::Tensor>> inOrder(func::FuncOp main,
                                                      const std::vector<npz::Array> &inputs) {
  std::vector<reference::Tensor> tensors;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const std::string name = main.getArgAttrOfType<StringAttr>(i, "graph.name").str();
    auto input = llvm::find_if(inputs, [&](const npz::Array &array) { return array.name == name; });
    if (input == inputs.end())
      return Status::usage("no value for input '" + name + "'");
    tensors.push_back(reference::Tensor::borrow(input->dtype, input->shape, input->bytes.data()));
  }
  return tensors;
}

Result<std::vector<npz::Array>> Compilation::reference(const std::vector<npz::Array> &inputs) {
  auto main = state->imported->lookupSymbol<func::FuncOp>("main");
  Result<std::vector<reference::Tensor>> tensors = inOrder(main, inputs);
  if (tensors.failed())
    return tensors.status();
  Result<std::vector<reference::Tensor>> results = reference::interpret(*state->imported, *tensors);
  if (results.failed())
    return results.status();
  std::vector<npz::Array> outputs;
  for (auto [i, result] : llvm::enumerate(*results)) {
    npz::Array output;
    output.name = main.getResultAttrOfType<StringAttr>(i, "graph.name").str();
    output.dtype = result.dtype();
    output.shape = result.shape();
    output.bytes.assign(result.data(), result.data() + result.bytes());
    outputs.push_back(std::move(output));
  }
  return outputs;
}

} // namespace cupola::compiler

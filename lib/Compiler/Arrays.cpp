//===- lib/Compiler/Arrays.cpp - arrays of the caller as tensors of lib/Reference ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/Arrays.h"

#include "dialects/Graph/Interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cupola::compiler {

Result<reference::Tensor> rounded(const reference::Tensor &tensor, format::DType dtype) {
  if (tensor.dtype() == dtype)
    return tensor;
  CUPOLA_ASSIGN(reference::Tensor result, reference::Tensor::make(dtype, tensor.shape()));
  tensor.forPieces([&](int64_t begin, ArrayRef<double> numbers) {
    result.write(begin, static_cast<int64_t>(numbers.size()), numbers.data());
  });
  return result;
}

Result<std::vector<reference::Tensor>> tensorsOf(ModuleOp module, const std::vector<npz::Array> &inputs) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<reference::Tensor> tensors;
  for (BlockArgument argument : main.getArguments()) {
    const std::string name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name").str();
    auto input = llvm::find_if(inputs, [&](const npz::Array &array) { return array.name == name; });
    if (input == inputs.end())
      return Status::usage("no value for input '" + name + "'");
    const format::DType declared = graph::declaredDtype(argument);
    const format::DType given = npz::holdsBitsOf(input->dtype, declared) ? declared : input->dtype;
    tensors.push_back(reference::Tensor::borrow(format::rowOf(given).storage, input->shape, input->bytes.data()));
    const Type element = cast<RankedTensorType>(argument.getType()).getElementType();
    if (element.isF32() && (input->dtype == format::DType::F16 || input->dtype == format::DType::BF16)) {
      CUPOLA_ASSIGN(tensors.back(), rounded(tensors.back(), graph::dtypeOf(element)));
    }
  }
  return tensors;
}

std::vector<npz::Array> arraysOf(ModuleOp module, ArrayRef<reference::Tensor> results) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<npz::Array> arrays;
  for (auto [i, result] : llvm::enumerate(results)) {
    npz::Array array;
    array.name = main.getResultAttrOfType<StringAttr>(i, "graph.name").str();
    array.dtype = graph::declaredDtype(main, i);
    array.shape = result.shape();
    array.bytes.assign(result.data(), result.data() + result.bytes());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

} // namespace cupola::compiler

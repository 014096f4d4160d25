//===- lib/Compiler/Arrays.cpp - arrays of the caller as tensors of lib/Reference ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Compiler/Arrays.h"

#include "dialects/Graph/ElementTypes.h"
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

static Result<reference::Tensor> tensorOf(const npz::Array &input, BlockArgument argument,
                                          reference::Strings &strings) {
  if (input.dtype == format::DType::String) {
    CUPOLA_ASSIGN(reference::Tensor numbers, reference::Tensor::make(format::DType::I64, input.shape));
    for (auto [i, text] : llvm::enumerate(input.texts))
      numbers.set<int64_t>(static_cast<int64_t>(i), strings.numberOf(text));
    return numbers;
  }
  const format::DType declared = graph::declaredDtype(argument);
  const format::DType given = npz::holdsBitsOf(input.dtype, declared) ? declared : input.dtype;
  auto tensor = reference::Tensor::borrow(format::rowOf(given).storage, input.shape, input.bytes.data());
  const Type element = graph::elementOf(argument);
  if (element.isF32() && (input.dtype == format::DType::F16 || input.dtype == format::DType::BF16))
    return rounded(tensor, graph::dtypeOf(element));
  return tensor;
}

Result<std::vector<reference::Tensor>> tensorsOf(ModuleOp module, const std::vector<npz::Array> &inputs,
                                                 reference::Strings &strings) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<reference::Tensor> tensors;
  for (BlockArgument argument : main.getArguments()) {
    const std::string name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name").str();
    auto input = llvm::find_if(inputs, [&](const npz::Array &array) { return array.name == name; });
    if (input == inputs.end())
      return Status::usage("no value for input '" + name + "'");
    CUPOLA_ASSIGN(tensors.emplace_back(), tensorOf(*input, argument, strings));
  }
  return tensors;
}

Result<std::vector<npz::Array>> arraysOf(ModuleOp module, ArrayRef<reference::Tensor> results,
                                         const reference::Strings &strings) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<npz::Array> arrays;
  for (auto [i, result] : llvm::enumerate(results)) {
    npz::Array &array = arrays.emplace_back();
    array.name = main.getResultAttrOfType<StringAttr>(i, "graph.name").str();
    array.dtype = graph::declaredDtype(main, i);
    array.shape = result.shape();
    if (array.dtype != format::DType::String) {
      array.bytes.assign(result.data(), result.data() + result.bytes());
      continue;
    }
    for (int64_t at = 0; at < result.count(); ++at) {
      CUPOLA_ASSIGN(array.texts.emplace_back(), strings.textOf(result.at<int64_t>(at)));
    }
  }
  return arrays;
}

} // namespace cupola::compiler

//===- dialects/Graph/InferType.cpp - one rule per op for the type of its result ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Graph.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::graph;

SmallVector<TensorComponents> graph::componentsOf(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) { return TensorComponents{shapeOf(value), elementOf(value)}; });
}

LogicalResult graph::verifyInferred(Operation *op, const TensorComponents &expected) {
  const RankedTensorType found = typeOf(op->getResult(0));
  if (expected.dims == shapeOf(found) && expected.element == found.getElementType())
    return success();
  if (llvm::any_of(expected.dims, [](const Expr &extent) { return extent.overflowed(); }))
    return op->emitOpError("has a result with an extent that leaves the range of 64 bits");
  return op->emitOpError() << "expected result of type " << tensorType(expected) << ", found " << found;
}

//===--- Pointwise ---===//

static TensorComponents boolLike(const TensorComponents &tensor) {
  return {tensor.dims, IntegerType::get(tensor.element.getContext(), 1)};
}

TensorComponents UnaryOp::inferResult(InferAdaptor op) {
  return isPredicate(op.getKind()) ? boolLike(op.getInput()) : op.getInput();
}

TensorComponents BinaryOp::inferResult(InferAdaptor op) {
  return isComparison(op.getKind()) ? boolLike(op.getLhs()) : op.getLhs();
}

TensorComponents SelectOp::inferResult(InferAdaptor op) { return op.getLhs(); }

//===--- Views ---===//

TensorComponents TransposeOp::inferResult(InferAdaptor op) {
  const TensorComponents input = op.getInput();
  return {llvm::map_to_vector(op.getPerm(), [&](int64_t dim) { return input.dims[dim]; }), input.element};
}

static TensorComponents inARow(ArrayRef<TensorComponents> inputs, int64_t axis) {
  TensorComponents result = inputs.front();
  for (const TensorComponents &input : inputs.drop_front())
    result.dims[axis] += input.dims[axis];
  return result;
}

TensorComponents ConcatOp::inferResult(InferAdaptor op) { return inARow(op.getInputs(), op.getAxis()); }
TensorComponents JoinOp::inferResult(InferAdaptor op) { return inARow(op.getInputs(), op.getAxis()); }

Exprs WindowOp::resultShape(ArrayRef<Expr> input, int64_t axis, ArrayRef<int64_t> sizes, ArrayRef<Expr> places) {
  Exprs shape(input.take_front(axis));
  llvm::append_range(shape, places);
  shape.append(sizes.begin(), sizes.end());
  llvm::append_range(shape, input.drop_front(axis + sizes.size()));
  return shape;
}

//===--- Gathers ---===//

TensorComponents GatherOp::inferResult(InferAdaptor op) {
  const Exprs indices = op.getIndices().dims;
  auto [shape, element] = op.getData();
  Expr *axis = shape.erase(shape.begin() + op.getAxis());
  shape.insert(axis, indices.begin() + op.getBatchDims(), indices.end());
  return {shape, element};
}

TensorComponents GatherElementsOp::inferResult(InferAdaptor op) { return {op.getIndices().dims, op.getData().element}; }

TensorComponents GatherNDOp::inferResult(InferAdaptor op) {
  const auto [data, element] = op.getData();
  Exprs shape = op.getIndices().dims;
  const int64_t depth = *shape.pop_back_val().constant();
  llvm::append_range(shape, ArrayRef(data).drop_front(op.getBatchDims() + depth));
  return {shape, element};
}

//===--- Reductions and normalisations ---===//

Type graph::momentType(Type element) { return element.isF64() ? element : Float32Type::get(element.getContext()); }

static TensorComponents reduced(TensorComponents tensor, ArrayRef<int64_t> axes) {
  for (int64_t axis : axes)
    tensor.dims[axis] = 1;
  return tensor;
}

TensorComponents ReduceOp::inferResult(InferAdaptor op) { return reduced(op.getInput(), op.getAxes()); }

TensorComponents ArgReduceOp::inferResult(InferAdaptor op) {
  TensorComponents result = reduced(op.getInput(), static_cast<int64_t>(op.getAxis()));
  result.element = IntegerType::get(result.element.getContext(), 64);
  return result;
}

TensorComponents SoftmaxOp::inferResult(InferAdaptor op) { return op.getInput(); }
TensorComponents LayerNormOp::inferResult(InferAdaptor op) { return op.getInput(); }
TensorComponents NormalizeOp::inferResult(InferAdaptor op) { return op.getInput(); }

TensorComponents MomentsOp::inferResult(InferAdaptor op) {
  auto [shape, element] = reduced(op.getInput(), op.getAxes());
  shape.push_back(2);
  return {shape, momentType(element)};
}

TensorComponents StatisticsOp::inferResult(InferAdaptor op) { return reduced(op.getMoments(), op.getAxes()); }

//===--- Contractions ---===//

TensorComponents MatMulOp::inferResult(InferAdaptor op) {
  TensorComponents result = op.getLhs();
  result.dims.back() = op.getRhs().dims.back();
  if (Type element = productOf(result.element, op.getRhs().element)) // the verifier says what is wrong
    result.element = element;
  return result;
}

TensorComponents BlockMatMulOp::inferResult(InferAdaptor op) {
  TensorComponents result = op.getLhsScales();
  result.dims.back() = op.getRhs().dims.back();
  return result;
}

ConvOp::Dims ConvOp::dimsOf(ConvLayout layout, int64_t rank) {
  return layout == ConvLayout::ChannelsFirst ? Dims{1, 2, 0, 1, 2} : Dims{rank - 1, 1, rank - 1, rank - 2, 0};
}

ConvOp::Dims ConvOp::dims() { return dimsOf(getLayout(), rankOf(getInput())); }

Exprs ConvOp::resultShape(ConvLayout layout, ArrayRef<Expr> input, ArrayRef<Expr> weights, ArrayRef<Expr> places) {
  const Dims dims = dimsOf(layout, input.size());
  Exprs shape{input.front()};
  llvm::append_range(shape, places);
  shape.insert(shape.begin() + dims.channels, weights[dims.columns]);
  return shape;
}

//===- lib/Target/CUDA/DescribeCall.cpp - a fusion in cuBLASLt's words ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/DescribeCall.h"

#include "dialects/Graph/ElementTypes.h"
#include "dialects/Graph/Indexing.h"
#include "lib/Transforms/Match.h"

using namespace mlir;

namespace cupola::cuda {
namespace {

using format::LibraryCall;
using format::PostOpKind;
using graph::Exprs;
using graph::UnaryKind;

/// What NVIDIA recommends to reserve (cuBLAS, cublasSetWorkspace).
constexpr uint64_t kWorkspace = uint64_t(4) << 20, kHopperWorkspace = uint64_t(32) << 20;

/// The functions that cuBLASLt computes as the graph does: on the f32 sum, before it is rounded. Its gelu is the tanh
/// form.
struct FunctionRow {
  UnaryKind unary;
  PostOpKind postOp;
};
constexpr FunctionRow functions[] = {
    {UnaryKind::Relu, PostOpKind::Relu},
    {UnaryKind::GeluTanh, PostOpKind::GeluTanh},
};

/// Elements from one to the next along each dimension of a view.
using Strides = std::vector<int64_t>;

/// Where the elements of `operand` lie in an input, which begins with the first of them; none where it is no
/// strided view of one.
struct InputView {
  int64_t input;
  Strides strides;
};
std::optional<InputView> inputViewOf(Value operand) {
  Ranges ranges;
  Exprs index;
  for (auto [dim, extent] : llvm::enumerate(graph::shapeOf(operand))) {
    index.push_back(Expr::symbol("d" + std::to_string(dim)));
    ranges["d" + std::to_string(dim)] = {Expr(0), extent - 1};
  }
  const Exprs dims = index;
  Value value = operand;
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    if (!match::viewInput(op))
      return std::nullopt;
    const graph::OperandIndex at = cast<graph::IndexingInterface>(op).mapIndex(0, index, ranges);
    if (!at.mask.empty())
      return std::nullopt;
    index = at.index;
    value = match::viewInput(op);
  }
  Expr position = simplify(graph::linearize(index, graph::shapeOf(value)), ranges);
  InputView view{cast<BlockArgument>(value).getArgNumber(), {}};
  for (const Expr &dim : dims) {
    const std::optional<Expr> step = position.coefficient(*dim.asSymbol());
    if (!step || !step->constant())
      return std::nullopt;
    view.strides.push_back(*step->constant());
    position -= *step * dim;
  }
  return position.isConstant(0) ? std::optional(view) : std::nullopt;
}

/// Makes one dimension of all but the last two. None where their elements lie at no single step.
std::optional<Strides> withOneBatch(const Strides &strides, ArrayRef<int64_t> shape) {
  const size_t batches = shape.size() - 2;
  std::optional<int64_t> innermost, expected;
  for (size_t i = batches; i-- > 0;) {
    if (shape[i] == 1)
      continue;
    if (expected && strides[i] != *expected)
      return std::nullopt;
    innermost = innermost.value_or(strides[i]);
    expected = strides[i] * shape[i];
  }
  return Strides{innermost.value_or(0), strides[batches], strides[batches + 1]};
}

class CublasLtDescriber : public CallDescriber {
public:
  CublasLtDescriber(graph::FusionOp fusion, Operation *hero, const GpuArchitecture &target)
      : CallDescriber(fusion, hero), target(target) {}

private:
  bool describeHero() override {
    auto product = dyn_cast<graph::MatMulOp>(hero);
    if (!product)
      return refuse("it is no product of matrices");
    for (Value value : {product.getLhs(), product.getRhs(), product.getResult()})
      if (!graph::typeOf(value).hasStaticShape())
        return refuse("the shapes are not static: cuBLASLt chooses its code by numbers");
    const Type element = graph::elementOf(product.getResult());
    if (!isa<Float32Type, Float16Type, BFloat16Type>(element))
      return refuse("the elements are none of f32, f16 and bf16");
    LibraryCall &call = made.call;
    call.kind = format::LibraryCallKind::StridedProduct;
    call.dtype = graph::dtypeOf(element);
    call.result = matricesOf(product.getResult());
    call.workspace = target.wgmma ? kHopperWorkspace : kWorkspace;
    return addOperand("left", product.getLhs(), call.source, call.sourceStrides) &&
           addOperand("right", product.getRhs(), call.weights, call.weightsStrides);
  }

  /// [batch, rows, columns]
  static std::vector<int64_t> matricesOf(Value value) {
    const std::vector<int64_t> shape = staticShape(value);
    int64_t batch = 1;
    for (int64_t extent : ArrayRef(shape).drop_back(2))
      batch *= extent;
    return {batch, shape[shape.size() - 2], shape.back()};
  }

  bool addOperand(const char *side, Value operand, std::vector<int64_t> &extents, Strides &strides) {
    const std::optional<InputView> view = inputViewOf(operand);
    if (!view)
      return refuse(llvm::Twine("the ") + side + " matrix is computed, or a part of an input");
    const std::optional<Strides> matrix = withOneBatch(view->strides, staticShape(operand));
    if (!matrix)
      return refuse(llvm::Twine("the matrices of the ") + side + " operand lie at no single step");
    extents = matricesOf(operand);
    strides = *matrix;
    makeInPieces(extents, strides);
    if (strides[1] != 1 && strides[2] != 1)
      return refuse(llvm::Twine("neither rows nor columns of the ") + side + " matrix lie in one piece");
    made.inputs.push_back(view->input);
    return true;
  }

  /// The step along a dimension of one element is free: as in a dense matrix.
  static void makeInPieces(const std::vector<int64_t> &extents, Strides &strides) {
    if (extents[2] == 1 && strides[1] != 1)
      strides[2] = 1;
    if (extents[1] == 1 && strides[2] != 1)
      strides[1] = 1;
    if (extents[1] == 1 && strides[2] == 1)
      strides[1] = extents[2];
    if (extents[2] == 1 && strides[1] == 1)
      strides[2] = extents[1];
  }

  bool addPostOp(Operation *op, Value) override {
    auto unary = dyn_cast<graph::UnaryOp>(op);
    for (const FunctionRow &row : functions)
      if (unary && row.unary == unary.getKind()) {
        made.call.postOps.push_back({row.postOp, 0, 0});
        return true;
      }
    return false;
  }

  bool isInOrder() const override { return format::isProductEpilogue(made.call.postOps); }

  const GpuArchitecture &target;
};

} // namespace

CallDescription describeCall(graph::FusionOp fusion, Operation *hero, const GpuArchitecture &target) {
  return CublasLtDescriber(fusion, hero, target).describe();
}

} // namespace cupola::cuda

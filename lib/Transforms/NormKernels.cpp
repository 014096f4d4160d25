//===- lib/Transforms/NormKernels.cpp - kernels of norms and of products around them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/NormKernels.h"

#include "lib/Reference/Tensor.h"
#include "lib/Transforms/Constants.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::norm;
using graph::BinaryKind;
using graph::FusionOp;

//===--- What kernels are ---===//

Location NormKernel::loc() {
  SmallVector<Location> all;
  for (Operation &part : fusion.getBody().front().without_terminator())
    all.push_back(part.getLoc());
  return FusedLoc::get(fusion.getContext(), all);
}

static Value operandOf(FusionOp fusion, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? fusion.getInputs()[argument.getArgNumber()] : Value();
}

/// The value before a cast between float types, if it is one.
static Value beforeCast(Value value, unsigned &seen) {
  auto cast = value.getDefiningOp<graph::CastOp>();
  return cast ? (++seen, cast.getInput()) : value;
}

/// A constant [1, columns].
static bool isOfColumns(Value value) {
  const graph::Exprs shape = graph::shapeOf(value);
  return value.getDefiningOp<graph::ConstantOp>() && shape.size() == 2 && shape[0].isConstant(1) && shape[1].constant();
}

/// Takes `value` apart by an op with a constant per column: what is left, or null where it is none.
static Value beforeColumns(FusionOp fusion, Value value, BinaryKind kind, Value &columns, unsigned &seen) {
  auto op = value.getDefiningOp<graph::BinaryOp>();
  if (!op || op.getKind() != kind)
    return Value();
  for (unsigned i : {1u, 0u})
    if (auto broadcast = op->getOperand(i).getDefiningOp<graph::BroadcastOp>())
      if (Value operand = operandOf(fusion, broadcast.getInput()); operand && isOfColumns(operand)) {
        columns = operand;
        seen += 2;
        return op->getOperand(1 - i);
      }
  return Value();
}

std::optional<NormKernel> norm::normOf(FusionOp fusion) {
  if (fusion.getKind() != graph::KernelKind::RowReduction || fusion.getNumResults() != 1)
    return std::nullopt;
  NormKernel norm{fusion, {}, {}, {}, {}};
  unsigned seen = 0; // ops of the body that are part of it
  Block &body = fusion.getBody().front();
  Value value = beforeCast(body.getTerminator()->getOperand(0), seen);
  if (Value inner = beforeColumns(fusion, value, BinaryKind::Add, norm.shift, seen))
    value = inner;
  if (Value inner = beforeColumns(fusion, value, BinaryKind::Mul, norm.factor, seen))
    value = inner;
  norm.op = beforeCast(value, seen).getDefiningOp<graph::LayerNormOp>();
  if (!norm.op || graph::rankOf(norm.op) != 2 || norm.op.getAxes() != ArrayRef<int64_t>{1})
    return std::nullopt;
  norm.rows = operandOf(fusion, beforeCast(norm.op.getInput(), ++seen));
  const std::optional<int64_t> columns = graph::extentOf(value, 1).constant();
  if (!norm.rows || !columns || norm.rows.getType() != fusion.getResult(0).getType() ||
      seen + 1 != body.getOperations().size())
    return std::nullopt;
  norm.columns = *columns;
  return norm;
}

graph::MatMulOp norm::productOf(FusionOp fusion) {
  auto products = fusion.getBody().getOps<graph::MatMulOp>();
  if (fusion.getKind() != graph::KernelKind::Gemm || !llvm::hasSingleElement(products))
    return {};
  graph::MatMulOp product = *products.begin();
  auto hasHalves = [](Value value) { return graph::byteSize(graph::elementOf(value)) == 2; };
  return graph::rankOf(product.getResult()) == 2 && llvm::all_of(product->getOperands(), hasHalves) ? product
                                                                                                    : graph::MatMulOp();
}

bool norm::staysInPlace(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<graph::YieldOp>(user) ||
           (!isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(user) && staysInPlace(user));
  });
}

bool norm::canRead(OpOperand &use) {
  auto fusion = dyn_cast<FusionOp>(use.getOwner());
  graph::MatMulOp product = fusion ? productOf(fusion) : graph::MatMulOp();
  if (!product || llvm::count(fusion.getInputs(), use.get()) != 1)
    return false;
  BlockArgument argument = fusion.getBody().getArgument(use.getOperandNumber());
  const bool inPlace = staysInPlace(product);
  return llvm::all_of(argument.getUses(), [&](OpOperand &inner) {
    if (inner.getOwner() != product)
      return inPlace && isa<graph::CastOp, graph::UnaryOp, graph::BinaryOp>(inner.getOwner()) &&
             staysInPlace(inner.getOwner()) && graph::shapeOf(product.getResult()) == graph::shapeOf(argument);
    Value weights = product.getRhs(), outer = operandOf(fusion, weights);
    auto constant = outer ? outer.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
    return inner.getOperandNumber() == 0 && constant && weights.hasOneUse() && !bytesOf(constant.getValue()).empty();
  });
}

//===--- Weights ---===//

std::optional<Numbers> norm::numbersOf(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant)
    return std::nullopt;
  Result<reference::Tensor> tensor = reference::Tensor::of(constant.getValue());
  if (tensor.failed())
    return std::nullopt;
  Numbers numbers(tensor->count());
  tensor->read(0, tensor->count(), numbers.data());
  return numbers;
}

/// Roundings of a column of f w, beside its elements, are those of the type: none is too large for it, and what is too
/// small for whole ones is small beside others.
static bool isHeld(double errors, double squares, Type element) {
  const int bits = int(cast<FloatType>(element).getFPMantissaWidth()) - 1; // an error is up to half of the last one
  return errors <= std::ldexp(squares, -2 * bits);
}

namespace {

/// Row by row of the weights.
struct Sums {
  std::vector<double> ofColumns, shifts, errors, squares;
  explicit Sums(int64_t columns) : ofColumns(columns), shifts(columns), errors(columns), squares(columns) {}

  void add(const Numbers &weights, const Numbers &rounded, float factor, float shift) {
    for (size_t n = 0; n < weights.size(); ++n) {
      const double scaled = double(weights[n]) * factor;
      shifts[n] += double(weights[n]) * shift;
      ofColumns[n] += rounded[n]; // as it is rounded, so that what rows have in common cancels
      errors[n] += std::pow(rounded[n] - scaled, 2);
      squares[n] += scaled * scaled;
    }
  }
};

} // namespace

std::optional<ScaledWeights> norm::scaleWeights(const NormKernel &norm, Value weights) {
  const auto type = cast<RankedTensorType>(weights.getType());
  reference::Tensor old = *reference::Tensor::of(weights.getDefiningOp<graph::ConstantOp>().getValue());
  Result<reference::Tensor> made = reference::Tensor::make(old.dtype(), old.shape());
  const int64_t depth = old.extent(0), columns = old.extent(1);
  const std::optional<Numbers> factor = norm.factor ? numbersOf(norm.factor) : Numbers(depth, 1.0F);
  const std::optional<Numbers> shift = norm.shift ? numbersOf(norm.shift) : Numbers(depth, 0.0F);
  if (made.failed() || !factor || !shift)
    return std::nullopt;
  Sums sums(columns);
  Numbers row(columns), scaled(columns);
  for (int64_t k = 0; k < depth; ++k) {
    old.read(k * columns, columns, row.data());
    for (int64_t n = 0; n < columns; ++n)
      scaled[n] = row[n] * (*factor)[k];
    made->write(k * columns, columns, scaled.data());
    made->read(k * columns, columns, scaled.data());
    sums.add(row, scaled, (*factor)[k], (*shift)[k]);
  }
  for (auto [errors, squares] : llvm::zip_equal(sums.errors, sums.squares))
    if (!isHeld(errors, squares, type.getElementType()))
      return std::nullopt;
  auto owner = std::make_shared<reference::Tensor>(*made);
  ScaledWeights found{graph::constantOf(type, {made->data(), made->bytes()}, owner), {}, {}};
  const auto vector = RankedTensorType::get({1, columns}, Float32Type::get(type.getContext()));
  graph::LayerNormOp op = norm.op;
  if (!op.getRms())
    found.sums = constantOf(vector, Numbers(sums.ofColumns.begin(), sums.ofColumns.end()));
  if (norm.shift)
    found.shift = constantOf(vector, Numbers(sums.shifts.begin(), sums.shifts.end()));
  return found;
}

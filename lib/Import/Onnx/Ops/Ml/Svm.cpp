//===- lib/Import/Onnx/Ops/Ml/Svm.cpp - support vector machines ------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/Svm.h"

#include "lib/Import/Onnx/Ops/Ml/NodeAttributes.h"
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// gamma, coef0 and degree.
struct KernelParameters {
  double gamma = 0, offset = 0, degree = 3;
};

KernelParameters parametersOf(OpBinder &op) {
  const Reals given = floatsOf(op, "kernel_params");
  if (given.empty())
    return {};
  requireCount(op, "kernel_params", given.size(), 3);
  return {given[0], given[1], given[2]};
}

/// Sums of the squared differences of all rows of x and all vectors, [rows, vectors].
Value distances(OpBinder &op, Value x, Value vectors) {
  Value difference = op.b.binary(BinaryKind::Sub, op.b.unsqueeze(x, {1}), op.b.unsqueeze(vectors, {0}));
  Value sums = op.b.reduce(ReduceKind::Sum, op.b.binary(BinaryKind::Mul, difference, difference), {2});
  return op.b.squeeze(sums, {2});
}

} // namespace

Value kernelOf(OpBinder &op, Value x, Value vectors) {
  const std::string kind = op.stringAttribute("kernel_type", "LINEAR");
  const KernelParameters p = parametersOf(op);
  const Type type = op.b.element(x);
  const auto scaled = [&](Value value, double factor) {
    return op.b.binary(BinaryKind::Mul, value, op.b.scalar(factor, type));
  };
  if (kind == "RBF")
    return op.b.unary(UnaryKind::Exp, scaled(distances(op, x, vectors), -p.gamma));
  Value product = op.b.matmul(x, op.b.transpose(vectors, {1, 0}));
  if (kind == "LINEAR")
    return product;
  product = op.b.binary(BinaryKind::Add, scaled(product, p.gamma), op.b.scalar(p.offset, type));
  if (kind == "SIGMOID")
    return op.b.unary(UnaryKind::Tanh, product);
  if (kind != "POLY")
    op.bad("attribute 'kernel_type' is " + quoted(kind) + ", expected LINEAR, POLY, RBF or SIGMOID");
  return op.b.binary(BinaryKind::Pow, product, op.b.scalar(p.degree, type));
}

Value supportVectors(OpBinder &op, int64_t count, Value x) {
  const Reals vectors = floatsOf(op, "support_vectors");
  const auto total = static_cast<int64_t>(vectors.size());
  if (total == 0 || total % count != 0)
    op.bad("attribute 'support_vectors' has " + std::to_string(total) + " elements, expected a multiple of " +
           std::to_string(count));
  op.b.sameExtent(op.b.shape(x)[1], Expr(total / count), "the features of input 0 (X) and those of 'support_vectors'");
  return table(op, vectors, {count, total / count}, op.b.element(x));
}

void importSvmRegressor(OpBinder &op) {
  const Type type = Float32Type::get(op.b.context());
  const Reals coefficients = floatsOf(op, "coefficients"), rho = floatsOf(op, "rho");
  const int64_t count = op.intAttribute("n_supports", 0);
  if (namedTransform(op) != PostTransform::None)
    op.unsupported("attribute 'post_transform' is given, supported is NONE");
  if (rho.empty())
    op.bad("attribute 'rho' is missing");
  Value x = op.b.cast(rowsOf(op), type), values = x;
  // Without support vectors the coefficients are those of the features.
  if (count > 0)
    values = kernelOf(op, x, supportVectors(op, count, x));
  else
    for (const char *name : {"kernel_type", "kernel_params", "support_vectors"})
      op.ignoreAttribute(name);
  op.b.sameExtent(op.b.shape(values)[1], Expr(static_cast<int64_t>(coefficients.size())),
                  count > 0 ? "the support vectors and 'coefficients'"
                            : "the features of input 0 (X) and 'coefficients'");
  Value sum = op.b.matmul(values, table(op, coefficients, {static_cast<int64_t>(coefficients.size()), 1}, type));
  sum = op.b.binary(BinaryKind::Add, sum, op.b.scalar(rho[0], type));
  if (op.intAttribute("one_class", 0) != 0) {
    Value isInside = op.b.binary(BinaryKind::Greater, sum, op.b.scalar(0, type));
    sum = op.b.select(isInside, op.b.scalar(1, type), op.b.scalar(-1, type));
  }
  op.result(sum);
}

} // namespace cupola::onnx_import::ml

//===- lib/Import/Onnx/Ops/Ml/PostTransform.cpp - from scores to probabilities ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ml/Ops.h"
#include "lib/Import/Onnx/Text.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// A softmax in which what is (nearly) 0 keeps its place on the scale, and has no share of its own.
Value softmaxZero(OpBinder &op, Value scores) {
  const Type type = op.b.element(scores);
  const auto number = [&](double value) { return op.b.scalar(value, type); };
  Value most = op.b.reduce(ReduceKind::Max, scores, {1});
  Value isShare = op.b.binary(BinaryKind::Greater, op.b.unary(UnaryKind::Abs, scores), number(1e-7));
  Value share = op.b.unary(UnaryKind::Exp, op.b.binary(BinaryKind::Sub, scores, most));
  Value scaled = op.b.binary(BinaryKind::Mul, scores, op.b.unary(UnaryKind::Exp, op.b.unary(UnaryKind::Neg, most)));
  Value parts = op.b.select(isShare, share, scaled);
  Value sum = op.b.reduce(ReduceKind::Sum, parts, {1});
  Value isNothing = op.b.binary(BinaryKind::Equal, sum, number(0));
  return op.b.select(isNothing, number(0.5), op.b.binary(BinaryKind::Div, parts, sum));
}

/// The inverse of the normal distribution by Winitzki's formula for the inverse of erf, with a = 0.147.
Value probit(OpBinder &op, Value scores) {
  const Type type = op.b.element(scores);
  const auto number = [&](double value) { return op.b.scalar(value, type); };
  const auto multiply = [&](Value a, Value b) { return op.b.binary(BinaryKind::Mul, a, b); };
  Value x = op.b.binary(BinaryKind::Sub, multiply(scores, number(2)), number(1));
  Value log = op.b.unary(UnaryKind::Log, op.b.binary(BinaryKind::Sub, number(1), multiply(x, x)));
  Value middle = op.b.binary(BinaryKind::Add, number(2 / (3.14159265358979323846 * 0.147)), multiply(log, number(0.5)));
  Value root = op.b.unary(UnaryKind::Sqrt,
                          op.b.binary(BinaryKind::Sub, multiply(middle, middle), multiply(log, number(1 / 0.147))));
  Value inverse = op.b.unary(UnaryKind::Sqrt, op.b.binary(BinaryKind::Sub, root, middle));
  return multiply(number(1.41421356), multiply(op.b.unary(UnaryKind::Sign, x), inverse));
}

} // namespace

PostTransform namedTransform(OpBinder &op) {
  const std::string name = op.stringAttribute("post_transform", "NONE");
  const auto transform = llvm::StringSwitch<std::optional<PostTransform>>(name)
                             .Case("NONE", PostTransform::None)
                             .Case("SOFTMAX", PostTransform::Softmax)
                             .Case("LOGISTIC", PostTransform::Logistic)
                             .Case("SOFTMAX_ZERO", PostTransform::SoftmaxZero)
                             .Case("PROBIT", PostTransform::Probit)
                             .Default(std::nullopt);
  if (!transform)
    op.bad("attribute 'post_transform' is " + quoted(name) +
           ", expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
  return *transform;
}

Value transformed(OpBinder &op, PostTransform transform, Value scores) {
  switch (transform) {
  case PostTransform::None:
    return scores;
  case PostTransform::Softmax:
    return op.b.softmax(scores, 1, false);
  case PostTransform::Logistic:
    return op.b.unary(UnaryKind::Sigmoid, scores);
  case PostTransform::SoftmaxZero:
    return softmaxZero(op, scores);
  case PostTransform::Probit:
    return probit(op, scores);
  }
  llvm_unreachable("a transform without a formula");
}

Value bothOf(OpBinder &op, Value score, bool isProbability) {
  const PostTransform transform = namedTransform(op);
  Value opposite = op.b.unary(UnaryKind::Neg, score);
  if (transform == PostTransform::Logistic)
    return op.b.unary(UnaryKind::Sigmoid, op.b.concat({opposite, score}, 1));
  if (transform != PostTransform::None) // onnxruntime transforms nothing, ONNX's reference both
    op.unsupported("two classes have one score and attribute 'post_transform' is '" +
                   op.stringAttribute("post_transform", "NONE") + "', supported are NONE and LOGISTIC");
  Value first = isProbability ? op.b.binary(BinaryKind::Sub, op.b.scalar(1, op.b.element(score)), score) : opposite;
  return op.b.concat({first, score}, 1);
}

} // namespace cupola::onnx_import::ml

//===- lib/Transforms/Fusion/Rules/Attention.cpp - two products around a softmax ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;

namespace {

using Ops = llvm::SetVector<Operation *>;

/// softmax(q k, ..) v: what its kernel computes, from the first product to the second, and why
/// it has none.
struct Attention {
  Ops ops;
  std::optional<StringRef> refusal;
};

/// Only extents of 1 come or go, and rows and keys stay what they are.
bool keepsMatrices(graph::ReshapeOp reshape) {
  graph::Exprs from = graph::shapeOf(reshape.getInput()), to = graph::shapeOf(reshape.getResult());
  if (from.size() < 2 || to.size() < 2 || !std::equal(from.end() - 2, from.end(), to.end() - 2))
    return false;
  auto isOne = [](const Expr &extent) { return extent.isConstant(1); };
  llvm::erase_if(from, isOne);
  llvm::erase_if(to, isOne);
  return from == to;
}

/// What may lie between a product and the softmax: ops on each score alone.
bool isOnTheWay(Operation *op) {
  auto reshape = dyn_cast<graph::ReshapeOp>(op);
  return classOf(op) == graph::FusionClass::Pointwise || (reshape && keepsMatrices(reshape));
}

/// The product whose result reaches `value` on the way to the softmax, with what lies on it.
graph::MatMulOp findScores(Value value, Ops &path, DenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || seen.size() == maxOps || !seen.insert(op).second)
    return {};
  graph::MatMulOp scores = dyn_cast<graph::MatMulOp>(op);
  if (!scores && isOnTheWay(op))
    for (Value operand : op->getOperands())
      if ((scores = findScores(operand, path, seen)))
        break;
  if (scores)
    path.insert(op);
  return scores;
}

/// The product that takes the softmax, perhaps in another type, as its rows.
graph::MatMulOp findResult(graph::SoftmaxOp softmax, Ops &path) {
  Value value = softmax.getResult();
  path.insert(softmax);
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    path.insert(user);
    if (auto product = dyn_cast<graph::MatMulOp>(user))
      return product.getLhs() == value ? product : graph::MatMulOp();
    if (!isa<graph::CastOp>(user) && !(isa<graph::ReshapeOp>(user) && isOnTheWay(user)))
      return {};
    value = user->getResult(0);
  }
  return {};
}

bool isComputedInF32(Value value) {
  Type type = graph::elementOf(value);
  return isa<FloatType>(type) && graph::accumulatorOf(type).isF32();
}

/// Registers of a GPU's threads hold the result's rows.
bool isHeadSmall(const Expr &columns) {
  constexpr int64_t most = 256;
  return columns.constant() && *columns.constant() <= most;
}

std::optional<StringRef> refusalOf(const Ops &ops, graph::MatMulOp scores, graph::MatMulOp result) {
  for (Operation *op : ops.getArrayRef().drop_back())
    if (!op->getResult(0).hasOneUse())
      return "scores are read by other ops, too";
  for (Value operand : {scores.getLhs(), scores.getRhs(), result.getLhs(), result.getRhs()})
    if (!isComputedInF32(operand))
      return "only scores of f32, f16 and bf16 stay within a kernel";
  if (!isHeadSmall(graph::shapeOf(scores.getLhs()).back()) || !isHeadSmall(graph::shapeOf(result.getResult()).back()))
    return "heads of over 256 elements, or of an unknown number, do not fit into registers";
  return std::nullopt;
}

std::optional<Attention> match(graph::SoftmaxOp softmax) {
  Attention found;
  DenseSet<Operation *> seen;
  graph::MatMulOp scores = findScores(softmax.getInput(), found.ops, seen);
  graph::MatMulOp result = scores ? findResult(softmax, found.ops) : graph::MatMulOp();
  const unsigned keys = graph::rankOf(softmax.getInput()) - 1;
  if (!result || softmax.getLog() || softmax.getAxis() != keys)
    return std::nullopt;
  found.refusal = refusalOf(found.ops, scores, result);
  return found;
}

} // namespace

namespace cupola::fusion {

void formAttention(Formation &kernels, llvm::StringRef) {
  if (!kernels.options.attention)
    return;
  for (auto softmax : kernels.body.getOps<graph::SoftmaxOp>())
    if (std::optional<Attention> found = match(softmax); found && !found->refusal)
      if (llvm::none_of(found->ops, [&](Operation *op) { return kernels.isComputed(op); }))
        keepOperands(kernels, kernels.startCore(found->ops, found->ops.back()));
}

std::optional<Decision> decideAttention(const Edge &edge) {
  if (edge.isWithin && isAttention(*edge.to) && edge.to->core.contains(edge.producer) &&
      edge.to->core.contains(edge.consumer))
    return Decision{true, "the scores of attention stay within its kernel"};
  if (!edge.kernels.options.attention)
    return std::nullopt;
  for (Operation *op : {edge.producer, edge.consumer})
    if (auto softmax = dyn_cast<graph::SoftmaxOp>(op))
      if (std::optional<Attention> found = match(softmax);
          found && found->refusal && found->ops.contains(edge.producer) && found->ops.contains(edge.consumer))
        return Decision{false, *found->refusal};
  return std::nullopt;
}

} // namespace cupola::fusion

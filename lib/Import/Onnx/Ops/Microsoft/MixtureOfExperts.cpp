//===- lib/Import/Onnx/Ops/Microsoft/MixtureOfExperts.cpp - layers of which each token takes some ===//
// SPDX-License-Identifier: Apache-2.0
//
// A token goes through the k experts that its router gives the largest numbers (arXiv:1701.06538). Few tokens read the
// weights of their experts for each of them; of many those with one expert form groups, which read them once.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Microsoft/ExpertGroups.h"
#include "lib/Import/Onnx/Ops/Microsoft/ExpertLayer.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Sort.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

enum Place : size_t { Input, Router };

/// What the router says of each token.
struct Routing {
  Value experts; ///< int64 [tokens, k]
  Value shares;  ///< [tokens, k] of their results, in float32 at least
  Expr tokens, count;
  int64_t k;
};

/// [tokens, experts] that the shares of results are taken from.
Value sharesOf(OpBinder &op, size_t given, Value router) {
  const Type type = formulaType({op.b.element(router)});
  if (!op.has(given))
    return op.b.softmax(op.b.cast(router, type), 1, /*log=*/false);
  op.b.sameShape(op.shape(given, "router_weights"), op.b.shape(router),
                 "the shapes of router_weights and router_probs");
  return op.b.cast(op.value(given, "router_weights"), type);
}

Routing route(OpBinder &op, const Expr &tokens, size_t given) {
  const int64_t k = op.intAttribute("k", 1);
  if (op.rank(Router, "router_probs") != 2)
    op.bad("input 1 (router_probs) has the shape " + shapeText(op.shape(Router, "router_probs")) + ", expected rank 2");
  const Exprs shape = op.shape(Router, "router_probs");
  op.b.sameExtent(shape[0], tokens, "the rows of input 1 (router_probs) and the tokens of input 0 (input)");
  if (k < 1 || (shape[1].constant() && k > *shape[1].constant()))
    op.bad("attribute 'k' is " + std::to_string(k) + ", expected 1 to the " + shape[1].text() + " experts");
  op.b.atMost(Expr(k), shape[1], "k and the number of experts");
  Value numbers = op.value(Router, "router_probs");
  Value experts = orderedPositions(op, keysOf(op, numbers), Expr(k), /*largest=*/true);
  Value shares = op.b.gatherElements(sharesOf(op, given, numbers), experts, 1);
  if (op.intAttribute("normalize_routing_weights", 0) != 0)
    shares = op.b.binary(BinaryKind::Div, shares, op.b.reduce(ReduceKind::Sum, shares, {1}));
  return {experts, shares, tokens, shape[1], k};
}

/// What the k experts of each token gave, [tokens, k, width], by their shares.
Value mixed(OpBinder &op, Value y, const Routing &routing) {
  y = op.b.binary(BinaryKind::Mul, op.b.cast(y, op.b.element(routing.shares)), op.b.unsqueeze(routing.shares, {2}));
  return op.b.squeeze(op.b.reduce(ReduceKind::Sum, y, {1}), {1});
}

/// Each token once for each of its experts.
Value byToken(OpBinder &op, const ExpertForm &form, Value rows, const Routing &routing) {
  const Expr width = op.b.shape(rows)[1], k(routing.k), all = routing.tokens * k;
  Value x = op.b.broadcast(op.b.unsqueeze(rows, {1}), {routing.tokens, k, width});
  Value chosen = op.b.reshape(routing.experts, {all});
  Value y = throughExperts(op, form, op.b.reshape(x, {all, Expr(1), width}), chosen, routing.count);
  return mixed(op, op.b.reshape(y, {routing.tokens, k, op.b.shape(y)[2]}), routing);
}

/// Tokens of one expert together, so that its weights are read once for a group of them.
Value byGroups(OpBinder &op, const ExpertForm &form, Value rows, const Routing &routing, int64_t rowsOfGroup) {
  const ExpertGroups groups = groupedByExpert(op, routing.experts, routing.count, rowsOfGroup);
  Value x = op.b.gather(rows, groups.tokens, 0, /*batchDims=*/0, /*isInRange=*/true);
  Value y = throughExperts(op, form, x, groups.experts, routing.count);
  const Exprs shape = op.b.shape(y);
  y = op.b.reshape(y, {shape[0] * shape[1], shape[2]});
  return mixed(op, op.b.gather(y, groups.places, 0, /*batchDims=*/0, /*isInRange=*/true), routing);
}

/// Few, so that the last group of each expert is no large part, unless there are many: as many as vectors along the
/// depth multiply at once on a CPU, or a block of a GPU.
int64_t rowsOfGroup(const Routing &routing) {
  constexpr int64_t few = 8, many = 64;
  const auto tokens = routing.tokens.constant(), experts = routing.count.constant();
  return tokens && experts && *tokens * routing.k >= 2 * many * *experts ? many : few;
}

/// How many tokens there are decides, while compiling or in a run: a group that is hardly filled takes longer than to
/// read the weights again.
Value throughChosen(OpBinder &op, const ExpertForm &form, Value rows, const Routing &routing) {
  constexpr int64_t leastPart = 4;
  const int64_t size = rowsOfGroup(routing);
  const auto few = [&](Value rows, const Routing &routing) { return byToken(op, form, rows, routing); };
  const auto many = [&](Value rows, const Routing &routing) { return byGroups(op, form, rows, routing, size); };
  const Expr more = routing.tokens * Expr(routing.k) - routing.count * Expr(size / leastPart);
  const Interval range = bounds(more, op.b.ranges());
  if (range.lo && *range.lo >= 0)
    return many(rows, routing);
  if (range.hi && *range.hi < 0)
    return few(rows, routing);
  const auto body = [&](function_ref<Value(Value, const Routing &)> way) {
    return op.bodies().ofOperation(op, {rows, routing.experts, routing.shares}, [&](ValueRange inside) {
      return way(inside[0], {inside[1], inside[2], routing.tokens, routing.count, routing.k});
    });
  };
  Body taken = body(many), other = body(few);
  Value isMore = op.b.binary(BinaryKind::GreaterEqual, op.b.integer(more), op.b.intScalar(0, op.b.int64()));
  return op.bodies().branch(op.b, isMore, taken.yielded.front().getType(), taken, other)->getResult(0);
}

void mixture(OpBinder &op, const ExpertForm &form) {
  op.requireFloat(Input, "input");
  for (StringRef name : {"use_sparse_mixer", "swiglu_limit_after_activation"})
    if (op.intAttribute(name, 0) != 0)
      op.unsupported("attribute '" + name.str() + "' is not 0, supported is 0");
  const Exprs shape = op.shape(Input, "input");
  if (shape.size() != 2 && shape.size() != 3)
    op.bad("input 0 (input) has the shape " + shapeText(shape) + ", expected rank 2 or 3");
  const Expr tokens = graph::product(ArrayRef<Expr>(shape).drop_back());
  Value rows = op.b.reshape(op.value(Input, "input"), {tokens, shape.back()});
  const Routing routing = route(op, tokens, form.shares);
  Value y = throughChosen(op, form, rows, routing);
  op.result(op.b.reshape(op.b.cast(y, op.element(Input, "input")), shape));
}

} // namespace

void importMoE(OpBinder &op) {
  constexpr size_t none = 8;
  op.requireInputs(5, none);
  mixture(op, {{"fc1_experts_weights", 2, 3}, {"fc2_experts_weights", 4, 5}, {"fc3_experts_weights", 6, 7}, none});
}

void importQMoE(OpBinder &op) {
  op.requireInputs(7, 15);
  if (const std::string type = op.stringAttribute("quant_type", "int"); type != "int")
    op.unsupported("attribute 'quant_type' is '" + printable(type) + "', supported is int");
  if (op.intAttribute("weights_prepacked", -1) > 0)
    op.unsupported("attribute 'weights_prepacked' is 1, supported are -1 and 0: integers in the order of the model");
  op.ignoreAttribute("accuracy_level"); // what rows may be rounded to: they are not
  const int64_t all = op.intAttribute("expert_weight_bits", 4), block = op.intAttribute("block_size", 0);
  const auto projection = [&](const std::string &name, size_t first, size_t points) {
    const int64_t bits = op.intAttribute(name + "_expert_weight_bits", all);
    if (bits != 2 && bits != 4 && bits != 8)
      op.unsupported("weights of " + name + " have " + std::to_string(bits) + " bits, supported are 2, 4 and 8");
    return ExpertProjection{name + "_experts_weights", first, first + 2, first + 1, points, bits};
  };
  if (block < 0)
    op.bad("attribute 'block_size' is " + std::to_string(block) + ", expected 0 or more");
  mixture(op, {projection("fc1", 2, 11), projection("fc2", 5, 12), projection("fc3", 8, 13), 14, block});
}

} // namespace cupola::onnx_import::microsoft

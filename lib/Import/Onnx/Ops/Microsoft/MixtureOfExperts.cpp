//===- lib/Import/Onnx/Ops/Microsoft/MixtureOfExperts.cpp - layers of which each token takes some ===//
// SPDX-License-Identifier: Apache-2.0
//
// A token goes through the k experts that its router gives the largest numbers (arXiv:1701.06538). Few tokens have the
// weights of their experts chosen by an index, matrix by matrix; many go through all experts, whose weights are then
// read once.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Sort.h"
#include "lib/Import/Onnx/Text.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

enum Place : size_t { Input, Router };

/// Operands of a projection of all experts: [experts, out, in], perhaps as integers of `bits` bits in bytes with scales
/// and zero points, and perhaps [experts, out].
struct Projection {
  std::string name;
  size_t weights, bias, scales = 0, points = 0;
  int64_t bits = 0; ///< 0: numbers
};

/// Where a node has its operands, and what its integers are.
struct Form {
  Projection fc1, fc2, fc3;
  size_t shares;     ///< of experts, where they are not the router's numbers
  int64_t block = 0; ///< how many integers along `in` share a scale; 0: all
};

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

class Layer {
public:
  /// `chosen`: the expert of each of the batch, int64; null: the batch are all experts.
  Layer(OpBinder &op, const Form &form, Value chosen, const Expr &experts)
      : op(op), b(op.b), form(form), chosen(chosen), experts(experts) {}

  /// [batch, rows, in] -> [batch, rows, out], where `in` and `out` are those of the first and the last projection.
  Value run(Value x) { return project(activated(x), form.fc2); }

private:
  Value ofExperts(size_t index, const std::string &name, int64_t rank) {
    if (op.rank(index, name) != rank)
      op.bad("input " + std::to_string(index) + " (" + name + ") has the shape " + shapeText(op.shape(index, name)) +
             ", expected rank " + std::to_string(rank));
    b.sameExtent(op.shape(index, name)[0], experts, "the first extent of " + name + " and the number of experts");
    Value value = op.value(index, name);
    return chosen ? b.gather(value, chosen, 0, /*batchDims=*/0, /*isInRange=*/true) : value;
  }

  /// [batch, out, in]
  Value matrices(const Projection &p, Type type) {
    if (p.bits)
      return ofIntegers(p, type);
    op.requireFloat(p.weights, p.name);
    return ofExperts(p.weights, p.name, 3);
  }

  /// (integer - zero point) * scale, of each block along `in`.
  Value ofIntegers(const Projection &p, Type type) {
    if (!op.element(p.weights, p.name).isUnsignedInteger(8))
      op.bad("input " + std::to_string(p.weights) + " (" + p.name + ") has elements of " +
             typeText(op.element(p.weights, p.name)) + ", expected uint8");
    op.requireFloat(p.scales, p.name + "'s scales");
    Value integers = unpacked(op, ofExperts(p.weights, p.name, 3), p.bits);
    const Exprs shape = b.shape(integers);
    const Expr block = form.block ? Expr(form.block) : shape[2], blocks = floorDiv(shape[2], block);
    const Exprs apart = {shape[0], shape[1], simplify(blocks, b.ranges()), block};
    Value scales = ofExperts(p.scales, p.name + "'s scales", form.block ? 3 : 2);
    scales = b.reshape(scales, {shape[0], shape[1], apart[2], Expr(1)});
    const Type wide = formulaType({type});
    Value value = b.binary(BinaryKind::Sub, b.cast(b.reshape(integers, apart), wide), points(p, apart, wide));
    return b.cast(b.reshape(b.binary(BinaryKind::Mul, value, b.cast(scales, wide)), shape), type);
  }

  /// What lies in the middle, or a list of each expert, or of each row of its weights.
  Value points(const Projection &p, const Exprs &shape, Type type) {
    if (!op.has(p.points))
      return b.scalar(static_cast<double>(int64_t(1) << (p.bits - 1)), type);
    Value value = unpacked(op, ofExperts(p.points, p.name + "'s zero points", form.block ? 3 : 2), p.bits);
    value = columns(op, value, Expr(0), form.block ? shape[2] : shape[1]); // without what fills the last byte
    return b.cast(b.reshape(value, {shape[0], shape[1], shape[2], Expr(1)}), type);
  }

  Value project(Value x, const Projection &p) {
    Value y = b.matmul(x, b.transpose(matrices(p, b.element(x)), {0, 2, 1}));
    if (!op.has(p.bias))
      return y;
    return b.binary(BinaryKind::Add, y, b.unsqueeze(ofExperts(p.bias, p.name + "'s bias", 2), {1}));
  }

  Value activated(Value x) {
    const std::string kind = op.stringAttribute("activation_type", "relu");
    if (kind == "swiglu")
      return swiglu(x);
    for (StringRef name : {"activation_alpha", "activation_beta", "swiglu_limit", "swiglu_fusion"})
      op.ignoreAttribute(name); // of swiglu
    Value value = activation(project(x, form.fc1), kind);
    return op.has(form.fc3.weights) ? b.binary(BinaryKind::Mul, value, project(x, form.fc3)) : value;
  }

  Value activation(Value value, const std::string &kind) {
    if (kind == "relu")
      return b.unary(UnaryKind::Relu, value);
    if (kind == "gelu")
      return b.unary(UnaryKind::GeluTanh, value);
    if (kind == "silu")
      return b.unary(UnaryKind::Silu, value, 1);
    if (kind == "identity")
      return value;
    op.unsupported("attribute 'activation_type' is '" + printable(kind) +
                   "', supported are relu, gelu, silu, swiglu and identity");
  }

  /// Gate and value: of projections of their own, one after the other in each pair of columns, or in halves.
  std::pair<Value, Value> gateAndValue(Value x) {
    const int64_t fusion = op.intAttribute("swiglu_fusion", 0);
    Value first = project(x, form.fc1);
    if (fusion == 0)
      return {first, project(x, form.fc3)};
    if (fusion == 2)
      return halves(op, first, "the product of input 2 (fc1_experts_weights)");
    if (fusion != 1)
      op.bad("attribute 'swiglu_fusion' is " + std::to_string(fusion) + ", expected 0, 1 or 2");
    Exprs shape = b.shape(first);
    shape.back() = b.sameExtent(floorDiv(shape.back(), Expr(2)) * Expr(2), shape.back(), "pairs and columns");
    shape.back() = simplify(floorDiv(shape.back(), Expr(2)), b.ranges());
    shape.push_back(Expr(2));
    Value pairs = b.reshape(first, shape);
    const int64_t last = static_cast<int64_t>(shape.size()) - 1;
    const auto part = [&](int64_t i) { return b.squeeze(columns(op, pairs, Expr(i), Expr(1)), {last}); };
    return {part(0), part(1)};
  }

  Value swiglu(Value x) {
    auto [gate, value] = gateAndValue(x);
    const Type type = b.element(gate);
    const double limit = op.floatAttribute("swiglu_limit", std::numeric_limits<double>::infinity());
    if (limit < std::numeric_limits<double>::infinity()) {
      gate = b.binary(BinaryKind::Min, gate, b.scalar(limit, type));
      value =
          b.binary(BinaryKind::Min, b.binary(BinaryKind::Max, value, b.scalar(-limit, type)), b.scalar(limit, type));
    }
    if (const double beta = op.floatAttribute("activation_beta", 0); beta != 0)
      value = b.binary(BinaryKind::Add, value, b.scalar(beta, type));
    return b.binary(BinaryKind::Mul, b.unary(UnaryKind::Silu, gate, op.floatAttribute("activation_alpha", 1)), value);
  }

  OpBinder &op;
  GraphBuilder &b;
  const Form &form;
  const Value chosen;
  const Expr experts;
};

/// Each token once for each of its experts.
Value byChosen(OpBinder &op, const Form &form, Value rows, const Routing &routing) {
  const Expr width = op.b.shape(rows)[1], k(routing.k), all = routing.tokens * k;
  Value x = op.b.broadcast(op.b.unsqueeze(rows, {1}), {routing.tokens, k, width});
  Layer layer(op, form, op.b.reshape(routing.experts, {all}), routing.count);
  Value y = layer.run(op.b.reshape(x, {all, Expr(1), width}));
  y = op.b.reshape(y, {routing.tokens, k, op.b.shape(y)[2]});
  y = op.b.binary(BinaryKind::Mul, op.b.cast(y, op.b.element(routing.shares)), op.b.unsqueeze(routing.shares, {2}));
  return op.b.squeeze(op.b.reduce(ReduceKind::Sum, y, {1}), {1});
}

/// All tokens through all experts, whose share is 0 where they were not chosen.
Value byAll(OpBinder &op, const Form &form, Value rows, const Routing &routing) {
  Value isChosen = op.b.binary(BinaryKind::Equal, op.b.unsqueeze(routing.experts, {0}),
                               op.b.iota({routing.count, Expr(1), Expr(1)}, 0)); // [experts, tokens, k]
  Value zero = op.b.scalar(0, op.b.element(routing.shares));
  Value shares = op.b.reduce(ReduceKind::Sum, op.b.select(isChosen, op.b.unsqueeze(routing.shares, {0}), zero), {2});
  Value y = Layer(op, form, Value(), routing.count).run(op.b.unsqueeze(rows, {0}));
  y = op.b.binary(BinaryKind::Mul, op.b.cast(y, op.b.element(shares)), shares);
  return op.b.squeeze(op.b.reduce(ReduceKind::Sum, y, {0}), {0});
}

void mixture(OpBinder &op, const Form &form) {
  constexpr int64_t readsPerExpert = 2;
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
  const auto some = tokens.constant(), experts = routing.count.constant();
  const bool areMany = some && experts && *some > readsPerExpert * *experts / routing.k;
  Value y = areMany ? byAll(op, form, rows, routing) : byChosen(op, form, rows, routing);
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
    return Projection{name + "_experts_weights", first, first + 2, first + 1, points, bits};
  };
  if (block < 0)
    op.bad("attribute 'block_size' is " + std::to_string(block) + ", expected 0 or more");
  mixture(op, {projection("fc1", 2, 11), projection("fc2", 5, 12), projection("fc3", 8, 13), 14, block});
}

} // namespace cupola::onnx_import::microsoft

//===- lib/Import/Onnx/Ops/Microsoft/ExpertLayer.cpp - two projections of experts and what is between ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/ExpertLayer.h"
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Text.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

class Layer {
public:
  Layer(OpBinder &op, const ExpertForm &form, Value chosen, const Expr &experts)
      : op(op), b(op.b), form(form), chosen(chosen), experts(experts) {}

  Value run(Value x) { return project(activated(x), form.fc2); }

private:
  Value ofExperts(size_t index, const std::string &name, int64_t rank) {
    if (op.rank(index, name) != rank)
      op.bad("input " + std::to_string(index) + " (" + name + ") has the shape " + shapeText(op.shape(index, name)) +
             ", expected rank " + std::to_string(rank));
    b.sameExtent(op.shape(index, name)[0], experts, "the first extent of " + name + " and the number of experts");
    return b.gather(op.value(index, name), chosen, 0, /*batchDims=*/0, /*isInRange=*/true);
  }

  /// [batch, out, in]
  Value matrices(const ExpertProjection &p, Type type) {
    if (p.bits)
      return ofIntegers(p, type);
    op.requireFloat(p.weights, p.name);
    return ofExperts(p.weights, p.name, 3);
  }

  /// (integer - zero point) * scale, of each block along `in`.
  Value ofIntegers(const ExpertProjection &p, Type type) {
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
  Value points(const ExpertProjection &p, const Exprs &shape, Type type) {
    if (!op.has(p.points))
      return b.scalar(static_cast<double>(int64_t(1) << (p.bits - 1)), type);
    Value value = unpacked(op, ofExperts(p.points, p.name + "'s zero points", form.block ? 3 : 2), p.bits);
    value = columns(op, value, Expr(0), form.block ? shape[2] : shape[1]); // without what fills the last byte
    return b.cast(b.reshape(value, {shape[0], shape[1], shape[2], Expr(1)}), type);
  }

  Value project(Value x, const ExpertProjection &p) {
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
  const ExpertForm &form;
  const Value chosen;
  const Expr experts;
};

} // namespace

Value throughExperts(OpBinder &op, const ExpertForm &form, Value x, Value chosen, const Expr &experts) {
  return Layer(op, form, chosen, experts).run(x);
}

} // namespace cupola::onnx_import::microsoft

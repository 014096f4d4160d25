//===- lib/Import/Onnx/Ops/Microsoft/CausalConv.cpp - a convolution that goes on with the next call ===//
// SPDX-License-Identifier: Apache-2.0
//
// One filter per channel over the inputs of this call behind the last ones of the calls
// before. What reaches back into this call's is handed on.
//
// Channels come last here, whatever the node says: a call of one token is a row of them,
// and what exporters write around a node with channels first are transposes as well.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"
#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

void refuseRest(OpBinder &op) {
  refuseAttributes(op, {{"ndim", 1},
                        {"state_window", 0},
                        {"state_update_capacity", 0},
                        {"state_channels_last", -1},
                        {"state_length", 0},
                        {"input_channel_offset", 0},
                        {"input_channels", 0}});
  if (op.wants(2))
    op.unsupported("output 2 (state_update) is used, supported are outputs 0 and 1");
}

class CausalConv {
public:
  explicit CausalConv(OpBinder &op) : op(op), isLast(op.intAttribute("channels_last", 0) != 0) {
    op.requireFloat(0, "input");
    type = op.element(0, "input");
    readWeights();
    const Exprs dims = op.shape(0, "input");
    if (dims.size() < 3 || (!isLast && dims.size() > 3))
      op.bad("input 0 (input) has the shape " + shapeText(dims) + ", expected rank 3" + (isLast ? " at least" : ""));
    inputDims = dims;
    batch = dims[0];
    length = dims[isLast ? 1 : 2];
    op.b.sameExtent(isLast ? graph::product(ArrayRef(dims).drop_front(2)) : dims[1], channels,
                    "the channels of inputs 0 (input) and 1 (weight)");
  }

  void run() {
    Value all = wholeInput();
    setResult(op.b.cast(activated(filtered(all)), type), length, 0);
    if (op.wants(1))
      setResult(op.b.slice(all, {Expr(0), length, Expr(0)}, {1, 1, 1}, {batch, state, channels}), state, 1);
  }

private:
  /// Of input and output, or of a state, as the node has them: channels last may be several dimensions.
  Exprs dimsOf(const Expr &extent) const {
    Exprs dims = inputDims;
    dims[isLast ? 1 : 2] = extent;
    return dims;
  }

  /// [batch, extent, channels]
  Value operand(size_t index, StringRef name, const Expr &extent) const {
    if (!isLast)
      return op.b.transpose(op.b.reshape(op.value(index, name), {batch, channels, extent}), {0, 2, 1});
    return op.b.reshape(op.value(index, name), {batch, extent, channels});
  }

  void setResult(Value value, const Expr &extent, size_t index) const {
    op.result(op.b.reshape(isLast ? value : op.b.transpose(value, {0, 2, 1}), dimsOf(extent)), index);
  }

  void readWeights() {
    dilation = op.intAttribute("dilation", 1);
    if (dilation < 1 || dilation > 65536)
      op.bad("attribute 'dilation' is " + std::to_string(dilation) + ", expected 1 to 65536");
    const Exprs dims = checked(1, "weight");
    if (dims.size() != 3)
      op.bad("input 1 (weight) has the shape " + shapeText(dims) + ", expected rank 3");
    op.b.sameExtent(dims[1], Expr(1), "the middle extent of input 1 (weight) and 1");
    const auto taps = dims[2].constant();
    if (!taps)
      op.undecided({dims[2]},
                   "input 1 (weight) has the shape " + shapeText(dims) + ", supported are windows of a constant size");
    if (*taps < 1 || *taps > 65536)
      op.bad("input 1 (weight) has windows of " + std::to_string(*taps) + ", expected 1 to 65536");
    channels = dims[0];
    size = *taps;
    state = Expr((size - 1) * dilation);
  }

  /// The shape of an operand that has elements as input 0 has.
  Exprs checked(size_t index, StringRef name) const {
    if (const Type found = op.element(index, name); found != type)
      op.bad(operandText(index, name) + " has elements of " + typeText(found) + ", expected " + typeText(type) +
             " as those of input 0 (input)");
    return op.shape(index, name);
  }

  /// [batch, state + length, channels]
  Value wholeInput() const {
    Value input = operand(0, "input", length);
    if (op.has(3)) {
      op.b.sameShape(checked(3, "past_state"), dimsOf(state), "the shape of input 3 (past_state) and that of a state");
      return op.b.concat({operand(3, "past_state", state), input}, 1);
    }
    return op.b.pad(input, {Expr(0), state, Expr(0)}, Exprs(3, Expr(0)), graph::PadMode::Constant,
                    Builder(op.b.context()).getZeroAttr(type));
  }

  /// [batch, length, channels] with the bias, in the type in which formulas are computed.
  Value filtered(Value all) const {
    const Type compute = formulaType({type});
    Value windows = op.b.window(op.b.cast(all, compute), 1, {size}, {1}, {dilation}, {length});
    Value weights = op.b.reshape(op.b.cast(op.value(1, "weight"), compute), {channels, Expr(size)});
    Value products = op.b.binary(BinaryKind::Mul, windows, op.b.transpose(weights, {1, 0}));
    Value sums = op.b.reshape(op.b.reduce(ReduceKind::Sum, products, {2}), {batch, length, channels});
    if (!op.has(2))
      return sums;
    op.b.sameShape(checked(2, "bias"), {channels}, "the shape of input 2 (bias) and the channels");
    return op.b.binary(BinaryKind::Add, sums, op.b.cast(op.value(2, "bias"), compute));
  }

  Value activated(Value value) const {
    const std::string name = op.stringAttribute("activation", "none");
    if (name == "silu" || name == "swish")
      return op.b.unary(UnaryKind::Silu, value, 1);
    if (name != "none")
      op.unsupported("attribute 'activation' is " + quoted(name) + ", supported are none, silu and swish");
    return value;
  }

  OpBinder &op;
  const bool isLast; ///< the channels
  Type type;
  Exprs inputDims;
  Expr batch, channels, length, state; ///< state: how many inputs of earlier calls
  int64_t size = 1, dilation = 1;      ///< of filters
};

} // namespace

void importCausalConvWithState(OpBinder &op) {
  op.requireInputs(2, 4);
  refuseRest(op);
  CausalConv(op).run();
}

} // namespace cupola::onnx_import::microsoft

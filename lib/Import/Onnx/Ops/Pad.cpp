//===- lib/Import/Onnx/Ops/Pad.cpp - padding -------------------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

graph::PadMode padMode(OpBinder &op) {
  const std::string mode = op.stringAttribute("mode", "constant");
  if (mode == "constant")
    return graph::PadMode::Constant;
  if (mode == "edge")
    return graph::PadMode::Edge;
  if (mode == "reflect")
    return graph::PadMode::Reflect;
  if (mode == "wrap")
    return graph::PadMode::Wrap;
  op.bad("attribute 'mode' is '" + printable(mode) + "', expected constant, reflect, edge or wrap");
}

/// What input 2 holds, 0 where it is missing. An integer keeps its 64 bits.
TypedAttr fillOperand(OpBinder &op) {
  const Type type = op.element(0, "data");
  Builder builder(op.b.context());
  if (isa<FloatType>(type))
    return builder.getFloatAttr(type, op.has(2) ? op.constantNumber(2, "constant_value") : 0);
  const int64_t number = op.has(2) ? op.constantInt(2, "constant_value") : 0;
  return IntegerAttr::get(type, APInt(64, static_cast<uint64_t>(number)).trunc(type.getIntOrFloatBitWidth()));
}

/// `pads`: all amounts in front, then all behind, for the given axes.
void pad(OpBinder &op, ArrayRef<Expr> pads, const Ints &axes, TypedAttr fill) {
  const Exprs shape = op.shape(0, "data");
  if (pads.size() != 2 * axes.size())
    op.bad("pads has " + std::to_string(pads.size()) + " elements, expected " + std::to_string(2 * axes.size()));
  constexpr int64_t far = int64_t(1) << 48;
  for (const Expr &amount : pads)
    if (amount.constant() && (*amount.constant() < -far || *amount.constant() > far))
      op.bad("pads has the value " + amount.text() + ", expected at most 2^48 in size");
  Exprs low(shape.size(), Expr(0)), high(shape.size(), Expr(0));
  op.axes(axes, static_cast<int64_t>(shape.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = static_cast<size_t>(op.axis(axes[i], static_cast<int64_t>(shape.size()), "axes"));
    low[axis] = pads[i];
    high[axis] = pads[i + axes.size()];
  }
  op.result(op.b.pad(op.value(0, "data"), low, high, padMode(op), fill));
}

} // namespace

void importPadAttributes(OpBinder &op) {
  const Ints pads = op.requiredInts("pads");
  op.requireFloat(0, "data");
  const TypedAttr fill = Builder(op.b.context()).getFloatAttr(op.element(0, "data"), op.floatAttribute("value", 0));
  pad(op, Exprs(pads.begin(), pads.end()), sequence(0, op.rank(0, "data")), fill);
}

void importPad(OpBinder &op) {
  const Ints axes = op.has(3) ? op.constantInts(3, "axes") : sequence(0, op.rank(0, "data"));
  pad(op, op.symbolicInts(1, "pads"), axes, fillOperand(op));
}

} // namespace cupola::onnx_import

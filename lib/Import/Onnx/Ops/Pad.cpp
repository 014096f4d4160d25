//===- lib/Import/Onnx/Ops/Pad.cpp - padding -------------------------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/OpenAxes.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Import/Onnx/ValuePropagation.h"

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

/// What input 2 holds, 0 or an empty string where it is missing. An integer keeps its 64 bits.
TypedAttr fillOperand(OpBinder &op) {
  const Type type = heldIn(op.element(0, "data"));
  Builder builder(op.b.context());
  if (isString(op.element(0, "data")))
    return builder.getI64IntegerAttr(op.b.strings().of(""));
  if (isa<FloatType>(type))
    return builder.getFloatAttr(type, op.has(2) ? op.constantNumber(2, "constant_value") : 0);
  const int64_t number = op.has(2) ? op.constantInt(2, "constant_value") : 0;
  return IntegerAttr::get(type, APInt(64, static_cast<uint64_t>(number)).trunc(type.getIntOrFloatBitWidth()));
}

bool isFillConstant(OpBinder &op) { return !op.has(2) || (op.known(2) && op.known(2)->allConstant()); }

TypedAttr zeroOf(Type type) { return Builder(type.getContext()).getZeroAttr(type); }

/// What is added in front and behind, by dimension.
struct Amounts {
  Exprs low, high;
};

/// `pads`: all amounts in front, then all behind, for the given axes.
Amounts amountsOf(OpBinder &op, ArrayRef<Expr> pads, ArrayRef<Expr> axes) {
  const size_t rank = op.shape(0, "data").size();
  if (pads.size() != 2 * axes.size())
    op.bad("pads has " + std::to_string(pads.size()) + " elements, expected " + std::to_string(2 * axes.size()));
  constexpr int64_t far = int64_t(1) << 48;
  for (const Expr &amount : pads)
    if (amount.constant() && (*amount.constant() < -far || *amount.constant() > far))
      op.bad("pads has the value " + amount.text() + ", expected at most 2^48 in size");
  const ArrayRef<Expr> low = pads.take_front(axes.size()), high = pads.drop_front(axes.size());
  Amounts amounts{Exprs(rank, Expr(0)), Exprs(rank, Expr(0))};
  if (const auto known = constantDims(axes)) {
    op.axes(*known, static_cast<int64_t>(rank));
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(op.axis((*known)[i], static_cast<int64_t>(rank), "axes"));
      amounts.low[axis] = low[i];
      amounts.high[axis] = high[i];
    }
    return amounts;
  }
  const OpenAxes open(op, axes, static_cast<int64_t>(rank));
  for (size_t d = 0; d < rank; ++d) {
    amounts.low[d] = open.valueOf(low, d, Expr(0));
    amounts.high[d] = open.valueOf(high, d, Expr(0));
  }
  return amounts;
}

/// Of known elements and amounts.
std::optional<Known> knownResult(OpBinder &op, const Amounts &amounts) {
  const Type type = op.element(0, "data");
  const auto low = constantDims(amounts.low), high = constantDims(amounts.high);
  const Known *number = op.has(2) ? op.known(2) : nullptr;
  if (!op.known(0) || !low || !high || isString(type) || (op.has(2) && (!number || !number->isScalarLike())))
    return std::nullopt;
  const Scalar zero = isa<FloatType>(heldIn(type)) ? Scalar::constant(0) : Scalar::integer(0);
  return padKnown(*op.known(0), *low, *high, number ? number->elements[0] : zero);
}

/// A value to fill with that is data: where the padding of ones has zeros.
Value padWithData(OpBinder &op, const Amounts &amounts) {
  const Exprs shape = op.shape(0, "data");
  const Type bit = IntegerType::get(op.b.context(), 1), type = heldIn(op.element(0, "data"));
  const auto padded = [&](Value value, TypedAttr fill) {
    return op.b.pad(value, amounts.low, amounts.high, graph::PadMode::Constant, fill);
  };
  Value inside = padded(op.b.broadcast(op.b.intScalar(1, bit, shape.size()), shape), zeroOf(bit));
  Value fill = op.b.reshape(op.scalar(2, "constant_value"), {});
  if (op.b.element(fill) != type)
    op.bad("input 2 (constant_value) has elements of " + typeText(op.b.element(fill)) + ", expected " + typeText(type));
  return op.b.select(inside, padded(op.value(0, "data"), zeroOf(type)), fill);
}

} // namespace

void importPadAttributes(OpBinder &op) {
  const Ints pads = op.requiredInts("pads"), axes = sequence(0, op.rank(0, "data"));
  op.requireFloat(0, "data");
  const TypedAttr fill = Builder(op.b.context()).getFloatAttr(op.element(0, "data"), op.floatAttribute("value", 0));
  const Amounts amounts = amountsOf(op, Exprs(pads.begin(), pads.end()), Exprs(axes.begin(), axes.end()));
  op.result(op.b.pad(op.value(0, "data"), amounts.low, amounts.high, padMode(op), fill));
}

void importPad(OpBinder &op) {
  const graph::PadMode mode = padMode(op);
  const Ints all = sequence(0, op.rank(0, "data"));
  const Exprs axes = op.has(3) ? op.symbolicInts(3, "axes") : Exprs(all.begin(), all.end());
  const Amounts amounts = amountsOf(op, op.symbolicInts(1, "pads"), axes);
  if (auto known = mode == graph::PadMode::Constant ? knownResult(op, amounts) : std::nullopt)
    return op.result(std::move(*known), op.element(0, "data"));
  if (mode == graph::PadMode::Constant && !isFillConstant(op))
    return op.result(padWithData(op, amounts));
  const TypedAttr fill = mode == graph::PadMode::Constant ? fillOperand(op) : zeroOf(heldIn(op.element(0, "data")));
  op.result(op.b.pad(op.value(0, "data"), amounts.low, amounts.high, mode, fill));
}

} // namespace cupola::onnx_import

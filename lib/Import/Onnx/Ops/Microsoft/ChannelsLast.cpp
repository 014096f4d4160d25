//===- lib/Import/Onnx/Ops/Microsoft/ChannelsLast.cpp - nodes whose channels come last ===//
// SPDX-License-Identifier: Apache-2.0
//
// They are the nodes of the usual order with other shapes: a pass chooses layouts.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Conv.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

/// Operand `index`, [N, spatial.., C], as [N, C, spatial..].
static void putChannelsFirst(OpBinder &op, size_t index, StringRef name) {
  op.rank(index, name, 3);
  op.setOperand(index, op.ofValue(conv::channelsFirst(op, op.value(index, name))));
}

/// The node as `import` reads it, whose operand 0 and result have channels before the spatial dimensions.
static void withChannelsFirst(OpBinder &op, void (*import)(OpBinder &)) {
  putChannelsFirst(op, 0, "X");
  import(op);
  op.result(conv::channelsLast(op, op.materialize(op.results()[0])));
}

/// [N, spatial.., C] and [O, window.., C / groups].
void importNhwcConv(OpBinder &op) {
  op.requireInputs(2, 3);
  op.requireFloat(0, "X");
  op.requireFloat(1, "W");
  for (size_t i : {0, 1})
    op.rank(i, i == 0 ? "X" : "W", 3);
  Value input = conv::channelsFirst(op, op.value(0, "X")), weights = conv::channelsFirst(op, op.value(1, "W"));
  op.result(
      conv::channelsLast(op, conv::convolve(op, conv::read(op, input, weights, {0, 1, 2}, /*transposed=*/false))));
}

/// Weights have the usual order.
void importNhwcFusedConv(OpBinder &op) {
  if (op.has(3))
    putChannelsFirst(op, 3, "Z");
  withChannelsFirst(op, importFusedConv);
}

void importNhwcMaxPool(OpBinder &op) {
  op.requireInputs(1, 1);
  withChannelsFirst(op, importMaxPool);
}

void importQLinearConv(OpBinder &op) {
  op.requireInputs(8, 9);
  if (op.intAttribute("channels_last", 0) != 0)
    withChannelsFirst(op, onnx_import::importQLinearConv);
  else
    onnx_import::importQLinearConv(op);
}

} // namespace cupola::onnx_import::microsoft

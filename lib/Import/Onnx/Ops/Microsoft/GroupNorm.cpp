//===- lib/Import/Onnx/Ops/Microsoft/GroupNorm.cpp - normalisation of groups of channels ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Conv.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Normalization.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

/// Of [N, C, spatial..], with the scale, the shift and the activation behind it; gamma and beta may have another type.
static Value normalized(OpBinder &op, Value value) {
  const int64_t activation = op.requiredInt("activation"), rank = op.rank(0, "X");
  if (activation != 0 && activation != 1)
    op.unsupported("attribute 'activation' is " + std::to_string(activation) + ", supported are 0 (none) and 1 (SiLU)");
  const Expr channels = op.b.shape(value)[1];
  return roundedOnce(op.b, value, [&](Value x) {
    const auto operand = [&](size_t index, StringRef name) {
      return op.b.cast(perChannel(op, index, name, rank, channels), op.b.element(x));
    };
    Value normal = normalizeGroups(op, x, op.requiredInt("groups"), "attribute 'groups'");
    Value result = scaleAndShift(op, normal, operand(1, "gamma"), operand(2, "beta"));
    return activation ? op.b.unary(UnaryKind::Silu, result, 1) : result;
  });
}

void importGroupNorm(OpBinder &op) {
  op.requireInputs(3, 3);
  op.requireFloat(0, "X");
  op.rank(0, "X", 3);
  Value value = op.value(0, "X");
  if (op.intAttribute("channels_last", 1) == 0)
    return op.result(normalized(op, value));
  op.result(conv::channelsLast(op, normalized(op, conv::channelsFirst(op, value))));
}

/// Of input + skip + bias, which is result 1.
void importSkipGroupNorm(OpBinder &op) {
  op.requireInputs(4, 5);
  op.requireFloat(0, "X");
  op.rank(0, "X", 3);
  if (op.intAttribute("channels_last", 1) == 0)
    op.unsupported("attribute 'channels_last' is 0, supported is 1");
  Value input = op.value(0, "X"), skip = op.value(3, "skip");
  const Exprs shape = op.b.shape(input), own = op.b.shape(skip);
  if (own.size() == 2) { // one for all places
    Exprs dims(shape.size(), Expr(1));
    dims.front() = own[0], dims.back() = own[1];
    skip = op.b.reshape(skip, dims);
  }
  Value sum = op.b.binary(BinaryKind::Add, input, skip);
  if (op.has(4))
    sum = lastBiased(op, sum, 4, "bias");
  op.b.sameShape(op.b.shape(sum), shape, "the shapes of the sum and of input 0 (X)");
  op.result(conv::channelsLast(op, normalized(op, conv::channelsFirst(op, sum))));
  op.result(sum, 1);
}

} // namespace cupola::onnx_import::microsoft

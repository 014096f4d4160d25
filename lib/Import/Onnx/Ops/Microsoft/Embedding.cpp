//===- lib/Import/Onnx/Ops/Microsoft/Embedding.cpp - sums of rows of tables, normalised ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Normalization.h"
#include "lib/Import/Onnx/Ops/Quantize.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

/// Where both ops have their operands.
enum Place : size_t { InputIds, SegmentIds, Words, Positions, Segments, Gamma, Beta, Mask };

/// Elements of operand `index` as numbers.
using Reader = function_ref<Value(Value elements, size_t index)>;

/// How many of the tokens count: [batch].
Value lengths(OpBinder &op, const Exprs &ids) {
  const Type i32 = IntegerType::get(op.b.context(), 32);
  if (!op.has(Mask))
    return op.b.broadcast(op.b.intScalar(0, i32), {ids[0]});
  op.requireIndex(Mask, "mask");
  op.b.sameShape(op.shape(Mask, "mask"), ids, "the shapes of inputs 7 (mask) and 0 (input_ids)");
  Value mask = op.value(Mask, "mask");
  Value counts = op.b.binary(BinaryKind::Equal, mask, op.b.intScalar(1, op.b.element(mask)));
  return op.b.squeeze(op.b.reduce(ReduceKind::Sum, op.b.cast(counts, i32), {1}), {1});
}

void checkOperands(OpBinder &op) {
  for (size_t i : {InputIds, SegmentIds})
    if (op.has(i))
      op.requireIndex(i, "ids");
  for (const auto &[index, name] : {std::pair<size_t, StringRef>(InputIds, "input_ids"),
                                    {Words, "word_embedding"},
                                    {Positions, "position_embedding"},
                                    {Segments, "segment_embedding"}})
    if ((index != Segments || op.has(Segments)) && op.rank(index, name) != 2)
      op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " +
             shapeText(op.shape(index, name)) + ", expected rank 2");
}

/// Rows of the table of positions: those of `ids`, or where that is null the first ones.
Value positions(OpBinder &op, Value ids, const Expr &count) {
  Value table = op.value(Positions, "position_embedding");
  if (ids)
    return op.b.gather(table, ids, 0);
  const Exprs shape = op.b.shape(table);
  op.b.atMost(count, shape[0], "the length of the sequence and the rows of input 3 (position_embedding)");
  return op.b.slice(table, {Expr(0), Expr(0)}, {1, 1}, {count, shape[1]});
}

/// Results 0 to 2: the normalised sum, the lengths and the sum.
void embed(OpBinder &op, Value positionIds, Reader numbers) {
  const Exprs ids = op.shape(InputIds, "input_ids");
  Value words = op.b.gather(op.value(Words, "word_embedding"), op.value(InputIds, "input_ids"), 0);
  Value sum =
      op.b.binary(BinaryKind::Add, numbers(words, Words), numbers(positions(op, positionIds, ids[1]), Positions));
  if (op.has(SegmentIds)) {
    Value rows = op.b.gather(op.value(Segments, "segment_embedding"), op.value(SegmentIds, "segment_ids"), 0);
    sum = op.b.binary(BinaryKind::Add, sum, numbers(rows, Segments));
  }
  Value normal = op.b.layerNorm(sum, 2, op.floatAttribute("epsilon", 1e-12f), /*rms=*/false);
  op.result(scaleAndShift(op, normal, numbers(op.value(Gamma, "gamma"), Gamma), numbers(op.value(Beta, "beta"), Beta)));
  if (op.wants(1))
    op.result(lengths(op, ids), 1);
  op.result(sum, 2);
}

} // namespace

void importEmbedLayerNormalization(OpBinder &op) {
  constexpr size_t positionIds = 8;
  op.requireInputs(7, 9);
  op.requireFloat(Words, "word_embedding");
  checkOperands(op);
  if (op.has(positionIds))
    op.requireIndex(positionIds, "ids");
  if (op.intAttribute("mask_index_type", 1) != 1 && op.wants(1))
    op.unsupported("attribute 'mask_index_type' is " + std::to_string(op.intAttribute("mask_index_type", 1)) +
                   ", supported is 1");
  Value given = op.has(positionIds) ? op.value(positionIds, "position_ids") : Value();
  embed(op, given, [](Value elements, size_t) { return elements; });
}

/// Each table, gamma and beta have one scale and one zero point, which stand behind the mask in their order.
void importQEmbedLayerNormalization(OpBinder &op) {
  constexpr size_t toScale = 6, toZero = 11;
  op.requireInputs(18, 18);
  checkOperands(op);
  embed(op, Value(), [&](Value elements, size_t index) {
    quantize::requireByte(op, index, "of integers");
    op.requireFloat(index + toScale, "scale");
    Value scale = quantize::number(op, index + toScale, "scale");
    Value zero =
        quantize::zeroPoint(op, index + toZero, [&] { return quantize::number(op, index + toZero, "zero_point"); });
    return quantize::numbersOf(op, elements, scale, zero);
  });
}

} // namespace cupola::onnx_import::microsoft

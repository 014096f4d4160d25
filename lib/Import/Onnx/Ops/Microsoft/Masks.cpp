//===- lib/Import/Onnx/Ops/Microsoft/Masks.cpp - which keys count, as what is added to scores ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

/// 0 where keys count, what the attribute says elsewhere.
static Value filtered(OpBinder &op, Value counts, Type type) {
  return op.b.select(counts, op.b.scalar(0, type), op.b.scalar(op.floatAttribute("mask_filter_value", -10000), type));
}

/// [batch] numbers of keys that count; behind those perhaps [batch] first keys: [batch, 1, 1, keys].
static Value fromLengths(OpBinder &op, Value lengths, ArrayRef<Expr> scores) {
  const Type i64 = IntegerType::get(op.b.context(), 64);
  const Expr count = op.b.shape(lengths)[0];
  const bool both = count == scores[0] * Expr(2);
  const auto entries = [&](const Expr &first) {
    Value value = op.b.slice(lengths, {first}, {1}, {scores[0]});
    return op.b.reshape(op.b.cast(value, i64), {scores[0], Expr(1), Expr(1), Expr(1)});
  };
  op.b.sameExtent(count, both ? scores[0] * Expr(2) : scores[0], "the extent of the mask and the batch");
  Value keys = positionsOfKeys(op, scores[3]);
  Value counts = op.b.binary(BinaryKind::Less, keys, entries(Expr(0)));
  if (both)
    counts = op.b.binary(BinaryKind::And, counts, op.b.binary(BinaryKind::GreaterEqual, keys, entries(scores[0])));
  return counts;
}

Value maskBias(OpBinder &op, size_t index, StringRef name, ArrayRef<Expr> scores, Type type) {
  op.requireIndex(index, name);
  Value mask = op.value(index, name);
  const Exprs shape = op.b.shape(mask);
  if (shape.size() == 1)
    return filtered(op, fromLengths(op, mask, scores), type);
  if (shape.size() != 2 && shape.size() != 3)
    op.unsupported("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(shape) +
                   ", supported are ranks 1 to 3");
  Value counts = op.b.binary(BinaryKind::Greater, mask, op.b.intScalar(0, op.b.element(mask)));
  return filtered(op, op.b.unsqueeze(counts, shape.size() == 2 ? Ints{1, 2} : Ints{1}), type);
}

} // namespace cupola::onnx_import::microsoft

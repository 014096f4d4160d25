//===- lib/Import/Onnx/Ops/Microsoft/Rotary.cpp - rotary embedding ---------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Heads.h"
#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {

/// A position for each token, or that of the first: [batch or 1, sequence].
static Value positionsOf(OpBinder &op, const Expr &length) {
  op.requireIndex(1, "position_ids");
  Value ids = op.value(1, "position_ids");
  const Exprs shape = op.b.shape(ids);
  if (shape.size() == 2)
    return ids;
  if (shape.size() != 1 || !shape[0].isConstant(1))
    op.bad("input 1 (position_ids) has the shape " + shapeText(shape) +
           ", expected one position, or one for each token");
  Value places = op.b.cast(op.b.iota({Expr(1), length}, 1), op.b.element(ids));
  return op.b.binary(BinaryKind::Add, places, ids);
}

void importRotaryEmbedding(OpBinder &op) {
  op.requireInputs(4, 4);
  op.requireFloat(0, "input");
  if (op.floatAttribute("scale", 1) != 1 || op.intAttribute("is_packed_batching", 0) != 0)
    op.unsupported("attribute 'scale' is not 1 or 'is_packed_batching' is not 0, supported are 1 and 0");
  Value x = op.value(0, "input");
  const Exprs shape = op.b.shape(x);
  const int64_t half = halfOfRotary(op, 2);
  const int64_t given = op.intAttribute("rotary_embedding_dim", 0), heads = op.intAttribute("num_heads", 0);
  if (shape.size() != 3 && shape.size() != 4)
    op.bad("input 0 (input) has the shape " + shapeText(shape) + ", expected rank 3 or 4");
  if (shape.size() == 3) {
    const auto width = shape[2].constant();
    if (heads == 0 && (!width || *width % (2 * half) != 0))
      op.bad("input 0 (input) has the shape " + shapeText(shape) + ", expected a multiple of twice the " +
             std::to_string(half) + " columns of input 2 (cos_cache) where num_heads is not given");
    x = splitHeads(op, x, heads ? heads : *width / (2 * half), "num_heads");
  }
  Value positions = positionsOf(op, op.b.shape(x)[2]);
  Value cosine = op.b.gather(op.value(2, "cos_cache"), positions, 0);
  Value sine = op.b.gather(op.value(3, "sin_cache"), positions, 0);
  Value result = turned(op, x, cosine, sine, given ? given : headSize(op, x), op.intAttribute("interleaved", 0) != 0);
  op.result(shape.size() == 3 ? joinHeads(op, result) : result);
}

} // namespace cupola::onnx_import::microsoft

//===- lib/Import/Onnx/Ops/Heads.cpp - heads of attention, rotary embedding ===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Heads.h"

using namespace mlir;

namespace cupola::onnx_import {

Value splitHeads(OpBinder &op, Value value, int64_t heads, StringRef attribute) {
  const Exprs shape = op.b.shape(value);
  const auto width = shape[2].constant();
  if (!width)
    op.undecided({shape[2]}, "attribute '" + attribute.str() + "' splits the extent " + shape[2].text() +
                                 ", supported are constant extents");
  if (heads < 1 || *width % heads != 0)
    op.bad("attribute '" + attribute.str() + "' is " + std::to_string(heads) +
           ", expected a divisor of the last extent " + shape[2].text());
  return op.b.transpose(op.b.reshape(value, {shape[0], shape[1], heads, *width / heads}), {0, 2, 1, 3});
}

Value joinHeads(OpBinder &op, Value value) {
  const Exprs shape = op.b.shape(value);
  return op.b.reshape(op.b.transpose(value, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

Value repeatHeads(OpBinder &op, Value value, const Expr &heads) {
  const Exprs shape = op.b.shape(value);
  if (shape[1] == heads)
    return value;
  const auto have = shape[1].constant(), want = heads.constant();
  if (!have || !want)
    op.undecided({heads, shape[1]}, "there are " + heads.text() + " query heads for " + shape[1].text() +
                                        " key or value heads, supported are constant numbers");
  if (*have < 1 || *want % *have != 0)
    op.bad("there are " + heads.text() + " query heads for " + shape[1].text() +
           " key or value heads, expected a multiple");
  const Expr each(*want / *have);
  Value apart = op.b.unsqueeze(value, {2});
  Value repeated = op.b.broadcast(apart, {shape[0], shape[1], each, shape[2], shape[3]});
  return op.b.reshape(repeated, {shape[0], heads, shape[2], shape[3]});
}

int64_t headSize(OpBinder &op, Value value) {
  const Expr size = op.b.shape(value)[3];
  if (!size.constant())
    op.undecided({size}, "the size of a head is " + size.text() + ", supported are constants");
  return *size.constant();
}

/// Part of the last dimension.
static Value lastSlice(OpBinder &op, Value value, int64_t start, int64_t step, int64_t size) {
  Exprs sizes = op.b.shape(value), starts(sizes.size(), Expr(0));
  Ints steps(sizes.size(), 1);
  starts.back() = start;
  steps.back() = step;
  sizes.back() = size;
  return op.b.slice(value, starts, steps, sizes);
}

Value turned(OpBinder &op, Value x, Value cosine, Value sine, int64_t part, bool neighbours) {
  const int64_t size = headSize(op, x), half = part / 2;
  if (part < 2 || part % 2 != 0 || part > size)
    op.bad("the rotated part of a head has " + std::to_string(part) + " of " + std::to_string(size) +
           " elements, expected an even number of at most all");
  cosine = op.b.unsqueeze(cosine, {1});
  sine = op.b.unsqueeze(sine, {1});
  Value first = lastSlice(op, x, 0, neighbours ? 2 : 1, half);
  Value second = lastSlice(op, x, neighbours ? 1 : half, neighbours ? 2 : 1, half);
  const auto product = [&](Value a, Value b) { return op.b.binary(BinaryKind::Mul, a, b); };
  Value left = product(cosine, first), real = op.b.binary(BinaryKind::Sub, left, product(sine, second));
  Value right = product(sine, first), imaginary = op.b.binary(BinaryKind::Add, right, product(cosine, second));
  Value result;
  if (neighbours) {
    Exprs whole = op.b.shape(real);
    const int64_t last = static_cast<int64_t>(whole.size());
    whole.back() = part;
    Value pairs[] = {op.b.unsqueeze(real, {last}), op.b.unsqueeze(imaginary, {last})};
    result = op.b.reshape(op.b.concat(pairs, last), whole);
  } else {
    result = op.b.concat({real, imaginary}, 3);
  }
  return part < size ? op.b.concat({result, lastSlice(op, x, part, 1, size - part)}, 3) : result;
}

/// A cache as [batch, sequence, half], gathered by position where ids are given.
static Value rotaryCache(OpBinder &op, size_t index, StringRef name) {
  Value cache = op.value(index, name);
  return op.has(3) ? op.b.gather(cache, op.value(3, "position_ids"), 0) : cache;
}

void importRotaryEmbedding(OpBinder &op) {
  op.requireFloat(0, "X");
  Value x = op.value(0, "X");
  const Exprs original = op.b.shape(x);
  if (original.size() != 3 && original.size() != 4)
    op.bad("input 0 (X) has the shape " + shapeText(original) + ", expected rank 3 or 4");
  if (original.size() == 3)
    x = splitHeads(op, x, op.requiredInt("num_heads"), "num_heads");
  op.ignoreAttribute("num_heads");
  const int64_t size = headSize(op, x), part = op.intAttribute("rotary_embedding_dim", 0);
  Value cosine = rotaryCache(op, 1, "cos_cache"), sine = rotaryCache(op, 2, "sin_cache");
  Value result = turned(op, x, cosine, sine, part ? part : size, op.intAttribute("interleaved", 0) != 0);
  op.result(original.size() == 3 ? joinHeads(op, result) : result);
}

} // namespace cupola::onnx_import

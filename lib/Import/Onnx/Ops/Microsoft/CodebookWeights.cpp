//===- lib/Import/Onnx/Ops/Microsoft/CodebookWeights.cpp - four bits that name a number ===//
// SPDX-License-Identifier: Apache-2.0
//
// The weights of bitsandbytes. Blocks go on over the ends of rows. Of a byte the high bits come first.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Quantize.h"

#include <array>

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

using Codebook = std::array<float, 16>;

/// A sign and one of eight numbers.
constexpr Codebook fp4 = {0, 1 / 192.f,  2 / 3.f,  1,  1 / 3.f,  1 / 2.f,  1 / 6.f,  1 / 4.f,
                          0, -1 / 192.f, -2 / 3.f, -1, -1 / 3.f, -1 / 2.f, -1 / 6.f, -1 / 4.f};
/// Quantiles of a normal distribution, of which 0 is one (QLoRA, https://arxiv.org/abs/2305.14314, appendix E).
constexpr Codebook nf4 = {-1,
                          -0.6961928009986877f,
                          -0.5250730514526367f,
                          -0.39491748809814453f,
                          -0.28444138169288635f,
                          -0.18477343022823334f,
                          -0.09105003625154495f,
                          0,
                          0.07958029955625534f,
                          0.16093020141124725f,
                          0.24611230194568634f,
                          0.33791524171829224f,
                          0.44070982933044434f,
                          0.5626170039176941f,
                          0.7229568362236023f,
                          1};

struct Weights {
  int64_t rows, depth, block;

  int64_t count() const { return rows * depth; }
  int64_t blocks() const { return (count() + block - 1) / block; }
  int64_t bytes() const { return (count() + 1) / 2; }
};

Weights readWeights(OpBinder &op) {
  constexpr int64_t most = int64_t(1) << 31; // no product of two extents up to it overflows
  const Weights w{op.requiredInt("N"), op.requiredInt("K"), op.requiredInt("block_size")};
  for (int64_t number : {w.rows, w.depth, w.block})
    if (number < 1 || number >= most)
      op.bad("attributes 'N', 'K' and 'block_size' are " + std::to_string(w.rows) + ", " + std::to_string(w.depth) +
             " and " + std::to_string(w.block) + ", expected numbers from 1 on");
  return w;
}

const Codebook &readCodebook(OpBinder &op) {
  const int64_t kind = op.requiredInt("quant_type");
  if (kind != 0 && kind != 1)
    op.bad("attribute 'quant_type' is " + std::to_string(kind) + ", expected 0 (FP4) or 1 (NF4)");
  return kind == 0 ? fp4 : nf4;
}

/// A list of so many elements, whatever its shape is.
Value listOf(OpBinder &op, size_t index, StringRef name, int64_t count) {
  op.b.sameExtent(graph::product(op.shape(index, name)), Expr(count),
                  "the elements of input " + std::to_string(index) + " (" + name.str() +
                      ") and those that 'N', 'K' and 'block_size' ask for");
  return op.b.reshape(op.value(index, name), {Expr(count)});
}

/// int32 [rows * depth]
Value codesOf(OpBinder &op, const Weights &w) {
  if (!op.element(1, "B").isUnsignedInteger(8))
    op.bad("input 1 (B) has elements of " + typeText(op.element(1, "B")) + ", expected uint8");
  const Type wide = IntegerType::get(op.b.context(), 32);
  Value bytes = op.b.unsqueeze(op.b.cast(listOf(op, 1, "B", w.bytes()), wide), {1});
  Value high = op.b.binary(BinaryKind::ShiftRight, bytes, op.b.intScalar(4, wide));
  Value low = op.b.binary(BinaryKind::BitwiseAnd, bytes, op.b.intScalar(15, wide));
  Value codes = op.b.reshape(op.b.concat({high, low}, 1), {Expr(2 * w.bytes())});
  return op.b.slice(codes, {Expr(0)}, {1}, {Expr(w.count())});
}

/// [rows * depth]
Value scalesOf(OpBinder &op, const Weights &w, Type type) {
  op.requireFloat(2, "absmax");
  Value blocks = op.b.cast(listOf(op, 2, "absmax", w.blocks()), type);
  return quantize::ofBlocks(op, blocks, {Expr(w.count())}, 0, w.block);
}

} // namespace

void importMatMulBnb4(OpBinder &op) {
  op.requireInputs(3, 3);
  op.requireFloat(0, "A");
  op.ignoreAttribute("training_mode");
  if (op.intAttribute("transB", 1) != 1)
    op.unsupported("attribute 'transB' is not 1, supported is 1");
  const Weights w = readWeights(op);
  const Codebook &codebook = readCodebook(op);
  Value a = op.value(0, "A");
  const Type result = op.b.element(a), type = formulaType({result});
  const auto table = RankedTensorType::get({int64_t(codebook.size())}, Float32Type::get(op.b.context()));
  Value numbers = op.b.cast(op.b.constant(DenseElementsAttr::get(table, ArrayRef(codebook))), type);
  Value weights = op.b.gather(numbers, codesOf(op, w), 0, /*batchDims=*/0, /*isInRange=*/true);
  weights = op.b.cast(op.b.binary(BinaryKind::Mul, weights, scalesOf(op, w, type)), result);
  weights = op.b.reshape(weights, {Expr(w.rows), Expr(w.depth)});
  op.result(op.b.matmul(a, op.b.transpose(weights, {1, 0})));
}

} // namespace cupola::onnx_import::microsoft

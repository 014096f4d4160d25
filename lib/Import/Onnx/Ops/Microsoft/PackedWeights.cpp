//===- lib/Import/Onnx/Ops/Microsoft/PackedWeights.cpp - weights of a few bits ===//
// SPDX-License-Identifier: Apache-2.0
//
// A row of the weights, which is a column of the factor, lies in blocks; each has a scale
// and a zero point of its own. A byte holds several weights, the first one in its low
// bits. The package keeps the bytes: they are taken apart where they are read.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

/// What the attributes say.
struct Packing {
  int64_t bits, block, rows, depth;

  int64_t perByte() const { return 8 / bits; }
  int64_t blocks() const { return (depth + block - 1) / block; }
  int64_t bytesOfBlock() const { return block * bits / 8; }
  int64_t bytesOfPoints() const { return (blocks() * bits + 7) / 8; }
};

Packing readPacking(OpBinder &op) {
  const Packing p{op.intAttribute("bits", 4), op.requiredInt("block_size"), op.requiredInt("N"), op.requiredInt("K")};
  if (p.bits != 2 && p.bits != 4 && p.bits != 8)
    op.unsupported("attribute 'bits' is " + std::to_string(p.bits) + ", supported are 2, 4 and 8");
  constexpr int64_t most = int64_t(1) << 31; // no product of them overflows
  const bool isBlock = p.block >= 16 && p.block < most && (p.block & (p.block - 1)) == 0;
  if (!isBlock || p.rows < 1 || p.rows >= most || p.depth < 1 || p.depth >= most)
    op.bad("attributes 'block_size', 'N' and 'K' are " + std::to_string(p.block) + ", " + std::to_string(p.rows) +
           " and " + std::to_string(p.depth) + ", expected a power of two from 16 on, and numbers from 1 on");
  return p;
}

/// The operand under another shape of as many elements: some writers flatten it.
Value reshaped(OpBinder &op, size_t index, StringRef name, const Exprs &shape) {
  const Exprs own = op.shape(index, name);
  const Expr count = graph::product(own);
  if (count.constant() && !graph::product(shape).isConstant(*count.constant()))
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(own) +
           ", expected as many elements as " + shapeText(shape) + " has");
  return op.b.reshape(op.value(index, name), shape);
}

/// [rows, n] bytes -> [rows, n * perByte] numbers of `bits` bits.
Value unpacked(OpBinder &op, Value bytes, const Packing &p) {
  if (p.bits == 8)
    return bytes;
  const Exprs shape = op.b.shape(bytes);
  const Type byte = op.b.element(bytes);
  std::vector<uint8_t> shifts;
  for (int64_t i = 0; i < p.perByte(); ++i)
    shifts.push_back(static_cast<uint8_t>(i * p.bits));
  Value amounts = op.b.constant(
      DenseElementsAttr::get(RankedTensorType::get({1, 1, p.perByte()}, byte), ArrayRef<uint8_t>(shifts)));
  Value parts = op.b.binary(BinaryKind::ShiftRight, op.b.unsqueeze(bytes, {2}), amounts);
  parts = op.b.binary(BinaryKind::BitwiseAnd, parts, op.b.intScalar((1 << p.bits) - 1, byte));
  return op.b.reshape(parts, {shape[0], shape[1] * Expr(p.perByte())});
}

/// [N, blocks, 1] in `type`; null: they are in the middle of the range.
Value zeroPoints(OpBinder &op, const Packing &p, Type type) {
  const Expr rows(p.rows), blocks(p.blocks());
  if (!op.has(3))
    return op.b.scalar(static_cast<double>(1 << (p.bits - 1)), type);
  if (isa<FloatType>(op.element(3, "zero_points")))
    return op.b.cast(reshaped(op, 3, "zero_points", {rows, blocks, Expr(1)}), type);
  if (!op.element(3, "zero_points").isUnsignedInteger(8))
    op.bad("input 3 (zero_points) has elements of " + typeText(op.element(3, "zero_points")) +
           ", expected uint8 or floats");
  Value points = unpacked(op, reshaped(op, 3, "zero_points", {rows, Expr(p.bytesOfPoints())}), p);
  points = op.b.slice(points, {Expr(0), Expr(0)}, {1, 1}, {rows, blocks}); // what fills the last byte
  return op.b.cast(op.b.unsqueeze(points, {2}), type);
}

} // namespace

void importMatMulNBits(OpBinder &op) {
  op.requireInputs(3, 6);
  op.requireFloat(0, "A");
  op.requireFloat(2, "scales");
  op.ignoreAttribute("accuracy_level"); // a permission to be less exact
  if (op.has(4))
    op.unsupported("input 4 (g_idx) is used, supported are weights in their own order");
  if (op.intAttribute("weight_prepacked", 0) != 0)
    op.unsupported("attribute 'weight_prepacked' is not 0, supported is 0");
  if (!op.element(1, "B").isUnsignedInteger(8))
    op.bad("input 1 (B) has elements of " + typeText(op.element(1, "B")) + ", expected uint8");
  const Packing p = readPacking(op);
  Value a = op.value(0, "A");
  const Type result = op.b.element(a), type = formulaType({result});
  const Expr rows(p.rows), blocks(p.blocks());
  Value bytes = reshaped(op, 1, "B", {rows, Expr(p.blocks() * p.bytesOfBlock())});
  Value weights = op.b.reshape(op.b.cast(unpacked(op, bytes, p), type), {rows, blocks, Expr(p.block)});
  weights = op.b.binary(BinaryKind::Sub, weights, zeroPoints(op, p, type));
  weights = op.b.binary(BinaryKind::Mul, weights, op.b.cast(reshaped(op, 2, "scales", {rows, blocks, Expr(1)}), type));
  weights = op.b.reshape(op.b.cast(weights, result), {rows, Expr(p.blocks() * p.block)});
  weights = op.b.slice(weights, {Expr(0), Expr(0)}, {1, 1}, {rows, Expr(p.depth)}); // what fills the last block
  Value product = op.b.matmul(a, op.b.transpose(weights, {1, 0}));
  if (op.has(5)) {
    op.b.sameShape(op.shape(5, "bias"), {rows}, "the shape of input 5 (bias) and N");
    product = op.b.binary(BinaryKind::Add, product, op.value(5, "bias"));
  }
  op.result(product);
}

} // namespace cupola::onnx_import::microsoft

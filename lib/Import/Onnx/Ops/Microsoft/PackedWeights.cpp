//===- lib/Import/Onnx/Ops/Microsoft/PackedWeights.cpp - weights of a few bits ===//
// SPDX-License-Identifier: Apache-2.0
//
// A row of the weights, which is a column of the factor, lies in blocks; each has a scale
// and a zero point of its own. A byte holds several weights, the first one in its low
// bits. The package keeps the bytes: they are taken apart where they are read.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/NarrowTypes.h"
#include "lib/Import/Onnx/Ops/Microsoft/Ops.h"
#include "lib/Import/Onnx/Ops/Quantize.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
Value unpacked(OpBinder &op, Value bytes, int64_t bits) {
  if (bits == 8)
    return bytes;
  Exprs shape = op.b.shape(bytes);
  const Type wide = IntegerType::get(op.b.context(), 32); // no processor shifts each byte by an amount of its own
  Exprs dims = shape;
  dims.push_back(Expr(8 / bits)); // of all, or the amounts would be a table
  Value amounts = op.b.binary(BinaryKind::Mul, op.b.iota(dims, static_cast<int64_t>(shape.size())),
                              op.b.intScalar(bits, op.b.int64()));
  amounts = op.b.cast(amounts, wide);
  bytes = op.b.cast(bytes, wide);
  Value parts =
      op.b.binary(BinaryKind::ShiftRight, op.b.unsqueeze(bytes, {static_cast<int64_t>(shape.size())}), amounts);
  parts = op.b.binary(BinaryKind::BitwiseAnd, parts, op.b.intScalar((1 << bits) - 1, wide));
  shape.back() = shape.back() * Expr(8 / bits);
  return op.b.reshape(parts, shape);
}

namespace {

constexpr int64_t most = int64_t(1) << 31; // no product of two extents up to it overflows

bool isBlock(int64_t block) { return block >= 16 && block < most && (block & (block - 1)) == 0; }

/// What the attributes say.
struct Packing {
  int64_t bits, block, rows, depth;

  int64_t blocks() const { return (depth + block - 1) / block; }
  int64_t bytesOfBlock() const { return block * bits / 8; }
  int64_t bytesOfPoints() const { return (blocks() * bits + 7) / 8; }
};

Packing readPacking(OpBinder &op) {
  const Packing p{op.intAttribute("bits", 4), op.requiredInt("block_size"), op.requiredInt("N"), op.requiredInt("K")};
  if (p.bits != 2 && p.bits != 4 && p.bits != 8)
    op.unsupported("attribute 'bits' is " + std::to_string(p.bits) + ", supported are 2, 4 and 8");
  if (!isBlock(p.block) || p.rows < 1 || p.rows >= most || p.depth < 1 || p.depth >= most)
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
  Value points = unpacked(op, reshaped(op, 3, "zero_points", {rows, Expr(p.bytesOfPoints())}), p.bits);
  points = columns(op, points, Expr(0), blocks); // without what fills the last byte
  return op.b.cast(op.b.unsqueeze(points, {2}), type);
}

/// What the attributes and the type of the data of GatherBlockQuantized say.
struct BlockTable {
  int64_t bits, block, gatherAxis, blockAxis;
  bool isPacked; ///< bytes that hold several numbers; else the elements are the numbers
  Exprs shape;   ///< of the numbers
};

BlockTable readBlockTable(OpBinder &op) {
  const Exprs shape = op.shape(0, "data");
  const auto rank = static_cast<int64_t>(shape.size());
  const Type type = op.element(0, "data");
  BlockTable t{op.intAttribute("bits", 4),
               op.intAttribute("block_size", 128),
               op.axis(op.intAttribute("gather_axis", 0), rank, "gather_axis"),
               op.axis(op.intAttribute("quantize_axis", 1), rank, "quantize_axis"),
               type.isUnsignedInteger(8),
               shape};
  if (!t.isPacked && !isNarrow(type))
    op.bad("input 0 (data) has elements of " + typeText(type) + ", expected uint8, int4, uint4 or floats of 8 bits");
  if (t.bits != 2 && t.bits != 4 && t.bits != 8)
    op.unsupported("attribute 'bits' is " + std::to_string(t.bits) + ", supported are 2, 4 and 8");
  if (!isBlock(t.block))
    op.unsupported("attribute 'block_size' is " + std::to_string(t.block) + ", supported are powers of two from 16 on");
  const bool areLastAndFirst = t.gatherAxis == 0 && t.blockAxis == rank - 1;
  if (t.gatherAxis == t.blockAxis || (t.isPacked && !areLastAndFirst))
    op.unsupported("attributes 'gather_axis' and 'quantize_axis' are " + std::to_string(t.gatherAxis) + " and " +
                   std::to_string(t.blockAxis) + ", supported are two axes, the first and the last one for uint8");
  if (t.isPacked)
    t.shape.back() = t.shape.back() * Expr(8 / t.bits);
  return t;
}

/// Of the rows that are read; null: 0.
Value pointsOfRows(OpBinder &op, const BlockTable &t, Exprs blocks, Value indices) {
  if (!op.has(3))
    return t.isPacked ? op.b.intScalar(1 << (t.bits - 1), op.element(0, "data")) : Value();
  if (op.element(3, "zero_points") != op.element(0, "data"))
    op.bad("input 3 (zero_points) has elements of " + typeText(op.element(3, "zero_points")) + ", expected " +
           typeText(op.element(0, "data")));
  const Expr own = blocks.back();
  if (t.isPacked)
    blocks.back() = simplify(ceilDiv(own, Expr(8 / t.bits)), op.b.ranges());
  op.b.sameShape(op.shape(3, "zero_points"), blocks, "the shape of input 3 (zero_points) and that of the blocks");
  Value points = op.b.gather(op.value(3, "zero_points"), indices, t.gatherAxis);
  if (!t.isPacked)
    return points;
  return columns(op, unpacked(op, points, t.bits), Expr(0), own); // without what fills the last byte
}

} // namespace

void importMatMulNBits(OpBinder &op) {
  op.requireInputs(3, 6);
  op.requireFloat(0, "A");
  op.requireFloat(2, "scales");
  // What A may be rounded to: 4 is int8, all others permit less.
  const auto int8Rows = op.intAttribute("accuracy_level", 0) == 4 ? graph::Int8Rows::Always : graph::Int8Rows::Never;
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
  Value weights = op.b.reshape(op.b.cast(unpacked(op, bytes, p.bits), type), {rows, blocks, Expr(p.block)});
  weights = op.b.binary(BinaryKind::Sub, weights, zeroPoints(op, p, type));
  weights = op.b.binary(BinaryKind::Mul, weights, op.b.cast(reshaped(op, 2, "scales", {rows, blocks, Expr(1)}), type));
  weights = op.b.reshape(op.b.cast(weights, result), {rows, Expr(p.blocks() * p.block)});
  weights = op.b.slice(weights, {Expr(0), Expr(0)}, {1, 1}, {rows, Expr(p.depth)}); // what fills the last block
  Value product = op.b.matmul(a, op.b.transpose(weights, {1, 0}), int8Rows);
  if (op.has(5)) {
    op.b.sameShape(op.shape(5, "bias"), {rows}, "the shape of input 5 (bias) and N");
    product = op.b.binary(BinaryKind::Add, product, op.value(5, "bias"));
  }
  op.result(product);
}

/// Rows are read, and only they become numbers.
void importGatherBlockQuantized(OpBinder &op) {
  op.requireInputs(3, 4);
  op.requireIndex(1, "indices");
  op.requireFloat(2, "scales");
  const BlockTable t = readBlockTable(op);
  Exprs blocks = t.shape;
  blocks[t.blockAxis] = simplify(ceilDiv(t.shape[t.blockAxis], Expr(t.block)), op.b.ranges());
  op.b.sameShape(op.shape(2, "scales"), blocks, "the shape of input 2 (scales) and that of the blocks");
  Value indices = op.value(1, "indices");
  Value numbers = op.b.gather(op.value(0, "data"), indices, t.gatherAxis);
  if (t.isPacked)
    numbers = unpacked(op, numbers, t.bits);
  const Exprs shape = op.b.shape(numbers);
  const auto more = static_cast<int64_t>(op.b.shape(indices).size()) - 1;
  const int64_t axis = t.blockAxis + (t.blockAxis > t.gatherAxis ? more : 0);
  const auto ofElements = [&](Value value) { return quantize::ofBlocks(op, value, shape, axis, t.block); };
  const Type result = op.element(2, "scales");
  Value scale = op.b.gather(op.value(2, "scales"), indices, t.gatherAxis);
  scale = ofElements(op.b.cast(scale, formulaType({result})));
  Value zero = pointsOfRows(op, t, blocks, indices);
  const auto decoded = [&](Value value) { return onnx_import::numbersOf(op.b, value, op.element(0, "data")); };
  if (zero && op.has(3))
    zero = ofElements(decoded(zero));
  op.result(op.b.cast(quantize::numbersOf(op, decoded(numbers), scale, zero), result));
}

} // namespace cupola::onnx_import::microsoft

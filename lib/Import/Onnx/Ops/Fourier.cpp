//===- lib/Import/Onnx/Ops/Fourier.cpp - discrete Fourier transforms -------===//
// SPDX-License-Identifier: Apache-2.0
//
// A transform is a product with the matrix of its waves, which is computed from positions (and folds where the length
// is constant), or a fast one of the host. Complex numbers are pairs in the last dimension, so that the matrix has a
// 2x2 block per wave and place.
//===----------------------------------------------------------------------===//
#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/ComputeType.h"
#include "lib/Import/Onnx/Ops/Ops.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

struct Transform {
  Expr length; ///< of the signal: that of the waves
  bool inverse = false, onesided = false;
  Expr bins() const { return floorDiv(length, Expr(2)) + 1; }
  /// onesided: the other half of a real signal's spectrum follows from what is there.
  Expr taken() const { return inverse && onesided ? bins() : length; }
  Expr made() const { return !inverse && onesided ? bins() : length; }
  int64_t parts() const { return inverse && onesided ? 1 : 2; }
};

/// How often a bin of a half spectrum counts: those with a mirror image twice.
Value weights(OpBinder &op, const Transform &t, Value bin, Type real) {
  Value mirrored = op.b.binary(BinaryKind::Mod, op.b.binary(BinaryKind::Mul, bin, op.b.intScalar(2, op.b.int64())),
                               op.b.integer(t.length));
  Value isAlone = op.b.binary(BinaryKind::Equal, mirrored, op.b.intScalar(0, op.b.int64()));
  return op.b.select(isAlone, op.b.scalar(1, real), op.b.scalar(2, real));
}

/// [taken * parts of an element, made * parts of a result]
Value waves(OpBinder &op, const Transform &t, int64_t parts, Type real) {
  const Exprs grid = {t.taken(), Expr(parts), t.made(), Expr(t.parts())};
  const auto place = [&](int64_t axis) {
    Exprs line(4, Expr(1));
    line[axis] = grid[axis];
    return op.b.iota(line, axis);
  };
  const auto multiply = [&](Value a, Value b) { return op.b.binary(BinaryKind::Mul, a, b); };
  // In whole turns first: products of positions are too long for a float.
  Value turns = op.b.binary(BinaryKind::Mod, multiply(place(0), place(2)), op.b.integer(t.length));
  Value share = op.b.binary(BinaryKind::Div, op.b.cast(turns, real), op.b.cast(op.b.integer(t.length), real));
  Value angle = multiply(share, op.b.scalar(2 * 3.14159265358979323846, real));
  Value cosine = op.b.unary(UnaryKind::Cos, angle), sine = op.b.unary(UnaryKind::Sin, angle);
  Value opposite = op.b.unary(UnaryKind::Neg, sine);
  const bool inverse = t.inverse;
  Value toImaginary = inverse ? sine : opposite, toReal = inverse ? opposite : sine;
  Value crossed = op.b.select(op.b.binary(BinaryKind::Less, place(1), place(3)), toImaginary, toReal);
  Value matrix = op.b.select(op.b.binary(BinaryKind::Equal, place(1), place(3)), cosine, crossed);
  if (inverse)
    matrix = op.b.binary(BinaryKind::Div, matrix, op.b.cast(op.b.integer(t.length), real));
  if (inverse && t.onesided)
    matrix = multiply(matrix, weights(op, t, place(0), real));
  return op.b.reshape(matrix, {t.taken() * Expr(parts), t.made() * Expr(t.parts())});
}

/// Cut or continued by zeros to `extent` along the dimension before the last one.
Value withExtent(OpBinder &op, Value value, const Expr &extent) {
  const Exprs shape = op.b.shape(value), low(shape.size(), Expr(0));
  Exprs high = low;
  high[shape.size() - 2] = extent - shape[shape.size() - 2];
  const auto zero = Builder(op.b.context()).getFloatAttr(op.b.element(value), 0);
  return op.b.pad(value, low, high, graph::PadMode::Constant, zero);
}

/// By sums of waves, of `value`: [.., taken, parts].
Value byWaves(OpBinder &op, Value value, const Transform &t, Type real) {
  const Exprs shape = op.b.shape(value);
  const int64_t parts = *shape.back().constant();
  Exprs rows(shape.begin(), shape.end() - 2), result = rows;
  rows.push_back(t.taken() * Expr(parts));
  result.append({t.made(), Expr(t.parts())});
  value = op.b.matmul(op.b.cast(op.b.reshape(value, rows), real), waves(op, t, parts, real));
  return op.b.reshape(value, result);
}

/// Whether so many rows share the waves that their products take no longer than a fast transform of each. Frames are
/// many, and their products of float32.
bool hasManyRows(const Expr &rows, const Transform &t, Type real) {
  constexpr int64_t longest = 512, longestFrame = 4096;
  const auto length = t.length.constant(), count = rows.constant();
  if (!length || !real.isF64())
    return length && *length <= longestFrame;
  return count && *count > *length && *length <= longest;
}

/// A fast one is the host's.
Value fourier(OpBinder &op, Value value, const Transform &t, Type real) {
  const Type type = op.b.element(value);
  const auto byOps = [&] { return op.b.cast(byWaves(op, value, t, real), type); };
  const Exprs shape = op.b.shape(value);
  const Exprs rows(shape.begin(), shape.end() - 2);
  Exprs result = rows;
  result.append({t.made(), Expr(t.parts())});
  const Expr all = graph::product(rows);
  if (hasManyRows(all, t, real) || !(type.isF32() || type.isF64()))
    return byOps();
  Value extents = op.b.dims({all, t.length, t.taken(), t.made(), shape.back(), Expr(t.parts())}, {6}, op.b.int64());
  return op.b.hostOr("fourier", {format::dtypeName(graph::dtypeOf(type)), t.inverse ? "inverse" : "forward"},
                     {value, extents}, result, type, max(all, Expr(1)) * t.taken() * t.made(), byOps);
}

/// Along `axis` of a value whose last dimension holds 1 or 2 parts, computed in `real`.
Value transformed(OpBinder &op, Value value, int64_t axis, const Transform &t, Type real) {
  const auto rank = static_cast<int64_t>(op.b.shape(value).size());
  Ints perm = sequence(0, rank);
  perm.erase(perm.begin() + axis);
  perm.insert(perm.end() - 1, axis);
  value = fourier(op, withExtent(op, op.b.transpose(value, perm), t.taken()), t, real);
  Ints back(perm.size());
  for (auto [to, from] : llvm::enumerate(perm))
    back[from] = static_cast<int64_t>(to);
  return op.b.transpose(value, back);
}

/// A signal: numbers with one part or two; `usual`: which of it, where the extent is open.
Value readSignal(OpBinder &op, StringRef name, std::optional<int64_t> usual) {
  op.requireFloat(0, name);
  op.rank(0, name, 2);
  Expr parts = op.shape(0, name).back();
  if (!parts.constant() && usual)
    parts = op.b.sameExtent(parts, Expr(*usual),
                            "the last extent of input 0 (" + name.str() + ") and the parts of its numbers");
  const std::string found =
      "the last extent of input 0 (" + name.str() + ") is " + parts.text() + ", expected 1 (real) or 2 (complex)";
  if (!parts.constant())
    op.undecided({parts}, found);
  if (!parts.isConstant(1) && !parts.isConstant(2))
    op.bad(found);
  return op.value(0, name);
}

void requireLength(OpBinder &op, const Expr &length) {
  if (length.constant() && *length.constant() < 1)
    op.bad("the length of the transform is " + length.text() + ", expected at least 1");
  op.b.atMost(Expr(1), length, "1 and the length of the transform");
}

void dft(OpBinder &op, int64_t axis) {
  Transform t;
  t.inverse = op.intAttribute("inverse", 0) != 0;
  t.onesided = op.intAttribute("onesided", 0) != 0;
  // Half of the result is enough for what is real, half of the operand for what becomes real.
  Value signal = readSignal(op, "input", t.onesided ? std::optional(t.inverse ? 2 : 1) : std::nullopt);
  const Expr extent = op.b.shape(signal)[axis];
  t.length = op.has(1) ? op.symbolicInt(1, "dft_length") : t.inverse && t.onesided ? (extent - 1) * Expr(2) : extent;
  requireLength(op, t.length);
  // Where waves cancel each other out, float32 would leave its roundings of the others.
  op.result(transformed(op, signal, axis, t, Float64Type::get(op.b.context())));
}

/// -rank to rank - 2: the last dimension holds the parts.
int64_t signalAxis(OpBinder &op, int64_t given) {
  const int64_t rank = op.rank(0, "input", 2), axis = op.axis(given, rank);
  if (axis == rank - 1)
    op.bad("axis is " + std::to_string(given) + ", which is the last one, expected another");
  return axis;
}

} // namespace

void importDFTAttribute(OpBinder &op) { dft(op, signalAxis(op, op.intAttribute("axis", 1))); }

void importDFT(OpBinder &op) { dft(op, signalAxis(op, op.has(2) ? op.constantInt(2, "axis") : -2)); }

void importSTFT(OpBinder &op) {
  Transform t;
  t.onesided = op.intAttribute("onesided", 1) != 0;
  Value signal = readSignal(op, "signal", t.onesided ? std::optional(1) : std::nullopt);
  const Exprs shape = op.b.shape(signal);
  if (shape.size() != 3)
    op.bad("input 0 (signal) has the shape " + shapeText(shape) + ", expected rank 3");
  const int64_t step = op.constantInt(1, "frame_step");
  if (step < 1)
    op.bad("frame_step is " + std::to_string(step) + ", expected at least 1");
  t.length = op.has(3) ? op.symbolicInt(3, "frame_length") : op.has(2) ? op.shape(2, "window")[0] : shape[1];
  requireLength(op, t.length);
  if (!t.length.constant())
    op.undecided({t.length}, "the length of a frame is " + t.length.text() + ", supported are constants");
  op.b.atMost(t.length, shape[1], "the length of a frame and of the signal");
  const Expr frames = simplify(floorDiv(shape[1] - t.length, Expr(step)) + 1, op.b.ranges());
  Value windows = op.b.window(signal, 1, {*t.length.constant()}, {step}, {1}, {frames});
  if (op.has(2)) {
    if (op.rank(2, "window") != 1)
      op.bad("input 2 (window) has the shape " + shapeText(op.shape(2, "window")) + ", expected rank 1");
    op.b.sameExtent(op.shape(2, "window")[0], t.length, "the extent of window and the length of a frame");
    windows = op.b.binary(BinaryKind::Mul, windows, op.b.reshape(op.value(2, "window"), {t.length, Expr(1)}));
  }
  op.result(transformed(op, windows, 2, t, formulaType({op.b.element(windows)})));
}

} // namespace cupola::onnx_import

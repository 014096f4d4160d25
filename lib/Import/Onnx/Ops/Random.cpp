//===- lib/Import/Onnx/Ops/Random.cpp - what is drawn at random -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX leaves the generator open; ours is in Philox.h. A seed is the bits of the attribute as a float32, and of
// Dropout, which has an integer, its low bits.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Philox.h"

#include "lib/Import/Onnx/Constants.h"
#include "lib/Import/Onnx/Cumulative.h"
#include "lib/Import/Onnx/Ops/Ops.h"

#include "onnx/onnx_pb.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

Philox numbersOf(OpBinder &op, ArrayRef<Expr> shape) {
  if (!op.hasAttribute("seed"))
    return Philox(op, shape, std::nullopt);
  return Philox(op, shape, llvm::bit_cast<uint32_t>(static_cast<float>(op.floatAttribute("seed", 0))));
}

/// Of attribute `dtype`, or `otherwise`.
Type drawnType(const OpBinder &op, Type otherwise) {
  if (!op.hasAttribute("dtype"))
    return otherwise;
  const auto dataType = static_cast<int32_t>(op.intAttribute("dtype", 0));
  const Type type = elementTypeOf(dataType, op.b.context());
  if (!type)
    op.unsupported("attribute 'dtype' is " + elementTypeName(dataType) + ", which is not supported");
  return type;
}

Type floatType(const OpBinder &op, Type otherwise) {
  const Type type = drawnType(op, otherwise);
  if (!isa<FloatType>(type))
    op.bad("the type of the result is " + typeText(type) + ", expected a float");
  return type;
}

/// first + number * width, rounded to `type` once.
void drawn(OpBinder &op, Value number, double first, double width, Type type) {
  const Type wide = op.b.element(number);
  Value scaled = op.b.binary(BinaryKind::Mul, number, op.b.scalar(width, wide));
  op.result(op.b.cast(op.b.binary(BinaryKind::Add, scaled, op.b.scalar(first, wide)), type));
}

void drawNormal(OpBinder &op, ArrayRef<Expr> shape, Type type) {
  const double mean = op.floatAttribute("mean", 0), scale = op.floatAttribute("scale", 1);
  drawn(op, numbersOf(op, shape).normal(type), mean, scale, type);
}

void drawUniform(OpBinder &op, ArrayRef<Expr> shape, Type type) {
  const double low = op.floatAttribute("low", 0), high = op.floatAttribute("high", 1);
  drawn(op, numbersOf(op, shape).uniform(type), low, high - low, type);
}

Exprs attributeShape(const OpBinder &op) {
  Exprs shape;
  for (int64_t extent : op.requiredInts("shape")) {
    if (extent < 0)
      op.bad("attribute 'shape' has the extent " + std::to_string(extent) + ", expected 0 or more");
    shape.push_back(Expr(extent));
  }
  return shape;
}

Type float32(const OpBinder &op) { return Float32Type::get(op.b.context()); }

} // namespace

void importRandomNormal(OpBinder &op) { drawNormal(op, attributeShape(op), floatType(op, float32(op))); }
void importRandomUniform(OpBinder &op) { drawUniform(op, attributeShape(op), floatType(op, float32(op))); }
void importRandomNormalLike(OpBinder &op) {
  drawNormal(op, op.shape(0, "input"), floatType(op, op.element(0, "input")));
}
void importRandomUniformLike(OpBinder &op) {
  drawUniform(op, op.shape(0, "input"), floatType(op, op.element(0, "input")));
}

/// 1 with the chance that the input says. The function in ONNX's schema gives 1 with the other chance, against its
/// text.
void importBernoulli(OpBinder &op) {
  op.requireFloat(0, "input");
  const Type type = op.element(0, "input"), wide = Philox::computed(type);
  const Type result = drawnType(op, type);
  Value isOne = op.b.binary(BinaryKind::Less, numbersOf(op, op.shape(0, "input")).uniform(type),
                            op.b.cast(op.value(0, "input"), wide));
  op.result(op.b.cast(isOne, result));
}

/// How many of the classes' sums, in order, are at most the number drawn: the class in whose part of [0, 1) it lies.
void importMultinomial(OpBinder &op) {
  op.requireFloat(0, "input");
  const Exprs shape = op.shape(0, "input");
  if (shape.size() != 2)
    op.bad("the input has the shape " + shapeText(shape) + ", expected [batch, classes]");
  const Type index = drawnType(op, IntegerType::get(op.b.context(), 32));
  if (!isIndexType(index))
    op.bad("attribute 'dtype' is " + typeText(index) + ", expected int32 or int64");
  const int64_t samples = op.intAttribute("sample_size", 1);
  if (samples < 1)
    op.bad("attribute 'sample_size' is " + std::to_string(samples) + ", expected 1 or more");
  op.b.atMost(Expr(1), shape[1], "1 and the number of classes");
  const Type type = Philox::computed(op.element(0, "input"));
  Value chances = op.b.softmax(op.b.cast(op.value(0, "input"), type), 1, /*log=*/false);
  Value sums = op.b.unsqueeze(cumulated(op.b, ReduceKind::Sum, chances, 1, {}), {1});
  Value numbers = op.b.unsqueeze(numbersOf(op, {shape[0], Expr(samples)}).uniform(type), {2});
  Value isBehind = op.b.cast(op.b.binary(BinaryKind::LessEqual, sums, numbers), index);
  Value place = op.b.squeeze(op.b.reduce(ReduceKind::Sum, isBehind, {2}), {2});
  // The last sum may be a little less than 1.
  Value last = op.b.cast(op.b.dims({shape[1] - 1}, {}, op.b.int64()), index);
  op.result(op.b.binary(BinaryKind::Min, place, last));
}

/// Elements that stay are divided by the chance to stay, so that sums keep their size.
void dropAtRandom(OpBinder &op, Value ratio) {
  Value data = op.value(0, "data");
  const Type type = op.element(0, "data"), wide = Philox::computed(type);
  ratio = op.b.cast(op.b.reshape(ratio, {}), wide);
  std::optional<uint32_t> seed;
  if (op.hasAttribute("seed"))
    seed = static_cast<uint32_t>(op.intAttribute("seed", 0));
  Value number = Philox(op, op.b.shape(data), seed).uniform(type);
  Value stays = op.b.binary(BinaryKind::LessEqual, ratio, number);
  Value chance = op.b.binary(BinaryKind::Sub, op.b.scalar(1, wide), ratio);
  Value kept = op.b.cast(op.b.binary(BinaryKind::Div, op.b.cast(data, wide), chance), type);
  op.result(op.b.select(stays, kept, op.b.scalar(0, type)));
  if (op.wants(1))
    op.result(stays, 1);
}

} // namespace cupola::onnx_import

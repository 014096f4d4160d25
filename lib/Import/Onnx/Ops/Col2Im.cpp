//===- lib/Import/Onnx/Ops/Col2Im.cpp - images of overlapping blocks -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Every pixel sums what the blocks around it have for it: it looks for each tap of a block whether one lies so that
// this tap is the pixel.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Window.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Along one dimension: keeps products with dilations far from overflow.
constexpr int64_t mostTaps = int64_t(1) << 31;

/// How blocks lie in the image, one entry per dimension.
struct Blocks {
  Exprs image, sizes, places; ///< extents of the image and of a block, how many blocks
  Ints strides, dilations, pads;
  size_t dims() const { return sizes.size(); }
};

Blocks readBlocks(OpBinder &op) {
  Blocks blocks;
  blocks.image = op.symbolicInts(1, "image_shape");
  blocks.sizes = op.symbolicInts(2, "block_shape");
  const size_t dims = blocks.dims();
  const auto isSize = [](const Expr &size) {
    return !size.constant() || (*size.constant() >= 1 && *size.constant() < mostTaps);
  };
  if (dims == 0 || blocks.image.size() != dims || !llvm::all_of(blocks.sizes, isSize))
    op.bad("image_shape and block_shape are " + shapeText(blocks.image) + " and " + shapeText(blocks.sizes) +
           ", expected one number from 1 on per dimension of the image");
  for (Expr &size : blocks.sizes)
    size = op.b.bounded(size, "an entry of block_shape", 1, mostTaps - 1);
  blocks.strides = windowNumbers(op, "strides", dims);
  blocks.dilations = windowNumbers(op, "dilations", dims);
  blocks.pads = paddingNumbers(op, "pads", 2 * dims);
  for (size_t i = 0; i < dims; ++i) {
    const Expr reach = (blocks.sizes[i] - 1) * Expr(blocks.dilations[i]) + 1;
    const Expr padded = blocks.image[i] + Expr(blocks.pads[i] + blocks.pads[dims + i]);
    op.b.atMost(reach, padded, "a block and the padded image along dimension " + std::to_string(i));
    blocks.places.push_back(simplify(floorDiv(padded - reach, Expr(blocks.strides[i])) + 1, op.b.ranges()));
  }
  return blocks;
}

/// Of each pixel and tap, in rows of pixels: which element of [tap, block] it is, and whether there is one.
struct Source {
  Value index, exists;
};

Source sourceOf(OpBinder &op, const Blocks &blocks) {
  const auto binary = [&](BinaryKind kind, Value a, Value b) { return op.b.binary(kind, a, b); };
  const size_t dims = blocks.dims();
  Value tap, block, exists;
  for (size_t i = 0; i < dims; ++i) {
    Exprs pixels(2 * dims, Expr(1)), taps = pixels;
    pixels[i] = blocks.image[i];
    taps[dims + i] = blocks.sizes[i];
    Value t = op.b.iota(taps, static_cast<int64_t>(dims + i)), stride = op.b.integer(blocks.strides[i]);
    Value begin = binary(BinaryKind::Add, op.b.iota(pixels, static_cast<int64_t>(i)), op.b.integer(blocks.pads[i]));
    begin = binary(BinaryKind::Sub, begin, binary(BinaryKind::Mul, t, op.b.integer(blocks.dilations[i])));
    Value rest = binary(BinaryKind::Mod, begin, stride), at = binary(BinaryKind::Div, begin, stride);
    Value here = binary(BinaryKind::And, binary(BinaryKind::Equal, rest, op.b.integer(0)),
                        binary(BinaryKind::And, binary(BinaryKind::LessEqual, op.b.integer(0), begin),
                               binary(BinaryKind::Less, at, op.b.integer(blocks.places[i]))));
    tap = tap ? binary(BinaryKind::Add, binary(BinaryKind::Mul, tap, op.b.integer(blocks.sizes[i])), t) : t;
    block = block ? binary(BinaryKind::Add, binary(BinaryKind::Mul, block, op.b.integer(blocks.places[i])), at) : at;
    exists = exists ? binary(BinaryKind::And, exists, here) : here;
  }
  Value count = op.b.integer(graph::product(blocks.places));
  Value index = binary(BinaryKind::Add, binary(BinaryKind::Mul, tap, count), block);
  return {op.b.select(exists, index, op.b.integer(0)), exists};
}

} // namespace

void importCol2Im(OpBinder &op) {
  if (op.element(0, "input").isInteger(1))
    op.unsupported("input 0 (input) has elements of bool, supported are numbers");
  const Exprs shape = op.shape(0, "input");
  if (shape.size() != 3)
    op.bad("input 0 (input) has the shape " + shapeText(shape) + ", expected rank 3");
  const Blocks blocks = readBlocks(op);
  const Expr taps = graph::product(blocks.sizes), pixels = graph::product(blocks.image);
  const Expr planes = simplify(floorDiv(shape[1], taps), op.b.ranges());
  if (proveEqual(planes * taps, shape[1], op.b.ranges()) == false)
    op.bad("input 0 (input) has " + shape[1].text() + " channels, expected a multiple of the " + taps.text() +
           " elements of a block");
  op.b.sameExtent(planes * taps, shape[1], "the channels of whole blocks and of input");
  const Expr count =
      op.b.sameExtent(shape[2], graph::product(blocks.places), "the last extent and the number of blocks");
  const Source source = sourceOf(op, blocks);
  Value columns = op.b.reshape(op.value(0, "input"), {shape[0], planes, taps * count});
  Value terms = op.b.gather(columns, op.b.reshape(source.index, {pixels, taps}), 2);
  Value exists = op.b.reshape(source.exists, {pixels, taps});
  Value sum = op.b.reduce(ReduceKind::Sum, op.b.select(exists, terms, op.b.scalar(0, op.b.element(terms))), {3});
  Exprs result = {shape[0], planes};
  llvm::append_range(result, blocks.image);
  op.result(op.b.reshape(sum, result));
}

} // namespace cupola::onnx_import

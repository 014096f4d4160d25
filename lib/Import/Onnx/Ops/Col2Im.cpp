//===- lib/Import/Onnx/Ops/Col2Im.cpp - images of overlapping blocks -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Every pixel sums what the blocks around it have for it. Of blocks whose taps lie side by side, pixel s q + r along a
// dimension with stride s is tap s j + r of block q - j, for j from 0 on: as many views as blocks overlap are added. Of
// others, and where the model does not say how large they are, it looks for each tap whether a block lies so that this
// tap is the pixel.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Window.h"

#include "dialects/Graph/InferType.h"

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

/// How many blocks can overlap along a dimension, if the taps of a block lie side by side.
std::optional<Expr> overlapsOf(const Blocks &blocks, size_t i) {
  if (blocks.dilations[i] != 1)
    return std::nullopt;
  return ceilDiv(blocks.sizes[i], Expr(blocks.strides[i]));
}

/// Whether so few views are added that one kernel may do it.
bool areFewViews(const Blocks &blocks) {
  constexpr int64_t mostViews = 64;
  int64_t views = 1;
  for (size_t i = 0; i < blocks.dims(); ++i) {
    const auto overlaps = overlapsOf(blocks, i);
    const int64_t known = overlaps && blocks.sizes[i].constant() ? *overlaps->constant() : mostViews + 1;
    if (known > mostViews || (views *= known) > mostViews)
      return false;
  }
  return true;
}

/// The image along dimension i, of [N, C, image before i.., block from i on.., places from i on..].
Value addOverlaps(OpBinder &op, Value value, const Blocks &blocks, size_t i) {
  const int64_t taps = 2 + i, places = 2 + blocks.dims(), stride = blocks.strides[i];
  const int64_t overlaps = *overlapsOf(blocks, i)->constant();
  const auto zero = cast<TypedAttr>(Builder(op.b.context()).getZeroAttr(op.b.element(value)));
  const auto padded = [&](Value of, const Expr &low, const Expr &high) {
    Exprs front(graph::rankOf(of), Expr(0)), back = front;
    front[taps] = low, back[taps] = high;
    return op.b.pad(of, front, back, graph::PadMode::Constant, zero);
  };
  Exprs apart = op.b.shape(value);
  apart[taps] = Expr(stride);
  apart.insert(apart.begin() + taps, Expr(overlaps));
  value = op.b.reshape(padded(value, 0, Expr(overlaps * stride) - blocks.sizes[i]), apart);
  Ints perm = sequence(0, apart.size() - 1); // of one view, the places before the taps
  perm.erase(perm.begin() + places);
  perm.insert(perm.begin() + taps, places);
  Value sum;
  for (int64_t j = 0; j < overlaps; ++j) {
    Exprs starts(apart.size(), Expr(0)), one = apart;
    starts[taps] = Expr(j), one[taps] = Expr(1);
    Value view = op.b.squeeze(op.b.slice(value, starts, Ints(apart.size(), 1), one), {taps});
    view = padded(op.b.transpose(view, perm), Expr(j), Expr(overlaps - 1 - j));
    sum = sum ? op.b.binary(BinaryKind::Add, sum, view) : view;
  }
  Exprs joined = op.b.shape(sum);
  joined.erase(joined.begin() + taps);
  joined[taps] = joined[taps] * (blocks.places[i] + Expr(overlaps - 1));
  const Expr low(blocks.pads[i]);
  return padded(op.b.reshape(sum, joined), Expr(0) - low,
                simplify(blocks.image[i] + low - joined[taps], op.b.ranges()));
}

/// How many taps a pixel looks for along a dimension.
Expr termsOf(const Blocks &blocks, size_t i) { return overlapsOf(blocks, i).value_or(blocks.sizes[i]); }

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
    taps[dims + i] = termsOf(blocks, i);
    Value t = op.b.iota(taps, static_cast<int64_t>(dims + i)), stride = op.b.integer(blocks.strides[i]);
    Value begin = binary(BinaryKind::Add, op.b.iota(pixels, static_cast<int64_t>(i)), op.b.integer(blocks.pads[i]));
    if (overlapsOf(blocks, i))
      t = binary(BinaryKind::Add, binary(BinaryKind::Mul, t, stride), binary(BinaryKind::Mod, begin, stride));
    const Value isTap = binary(BinaryKind::Less, t, op.b.integer(blocks.sizes[i]));
    begin = binary(BinaryKind::Sub, begin, binary(BinaryKind::Mul, t, op.b.integer(blocks.dilations[i])));
    Value rest = binary(BinaryKind::Mod, begin, stride), at = binary(BinaryKind::Div, begin, stride);
    Value here = binary(BinaryKind::And, binary(BinaryKind::Equal, rest, op.b.integer(0)),
                        binary(BinaryKind::And, binary(BinaryKind::LessEqual, op.b.integer(0), begin),
                               binary(BinaryKind::Less, at, op.b.integer(blocks.places[i]))));
    here = binary(BinaryKind::And, here, isTap);
    tap = tap ? binary(BinaryKind::Add, binary(BinaryKind::Mul, tap, op.b.integer(blocks.sizes[i])), t) : t;
    block = block ? binary(BinaryKind::Add, binary(BinaryKind::Mul, block, op.b.integer(blocks.places[i])), at) : at;
    exists = exists ? binary(BinaryKind::And, exists, here) : here;
  }
  Value count = op.b.integer(graph::product(blocks.places));
  Value index = binary(BinaryKind::Add, binary(BinaryKind::Mul, tap, count), block);
  return {op.b.select(exists, index, op.b.integer(0)), exists};
}

/// [N, C, image..] of the input, which is [N, C, block.., places..]; `planes`: N, C. Halves are added as floats.
Value sumOfViews(OpBinder &op, const Blocks &blocks, Exprs planes) {
  llvm::append_range(planes, blocks.sizes);
  llvm::append_range(planes, blocks.places);
  const Type element = op.b.element(op.value(0, "input"));
  Value value = op.b.cast(op.b.reshape(op.value(0, "input"), planes), graph::momentType(element));
  for (size_t i = 0; i < blocks.dims(); ++i)
    value = addOverlaps(op, value, blocks, i);
  return op.b.cast(value, element);
}

/// [N, C, pixels, 1] of the input, which is [N, C, elements].
Value sumOfTaps(OpBinder &op, const Blocks &blocks, const Exprs &columns) {
  const Source source = sourceOf(op, blocks);
  Exprs terms;
  for (size_t i = 0; i < blocks.dims(); ++i)
    terms.push_back(termsOf(blocks, i));
  const Exprs each{graph::product(blocks.image), graph::product(terms)};
  Value found = op.b.gather(op.b.reshape(op.value(0, "input"), columns), op.b.reshape(source.index, each), 2, 0,
                            /*isInRange=*/true);
  Value exists = op.b.reshape(source.exists, each);
  return op.b.reduce(ReduceKind::Sum, op.b.select(exists, found, op.b.scalar(0, op.b.element(found))), {3});
}

} // namespace

void importCol2Im(OpBinder &op) {
  if (op.element(0, "input").isInteger(1))
    op.unsupported("input 0 (input) has elements of bool, supported are numbers");
  const Exprs shape = op.shape(0, "input");
  if (shape.size() != 3)
    op.bad("input 0 (input) has the shape " + shapeText(shape) + ", expected rank 3");
  const Blocks blocks = readBlocks(op);
  const Expr taps = graph::product(blocks.sizes);
  const Expr planes = simplify(floorDiv(shape[1], taps), op.b.ranges());
  if (proveEqual(planes * taps, shape[1], op.b.ranges()) == false)
    op.bad("input 0 (input) has " + shape[1].text() + " channels, expected a multiple of the " + taps.text() +
           " elements of a block");
  op.b.sameExtent(planes * taps, shape[1], "the channels of whole blocks and of input");
  const Expr count =
      op.b.sameExtent(shape[2], graph::product(blocks.places), "the last extent and the number of blocks");
  Exprs result = {shape[0], planes};
  llvm::append_range(result, blocks.image);
  Value sum = areFewViews(blocks) ? sumOfViews(op, blocks, {shape[0], planes})
                                  : sumOfTaps(op, blocks, {shape[0], planes, taps * count});
  op.result(op.b.reshape(sum, result));
}

} // namespace cupola::onnx_import

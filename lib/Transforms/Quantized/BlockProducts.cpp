//===- lib/Transforms/Quantized/BlockProducts.cpp - the pass `graph-block-products` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/Parallel.h"
#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/PackedWeights.h"
#include "lib/Transforms/Quantized/ScaledWeights.h"

#include <algorithm>
#include <array>
#include <map>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_BLOCKPRODUCTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// Half of what a byte and four bits hold is added to weights, so that they have no sign.
constexpr int64_t middleOfByte = 128, middleOfNibble = 8;
/// Rows of a matrix whose numbers of four bits are half as many bytes.
constexpr int64_t nibbleRows = 8;

/// A matrix as bytes in blocks of a row, and the sums of these.
struct Rows {
  Value bytes, scales, sums;
};

/// [depth, columns], each more by `middle`.
struct Integers {
  Value bytes;
  int64_t middle;
};

class BlockProducts : public impl::BlockProductsBase<BlockProducts> {
public:
  using BlockProductsBase::BlockProductsBase;

  void runOnOperation() override {
    const bool changed = match::rewriteBodies(getOperation(), [this](Block &body) {
      bool here = false;
      known.clear();
      for (auto product : llvm::make_early_inc_range(body.getOps<graph::MatMulOp>()))
        here |= replace(product);
      return here;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  bool replace(graph::MatMulOp product) {
    const std::optional<int> most = mostRounded(product);
    if (!most || graph::rankOf(product.getResult()) != 2)
      return false;
    OpBuilder b(product);
    const std::optional<ScaledWeights> weights = scaledWeights(b, product.getRhs(), *most, threads);
    const int64_t block = weights ? weights->blockOfBytes() : 0;
    if (block == 0)
      return false;
    const Location loc = match::locationOf(b, product, {product.getLhs()});
    const Rows rows = rowsOf(b, product.getLoc(), product.getLhs(), block);
    const Integers integers = integersOf(b, loc, *weights);
    Value start = graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, rows.sums,
                                          match::splat(b, loc, -integers.middle, graph::typeOf(rows.sums)));
    Value result = graph::BlockMatMulOp::create(b, loc, rows.bytes, integers.bytes, start, rows.scales,
                                                scalesOf(b, loc, *weights, block));
    result = match::castTo(b, loc, result, graph::elementOf(product.getResult()));
    product.getResult().replaceAllUsesWith(result);
    product.erase();
    return true;
  }

  /// Once for all products that read the matrix.
  const Rows &rowsOf(OpBuilder &b, Location loc, Value matrix, int64_t block) {
    const auto [found, isNew] = known.try_emplace({matrix.getAsOpaquePointer(), block});
    if (isNew)
      found->second = rounded(b, loc, matrix, block);
    return found->second;
  }

  /// The largest magnitudes of blocks [rows, blocks, size] by 127. Compared as integers, which their bits are in the
  /// same order, NaN behind all others.
  static Value scalesOfRows(OpBuilder &b, Location loc, Value numbers) {
    const auto typeOf = [&](Value like, Type element) { return graph::tensorType(graph::shapeOf(like), element); };
    Value value = match::unary(b, loc, graph::UnaryKind::Abs, numbers);
    value = graph::BitcastOp::create(b, loc, typeOf(value, b.getI32Type()), value);
    value = graph::ReduceOp::create(b, loc, graph::ReduceKind::Max, value, ArrayRef<int64_t>{2});
    value = graph::BitcastOp::create(b, loc, typeOf(value, b.getF32Type()), value);
    const Value largest = match::splat(b, loc, 127, graph::typeOf(value));
    return graph::BinaryOp::create(b, loc, graph::BinaryKind::Div, value, largest);
  }

  static Rows rounded(OpBuilder &b, Location loc, Value matrix, int64_t block) {
    const graph::Exprs shape = graph::shapeOf(matrix);
    const Expr blocks = floorDiv(shape[1], block);
    const auto binary = [&](graph::BinaryKind kind, Value lhs, Value rhs) {
      return graph::BinaryOp::create(b, loc, kind, lhs, rhs).getResult();
    };
    Value numbers = match::reshapeTo(b, loc, match::castTo(b, loc, matrix, b.getF32Type()), {shape[0], blocks, block});
    const Value scales = scalesOfRows(b, loc, numbers);
    const RankedTensorType type = graph::typeOf(numbers);
    const Value one = match::splat(b, loc, 1, graph::typeOf(scales));
    const Value inverse = binary(graph::BinaryKind::Div, one, scales); // one division for a block
    numbers = binary(graph::BinaryKind::Mul, numbers, graph::BroadcastOp::create(b, loc, type, inverse));
    // A float of this size has a unit in its last place: the sum rounds, halves to even, and ends with the byte.
    numbers = binary(graph::BinaryKind::Add, numbers, match::splat(b, loc, 3 << 22, type));
    const Value bits =
        graph::BitcastOp::create(b, loc, graph::tensorType(graph::shapeOf(type), b.getI32Type()), numbers);
    const Value bytes = match::castTo(b, loc, bits, b.getI8Type());
    const Value sums = graph::ReduceOp::create(b, loc, graph::ReduceKind::Sum,
                                               match::castTo(b, loc, bytes, b.getI32Type()), ArrayRef<int64_t>{2});
    const graph::Exprs ofBlocks = {shape[0], blocks};
    return {match::reshapeTo(b, loc, bytes, shape), match::reshapeTo(b, loc, scales, ofBlocks),
            match::reshapeTo(b, loc, sums, ofBlocks)};
  }

  /// A part of the integers less sign, row by row of the depth.
  struct Tile {
    static constexpr int64_t mostRows = 64, mostColumns = 128;
    std::array<std::array<uint8_t, mostColumns>, mostRows> bytes;
    int64_t row, column, rows, columns;
  };

  /// Calls visit(tile) with parts that begin at a multiple of Tile::mostRows. They are turned in the cache: neighbours
  /// along the depth are read together, and those along columns written.
  void forTiles(const ScaledWeights &weights, int64_t middle, function_ref<void(const Tile &)> visit) const {
    parallelFor((weights.columns + Tile::mostColumns - 1) / Tile::mostColumns, threads, [&](size_t strip) {
      Tile tile;
      tile.column = static_cast<int64_t>(strip) * Tile::mostColumns;
      tile.columns = std::min(Tile::mostColumns, weights.columns - tile.column);
      for (tile.row = 0; tile.row < weights.depth; tile.row += Tile::mostRows) {
        tile.rows = std::min(Tile::mostRows, weights.depth - tile.row);
        for (int64_t n = 0; n < tile.columns; ++n) {
          std::array<int16_t, Tile::mostRows> integers;
          weights.integers.read((tile.column + n) * weights.depth + tile.row, tile.rows, integers.data());
          for (int64_t k = 0; k < tile.rows; ++k)
            tile.bytes[k][n] = static_cast<uint8_t>(integers[k] + middle);
        }
        visit(tile);
      }
    });
  }

  /// Two of a byte where four bits hold them.
  Integers integersOf(OpBuilder &b, Location loc, const ScaledWeights &weights) const {
    const bool areNibbles = weights.integers.least() >= -middleOfNibble &&
                            weights.integers.largest() < middleOfNibble && weights.depth % nibbleRows == 0 &&
                            weights.integers.count() >= 2 * leastPackedBytes;
    return areNibbles ? Integers{packedOf(b, loc, weights), middleOfNibble}
                      : Integers{bytesOf(b, loc, weights), middleOfByte};
  }

  /// ui8 [depth / 8, 4, columns]: of eight rows the first four in the low bits, the others in the high ones.
  Value packedOf(OpBuilder &b, Location loc, const ScaledWeights &weights) const {
    constexpr int64_t half = nibbleRows / 2;
    const Type byte = b.getIntegerType(8, /*isSigned=*/false);
    const auto stored = RankedTensorType::get({weights.depth / nibbleRows, 1, half, weights.columns}, byte);
    const auto constant = filledConstant(stored, [&](char *to) {
      forTiles(weights, middleOfNibble, [&](const Tile &tile) {
        for (int64_t k = 0; k < tile.rows; k += k % nibbleRows == half - 1 ? half + 1 : 1) {
          char *row = to + ((tile.row + k) / nibbleRows * half + k % half) * weights.columns + tile.column;
          for (int64_t n = 0; n < tile.columns; ++n)
            row[n] = static_cast<char>(tile.bytes[k][n] | tile.bytes[k + half][n] << 4);
        }
      });
    });
    Value packed = graph::ConstantOp::create(b, loc, constant);
    return match::reshapeTo(b, loc, nibblesOf(b, loc, packed, /*axis=*/1), {weights.depth, weights.columns});
  }

  Value bytesOf(OpBuilder &b, Location loc, const ScaledWeights &weights) const {
    const Type byte = b.getIntegerType(8, /*isSigned=*/false);
    const auto type = RankedTensorType::get({weights.depth, weights.columns}, byte);
    const auto constant = filledConstant(type, [&](char *to) {
      forTiles(weights, middleOfByte, [&](const Tile &tile) {
        for (int64_t k = 0; k < tile.rows; ++k)
          std::copy_n(tile.bytes[k].begin(), tile.columns, to + (tile.row + k) * weights.columns + tile.column);
      });
    });
    return graph::ConstantOp::create(b, loc, constant);
  }

  static Value scalesOf(OpBuilder &b, Location loc, const ScaledWeights &weights, int64_t block) {
    const int64_t blocks = weights.depth / block;
    std::vector<float> scales(blocks * weights.columns);
    for (int64_t n = 0; n < weights.columns; ++n)
      for (int64_t i = 0; i < blocks; ++i)
        scales[i * weights.columns + n] = weights.scaleAt(n, i * block);
    const auto type = RankedTensorType::get({blocks, weights.columns}, b.getF32Type());
    return graph::ConstantOp::create(b, loc, constantOf(type, std::move(scales)));
  }

  std::map<std::pair<const void *, int64_t>, Rows> known; ///< looked up alone, in no order
};

} // namespace
} // namespace cupola

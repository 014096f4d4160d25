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

/// How integers less sign are stored: `middle` more, less what their block begins at.
struct Storage {
  bool areNibbles = false;
  int64_t middle = middleOfByte;
  std::vector<int16_t> offsets; ///< [columns, blocks]; empty: 0
  int64_t block = 1;            ///< of an offset

  /// Of the integer at `index` of [columns, depth].
  uint8_t byteOf(int16_t integer, int64_t index) const {
    return static_cast<uint8_t>(integer + middle - (offsets.empty() ? 0 : offsets[index / block]));
  }
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
    const int64_t block = weights ? weights->blockOfBytes(threads) : 0;
    if (block == 0)
      return false;
    const Location loc = match::locationOf(b, product, {product.getLhs()});
    const Rows rows = rowsOf(b, product.getLoc(), product.getLhs(), block);
    const Storage storage = storageOf(*weights, block);
    const Value integers =
        storage.areNibbles ? packedOf(b, loc, *weights, storage) : bytesOf(b, loc, *weights, storage);
    Value start = graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul, rows.sums,
                                          match::splat(b, loc, -storage.middle, graph::typeOf(rows.sums)));
    const std::vector<float> scales = weights->scalesOf(block);
    Value result = graph::BlockMatMulOp::create(b, loc, rows.bytes, integers, start, rows.scales,
                                                turned(b, loc, weights->columns, scales));
    if (!storage.offsets.empty())
      result = graph::BinaryOp::create(b, loc, graph::BinaryKind::Add, result,
                                       shareOfOffsets(b, loc, rows, storage, weights->columns, scales));
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
  void forTiles(const ScaledWeights &weights, const Storage &storage, function_ref<void(const Tile &)> visit) const {
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
            tile.bytes[k][n] = storage.byteOf(integers[k], ((tile.column + n) * weights.depth + tile.row + k));
        }
        visit(tile);
      }
    });
  }

  /// Two of a byte where four bits hold what the integers of a block are more than its least.
  Storage storageOf(const ScaledWeights &weights, int64_t block) const {
    const ConstantIntegers &integers = weights.integers;
    Storage storage;
    std::optional<std::vector<int16_t>> offsets;
    if (weights.depth % nibbleRows == 0 && integers.count() >= 2 * leastPackedBytes)
      offsets = integers.offsetsOf(block, levelsOfNibble, threads);
    storage.areNibbles = offsets.has_value();
    storage.middle = storage.areNibbles ? middleOfNibble : middleOfByte;
    if (integers.least() >= -storage.middle && integers.largest() < storage.middle)
      return storage;
    if (!offsets)
      offsets = integers.offsetsOf(block, levelsOfByte, threads); // which there are, or there were no block
    if (offsets->size() == 1) {
      storage.middle = -offsets->front();
      return storage;
    }
    for (int16_t &offset : *offsets) // less the middle, the sums are small, and so is what is lost to rounding
      offset = static_cast<int16_t>(offset + storage.middle);
    storage.offsets = std::move(*offsets);
    storage.block = block;
    return storage;
  }

  /// ui8 [depth / 8, 4, columns]: of eight rows the first four in the low bits, the others in the high ones.
  Value packedOf(OpBuilder &b, Location loc, const ScaledWeights &weights, const Storage &storage) const {
    constexpr int64_t half = nibbleRows / 2;
    const Type byte = b.getIntegerType(8, /*isSigned=*/false);
    const auto stored = RankedTensorType::get({weights.depth / nibbleRows, 1, half, weights.columns}, byte);
    const auto constant = filledConstant(stored, [&](char *to) {
      forTiles(weights, storage, [&](const Tile &tile) {
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

  Value bytesOf(OpBuilder &b, Location loc, const ScaledWeights &weights, const Storage &storage) const {
    const Type byte = b.getIntegerType(8, /*isSigned=*/false);
    const auto type = RankedTensorType::get({weights.depth, weights.columns}, byte);
    const auto constant = filledConstant(type, [&](char *to) {
      forTiles(weights, storage, [&](const Tile &tile) {
        for (int64_t k = 0; k < tile.rows; ++k)
          std::copy_n(tile.bytes[k].begin(), tile.columns, to + (tile.row + k) * weights.columns + tile.column);
      });
    });
    return graph::ConstantOp::create(b, loc, constant);
  }

  /// [blocks, columns] of numbers [columns, blocks].
  static Value turned(OpBuilder &b, Location loc, int64_t columns, ArrayRef<float> numbers) {
    const int64_t blocks = static_cast<int64_t>(numbers.size()) / columns;
    std::vector<float> rows(numbers.size());
    for (int64_t n = 0; n < columns; ++n)
      for (int64_t i = 0; i < blocks; ++i)
        rows[i * columns + n] = numbers[n * blocks + i];
    const auto type = RankedTensorType::get({blocks, columns}, b.getF32Type());
    return graph::ConstantOp::create(b, loc, constantOf(type, std::move(rows)));
  }

  /// The offsets' share of a product: what they are times the sum of a block's row, both scaled.
  static Value shareOfOffsets(OpBuilder &b, Location loc, const Rows &rows, const Storage &storage, int64_t columns,
                              std::vector<float> scales) {
    for (size_t i = 0; i < scales.size(); ++i)
      scales[i] *= storage.offsets[i];
    const Value sums = graph::BinaryOp::create(b, loc, graph::BinaryKind::Mul,
                                               match::castTo(b, loc, rows.sums, b.getF32Type()), rows.scales);
    return graph::MatMulOp::create(b, loc, sums, turned(b, loc, columns, scales), /*tf32=*/nullptr,
                                   /*int8_rows=*/nullptr);
  }

  std::map<std::pair<const void *, int64_t>, Rows> known; ///< looked up alone, in no order
};

} // namespace
} // namespace cupola

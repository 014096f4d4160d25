//===- lib/Transforms/Quantized/PackWeights.cpp - the pass `graph-pack-weights` ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Constants.h"
#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/Quantized/PackedWeights.h"
#include "lib/Transforms/Quantized/QuantizedProducts.h"
#include "lib/Transforms/Quantized/ScaledWeights.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// Depths that lie in as many bytes as half of them: the first half in the low bits, the other in the high ones. So
/// neighbours along the depth are neighbours in memory.
constexpr int64_t unit = 32;

/// Where the product reads the matrix [K, N] that all of its batches share; null where they do not share one, or where
/// something else reads it, too.
OpOperand *matrixOf(graph::MatMulOp product) {
  const graph::Exprs sizes = graph::shapeOf(product.getRhs());
  for (OpOperand *use = &product.getRhsMutable(); use->get().hasOneUse();) {
    if (graph::rankOf(use->get()) == 2)
      return llvm::equal(graph::shapeOf(use->get()), ArrayRef(sizes).take_back(2)) ? use : nullptr;
    Operation *op = use->get().getDefiningOp();
    if (!isa_and_nonnull<graph::ReshapeOp, graph::BroadcastOp>(op))
      return nullptr;
    use = &op->getOpOperand(0);
  }
  return nullptr;
}

/// The largest block along the depth, up to all of it, in which no scale changes; 0: there is none.
int64_t blockOf(const ScaledWeights &weights) {
  for (int64_t block : {weights.depth, int64_t(256), int64_t(128), int64_t(64), int64_t(32), int64_t(16)})
    if (weights.hasBlocks(block))
      return block;
  return 0;
}

template <class T>
Value constant(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, Type element, std::vector<T> elements) {
  return graph::ConstantOp::create(b, loc, constantOf(RankedTensorType::get(shape, element), std::move(elements)));
}

class PackWeights : public impl::PackWeightsBase<PackWeights> {
public:
  using PackWeightsBase::PackWeightsBase;

  void runOnOperation() override {
    const bool changed = match::rewriteBodies(getOperation(), [this](Block &body) {
      bool here = false;
      for (auto product : llvm::make_early_inc_range(body.getOps<graph::MatMulOp>()))
        here |= pack(product);
      return here;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  bool pack(graph::MatMulOp product) const {
    OpOperand *use = matrixOf(product);
    if (!use || !isa<FloatType>(graph::elementOf(use->get())) || !isMadeOfBytes(use->get()) ||
        quantizedProduct(product))
      return false;
    const int64_t depth = *graph::extentOf(use->get(), 0).constant(),
                  columns = *graph::extentOf(use->get(), 1).constant();
    if (depth % unit != 0 || depth * columns < 2 * leastPackedBytes)
      return false;
    OpBuilder b(use->getOwner());
    const std::optional<ScaledWeights> weights = scaledWeights(b, use->get(), mostOfByte, threads);
    const int64_t block = weights ? blockOf(*weights) : 0;
    const auto offsets = block ? weights->integers.offsetsOf(block, levelsOfNibble, threads) : std::nullopt;
    if (!offsets || !llvm::all_of(*offsets, llvm::isInt<8>))
      return false;
    const bool areBytes = roundedToBytes && offsets->size() == 1 && isRounded(product, *weights);
    use->assign(areBytes
                    ? written(b, use->get(), *weights, block, bytes(b, use->get(), *weights), {0})
                    : written(b, use->get(), *weights, block, nibbles(b, use->get(), *weights, *offsets), *offsets));
    return true;
  }

  /// Bytes of the product's rows will meet these integers as bytes.
  bool isRounded(graph::MatMulOp product, const ScaledWeights &weights) const {
    const int64_t most = std::min(mostRounded(product).value_or(-1), 127);
    return weights.integers.least() >= -most && weights.integers.largest() <= most &&
           weights.blockOfBytes(threads) != 0;
  }

  static Location locationOf(OpBuilder &b, Value rhs) { return match::locationOf(b, rhs.getDefiningOp(), /*stop=*/{}); }

  /// The ops that make weights of integers less their offsets.
  static Value written(OpBuilder &b, Value rhs, const ScaledWeights &weights, int64_t block, Value integers,
                       ArrayRef<int16_t> offsets) {
    const Location loc = locationOf(b, rhs);
    const int64_t blocks = weights.depth / block;
    const auto type = [&](ArrayRef<int64_t> shape, Type element) { return RankedTensorType::get(shape, element); };
    const auto blockType = type({weights.columns, blocks, block}, weights.element);
    const auto binary = [&](graph::BinaryKind kind, Value lhs, Value rhs) {
      return graph::BinaryOp::create(b, loc, kind, lhs, rhs).getResult();
    };
    const auto repeated = [&](Value value) { return graph::BroadcastOp::create(b, loc, blockType, value).getResult(); };
    Value value = match::castTo(b, loc, integers, weights.element);
    value = match::reshapeTo(b, loc, value, graph::shapeOf(blockType));
    if (offsets.size() == 1 && offsets[0] != 0) {
      value = binary(graph::BinaryKind::Add, value, match::splat(b, loc, offsets[0], blockType));
    } else if (offsets.size() > 1) {
      Value each = constant(b, loc, {weights.columns, blocks, 1}, b.getI8Type(),
                            std::vector<int8_t>(offsets.begin(), offsets.end()));
      value = binary(graph::BinaryKind::Add, value, repeated(match::castTo(b, loc, each, weights.element)));
    }
    Value scale = scalesOf(b, loc, {weights.columns, blocks, 1}, weights.scalesOf(block));
    value = binary(graph::BinaryKind::Mul, value, repeated(match::castTo(b, loc, scale, weights.element)));
    value = match::castTo(b, loc, value, graph::elementOf(rhs));
    value = match::reshapeTo(b, loc, value, {weights.columns, weights.depth});
    return graph::TransposeOp::create(b, loc, value, ArrayRef<int64_t>{1, 0});
  }

  /// As halves where they are some: models in half precision multiply in f32.
  static Value scalesOf(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, ArrayRef<float> scales) {
    std::vector<uint16_t> halves;
    bool areHalves = true;
    for (size_t i = 0; i < scales.size() && areHalves; ++i) {
      APFloat half(scales[i]);
      bool lost = false;
      half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
      halves.push_back(static_cast<uint16_t>(half.bitcastToAPInt().getZExtValue()));
      areHalves = !lost;
    }
    return areHalves ? constant(b, loc, shape, b.getF16Type(), std::move(halves))
                     : constant(b, loc, shape, b.getF32Type(), scales.vec());
  }

  /// i8 [columns, depth]
  Value bytes(OpBuilder &b, Value rhs, const ScaledWeights &weights) const {
    const auto type = RankedTensorType::get({weights.columns, weights.depth}, b.getI8Type());
    return filled(b, rhs, type, [&](char *to) {
      weights.integers.forPieces(threads, [&](int64_t first, ArrayRef<int16_t> integers) {
        std::copy(integers.begin(), integers.end(), reinterpret_cast<int8_t *>(to) + first);
      });
    });
  }

  /// ui8 [columns, units, 2, unit / 2] of what the integers are more than their offsets.
  Value nibbles(OpBuilder &b, Value rhs, const ScaledWeights &weights, ArrayRef<int16_t> offsets) const {
    static_assert(ConstantIntegers::piece % unit == 0);
    constexpr int64_t half = unit / 2; // divides every block
    const int64_t perOffset = weights.integers.count() / static_cast<int64_t>(offsets.size());
    const auto stored = RankedTensorType::get({weights.columns, weights.depth / unit, 1, half},
                                              b.getIntegerType(8, /*isSigned=*/false));
    Value packed = filled(b, rhs, stored, [&](char *to) {
      weights.integers.forPieces(threads, [&](int64_t first, ArrayRef<int16_t> integers) {
        for (int64_t i = 0; i < static_cast<int64_t>(integers.size()); i += unit) {
          const int16_t low = offsets[(first + i) / perOffset], high = offsets[(first + i + half) / perOffset];
          for (int64_t k = i; k < i + half; ++k)
            to[(first + i) / 2 + k - i] = static_cast<char>((integers[k] - low) | (integers[k + half] - high) << 4);
        }
      });
    });
    return nibblesOf(b, locationOf(b, rhs), packed, /*axis=*/2);
  }

  static Value filled(OpBuilder &b, Value rhs, RankedTensorType type, function_ref<void(char *)> fill) {
    return graph::ConstantOp::create(b, locationOf(b, rhs), filledConstant(type, fill));
  }
};

} // namespace
} // namespace cupola

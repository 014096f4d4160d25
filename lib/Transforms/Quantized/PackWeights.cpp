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
/// Numbers of four bits.
constexpr int64_t levels = 16;

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

/// The least integer of every block, if four bits hold what the others are more; one for all where that is enough.
std::optional<std::vector<int16_t>> offsetsOf(const ScaledWeights &weights, int64_t block) {
  const auto whole = static_cast<int64_t>(weights.integers.size());
  for (int64_t size : {whole, block}) {
    std::vector<int16_t> offsets;
    bool fits = true;
    for (int64_t at = 0; at < whole && fits; at += size) {
      const auto [low, high] = std::minmax_element(weights.integers.begin() + at, weights.integers.begin() + at + size);
      fits = *high - *low < levels && *low >= -128 && *low <= 127;
      offsets.push_back(*low);
    }
    if (fits)
      return offsets;
  }
  return std::nullopt;
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
    const auto offsets = block ? offsetsOf(*weights, block) : std::nullopt;
    if (!offsets)
      return false;
    const bool areBytes = roundedToBytes && isRounded(product, *weights);
    use->assign(areBytes
                    ? written(b, use->get(), *weights, block, bytes(b, use->get(), *weights), {0})
                    : written(b, use->get(), *weights, block, nibbles(b, use->get(), *weights, *offsets), *offsets));
    return true;
  }

  /// Bytes of the product's rows will meet these integers as bytes.
  static bool isRounded(graph::MatMulOp product, const ScaledWeights &weights) {
    const std::optional<int> most = mostRounded(product);
    return most && llvm::all_of(weights.integers, [&](int16_t number) { return std::abs(number) <= *most; }) &&
           weights.blockOfBytes() != 0;
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
    std::vector<float> scales;
    for (size_t i = 0; i < weights.scales.size(); i += block)
      scales.push_back(weights.scales[i]);
    Value scale = scalesOf(b, loc, {weights.columns, blocks, 1}, scales);
    value = binary(graph::BinaryKind::Mul, value, repeated(match::castTo(b, loc, scale, weights.element)));
    value = match::castTo(b, loc, value, graph::elementOf(rhs));
    value = match::reshapeTo(b, loc, value, {weights.columns, weights.depth});
    return graph::TransposeOp::create(b, loc, value, ArrayRef<int64_t>{1, 0});
  }

  /// As halves where they are some: models in half precision multiply in f32.
  static Value scalesOf(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, ArrayRef<float> scales) {
    std::vector<uint16_t> halves;
    bool areHalves = true;
    for (float scale : scales) {
      APFloat half(scale);
      bool lost = false;
      half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
      halves.push_back(static_cast<uint16_t>(half.bitcastToAPInt().getZExtValue()));
      areHalves &= !lost;
    }
    return areHalves ? constant(b, loc, shape, b.getF16Type(), std::move(halves))
                     : constant(b, loc, shape, b.getF32Type(), scales.vec());
  }

  /// i8 [columns, depth]
  static Value bytes(OpBuilder &b, Value rhs, const ScaledWeights &weights) {
    return constant(b, locationOf(b, rhs), {weights.columns, weights.depth}, b.getI8Type(),
                    std::vector<int8_t>(weights.integers.begin(), weights.integers.end()));
  }

  /// ui8 [columns, units, 2, unit / 2] of what the integers are more than their offsets.
  static Value nibbles(OpBuilder &b, Value rhs, const ScaledWeights &weights, ArrayRef<int16_t> offsets) {
    const Location loc = locationOf(b, rhs);
    const auto whole = static_cast<int64_t>(weights.integers.size());
    const int64_t perOffset = whole / static_cast<int64_t>(offsets.size()), half = unit / 2;
    std::vector<uint8_t> bytes(whole / 2);
    for (int64_t first = 0; first < whole; first += perOffset)
      for (int64_t i = first; i < first + perOffset; ++i) {
        const int more = weights.integers[i] - offsets[first / perOffset];
        bytes[i / unit * half + i % half] |= static_cast<uint8_t>(more << (i % unit < half ? 0 : 4));
      }
    const Type byte = b.getIntegerType(8, /*isSigned=*/false);
    Value packed = constant(b, loc, {weights.columns, weights.depth / unit, 1, half}, byte, std::move(bytes));
    return nibblesOf(b, loc, packed, /*axis=*/2);
  }
};

} // namespace
} // namespace cupola

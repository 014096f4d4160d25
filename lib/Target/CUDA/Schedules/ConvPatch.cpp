//===- lib/Target/CUDA/Schedules/ConvPatch.cpp - a convolution of few channels, from patches of its image ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/ProductLowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

#include <numeric>

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

/// Places of a row of the result that a tile has, as many as an mma has rows; the depth of an mma.
static constexpr int64_t places = 16, mmaK = 16;
static constexpr int64_t warps = 4, buffers = 2;

namespace {

/// Extents of a patch in shared memory, the first one in elements along a row: pairs behind the last run, too.
SmallVector<int64_t> extentsOf(const cuda::ImagePatch &patch, int64_t rows) {
  SmallVector<int64_t> extents;
  for (auto [i, axis] : llvm::enumerate(patch.axes))
    extents.push_back(i == 0 ? axis.step * (places - 1) + 2 * patch.pairsOfRun()
                             : axis.step * ((i == patch.rows ? rows : 1) - 1) + axis.taps);
  return extents;
}

int64_t productOf(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<int64_t>());
}

/// A block keeps the weights and goes through neighbouring tiles: while it multiplies one, the patch of the next is
/// under way. Left fragments are read from the patch pair by pair, as an element of it belongs to many of them.
class Patches : public cuda::ProductLowering {
public:
  Patches(kernel::FuncOp func, cuda::ConvPatchAttr schedule, const cuda::ImagePatch &patch)
      : ProductLowering(func, {places * schedule.getRows(), schedule.getColumns(), patch.steps() * mmaK, 1},
                        schedule.getThreads()),
        patch(patch), rows(schedule.getRows()), tilesM(rows / warps), tilesN(schedule.getColumns() / 8),
        ofBlock(schedule.getTiles()), inShared(extentsOf(patch, rows)), tilesX(ceilDiv(patch.width, places)),
        tilesY(ceilDiv(patch.height, rows)), all(patch.images * tilesX * tilesY) {}

  LogicalResult run() {
    const Expr columns = ceilDiv(extents[1], tileN), groups = ceilDiv(all, ofBlock);
    low.launch(threads, graph::product(low.grid()) * groups * columns);
    const Expr b = low.block();
    return low.guardBlocks([&] {
      atN = low.let("tn", mod(b, columns), columns);
      group = low.let("group", mod(floorDiv(b, columns), groups), groups);
      low.bindGrid(simplify(floorDiv(b, columns * groups), low.vars.ranges()));
      letThreads();
      allocate();
      bringWeights();
      return tiles();
    });
  }

private:
  Location loc() { return low.func.getLoc(); }

  void letThreads() override {
    warp = low.let("warp", floorDiv(low.thread(), 32), warps);
    lane = low.let("lane", mod(low.thread(), 32), 32);
  }

  void allocate() {
    const Type element = patch.load.getType();
    image = low.smem(buffers * sizeOfBuffer(), element);
    weights = low.smem(tileK * tileN, element, tileN * graph::byteSize(element));
  }

  /// Where a tile of the result begins, if it exists, and the buffer of its patch.
  struct Tile {
    Expr x, y, image, exists, buffer;
  };
  /// Tile `i` of the block.
  Tile tileOf(const Expr &i, const Expr &buffer) {
    const Expr tile = group * ofBlock + i;
    auto let = [&](StringRef name, const Expr &value, const Expr &extent) {
      return low.let(name, simplify(value, low.vars.ranges()), extent);
    };
    return {let("x", mod(tile, tilesX) * places, tilesX * places - places + 1),
            let("y", mod(floorDiv(tile, tilesX), tilesY) * rows, tilesY * rows - rows + 1),
            let("image", floorDiv(tile, tilesX * tilesY), patch.images), trips - 1 - i, buffer};
  }

  /// The loop over the block's tiles.
  LogicalResult tiles() {
    trips = simplify(min(ofBlock, all - group * ofBlock), low.vars.ranges());
    bringRows(tileOf(0, 0), 0, rounds());
    AsyncCommitOp::create(low.builder, loc());
    Expr bound = trips;
    SmallVector<Value> indices = low.vars.write(bound);
    auto loop = simt::ForOp::create(low.builder, loc(), Expr(0), bound, Expr(1), indices, /*unroll=*/false, buffers,
                                    ArrayRef<int64_t>{0, 1});
    OpBuilder::InsertionGuard saved(low.builder);
    Block &block = loop.getBody().emplaceBlock();
    SmallVector<Expr> counters;
    for (StringRef name : {"i", "s", "next"})
      counters.push_back(low.vars.of(block.addArgument(low.builder.getIndexType(), cuda::namedLoc(loc(), name))));
    low.builder.setInsertionPointToEnd(&block);
    AsyncWaitOp::create(low.builder, loc(), 0);
    BarrierOp::create(low.builder, loc());
    own = tileOf(counters[0], counters[1]);
    next = tileOf(counters[0] + 1, counters[2]);
    return ops();
  }

  //===--- What is copied ---===//

  /// The weights in the order of the patch's runs, zeros between them.
  void bringWeights() {
    cuda::Operand b = rhs();
    copies.vectors.plan(b, /*mostWidth=*/8);
    LoadOp load = copies.vectors.vectorLoad(b);
    (void)low.loop("v", 0, tileK * tileN / (threads * b.width), 1, /*unroll=*/false, [&](const Expr &v) {
      const Expr flat = v * threads + low.thread(), vectors = tileN / b.width;
      const Expr row = low.let("row", floorDiv(flat, vectors), tileK), column = mod(flat, vectors) * b.width;
      const Expr run = floorDiv(row, 2 * patch.pairsOfRun()), place = mod(row, 2 * patch.pairsOfRun()) - patch.front;
      graph::Exprs exprs = {0, row * tileN + column},
                   mask = {place, patch.axes[0].taps - 1 - place, patch.runs - 1 - run,
                           extents[1] - 1 - b.outerBase - column};
      low.bind(b.outerIndex, b.outerBase + column, extents[1]);
      low.bind(b.kIndex, inDepth(run, place), extents[2]);
      exprs[0] = low.here(low.vars.read(load.getPosition(), load.getIndices()));
      llvm::append_range(mask, low.read(load.getMask(), load.getIndices()));
      copyWeights(load, exprs, mask, b.width);
      return success();
    });
  }

  void copyWeights(LoadOp load, graph::Exprs exprs, ArrayRef<Expr> mask, int64_t width) {
    appendOpen(exprs, mask);
    SmallVector<Value> indices = low.vars.write(exprs);
    AsyncCopyOp::create(low.builder, loc(), low.values.lookup(load.getView()), weights, exprs[0], exprs[1],
                        graph::exprArray(low.func.getContext(), ArrayRef(exprs).drop_front(2)), indices,
                        width * graph::byteSize(load.getType()));
  }

  /// The conditions that may fail.
  void appendOpen(graph::Exprs &exprs, ArrayRef<Expr> mask) {
    for (const Expr &condition : mask)
      if (low.isKnown(condition) != true)
        exprs.push_back(condition);
  }

  /// Rows of shared memory, each the work of a warp, and what all warps need for them.
  int64_t rounds() const { return llvm::divideCeil(productOf(ArrayRef(inShared).drop_front()), warps); }
  int64_t sizeOfBuffer() const { return rounds() * warps * inShared[0]; }

  /// Some of a tile's rows; lanes copy pairs of elements.
  void bringRows(const Tile &tile, int64_t from, int64_t to) {
    if (from == to || low.isKnown(tile.exists) == false)
      return;
    const int64_t pairs = inShared[0] / 2;
    (void)low.loop("r", from, to, 1, /*unroll=*/true, [&](const Expr &r) {
      return low.loop("c", 0, llvm::divideCeil(pairs, 32), 1, /*unroll=*/true, [&](const Expr &c) {
        const Expr pair = c * 32 + lane;
        return low.guard({pairs - 1 - pair}, [&] { return bringPair(tile, r * warps + warp, pair); });
      });
    });
  }

  LogicalResult bringPair(const Tile &tile, const Expr &row, const Expr &pair) {
    const graph::Exprs outer = cuda::Lowering::coordinatesOf(outerExtents(), row);
    Expr position = patch.base + patch.imageStride * tile.image, count;
    graph::Exprs mask = {tile.exists};
    for (auto [i, axis] : llvm::enumerate(patch.axes)) {
      const Expr place = i == 0 ? tile.x : i == patch.rows ? tile.y : Expr(0);
      const Expr coordinate = axis.step * place + (i == 0 ? 2 * pair - patch.front : outer[i - 1]);
      position += axis.unit * coordinate;
      mask.push_back(coordinate - axis.first);
      if (i == 0)
        count = axis.end - coordinate;
      else
        mask.push_back(axis.end - 1 - coordinate);
    }
    graph::Exprs exprs = {position, tile.buffer * sizeOfBuffer() + row * inShared[0] + 2 * pair, count};
    appendOpen(exprs, mask);
    SmallVector<Value> indices = low.vars.write(exprs);
    AsyncPairOp::create(low.builder, loc(), low.values.lookup(patch.load.getView()), image, exprs[0], exprs[1],
                        exprs[2], graph::exprArray(low.func.getContext(), ArrayRef(exprs).drop_front(3)), indices);
    return success();
  }

  graph::Exprs outerExtents() const { return graph::Exprs(inShared.begin() + 1, inShared.end()); }

  /// The taps of a run, along all axes but the first.
  graph::Exprs tapsOf(const Expr &run) const {
    graph::Exprs taps;
    for (const cuda::ImageAxis &axis : ArrayRef(patch.axes).drop_front())
      taps.push_back(axis.taps);
    return cuda::Lowering::coordinatesOf(taps, run);
  }

  /// The k of an element of a run.
  Expr inDepth(const Expr &run, const Expr &place) const {
    Expr k = patch.axes[0].inDepth * place;
    for (auto [axis, tap] : llvm::zip_equal(ArrayRef(patch.axes).drop_front(), tapsOf(run)))
      k += axis.inDepth * tap;
    return k;
  }

  //===--- What is computed ---===//

  /// The fragments of a step are loaded while the one before is multiplied. Between the products of all steps the patch
  /// of the next tile is brought.
  LogicalResult product() override {
    const Type u32 = IntegerType::get(low.func.getContext(), 32, IntegerType::Unsigned);
    const int64_t steps = patch.steps();
    acc = low.registers({tilesM, tilesN, 4}, low.builder.getF32Type(), 1, /*zero=*/true);
    Value left[2], right[2];
    for (int64_t twin : {0, 1}) {
      left[twin] = low.registers({tilesM, 4}, u32);
      right[twin] = low.registers({tilesN, 2}, u32);
    }
    loadFragments(0, left[0], right[0]);
    for (int64_t k = 0; k < steps; ++k) {
      if (k + 1 < steps)
        loadFragments(k + 1, left[(k + 1) % 2], right[(k + 1) % 2]);
      MmaOp::create(low.builder, loc(), acc, left[k % 2], right[k % 2],
                    patch.load.getType().isBF16() ? MmaKind::BF16 : MmaKind::F16);
      bringRows(next, k * rounds() / steps, (k + 1) * rounds() / steps);
    }
    if (low.isKnown(next.exists) != false)
      AsyncCommitOp::create(low.builder, loc());
    return success();
  }

  void loadFragments(int64_t step, Value left, Value right) {
    for (int64_t half : {0, 1})
      loadPairs(2 * step + half, half, left);
    MmaLoadOp::create(low.builder, loc(), MmaOperand::B, weights, Expr(step * mmaK * tileN), ValueRange(), tileN,
                      right);
  }

  /// The pairs of half a step of k, which lie in one run: behind the last one there are zeros.
  void loadPairs(int64_t half, int64_t which, Value left) {
    const int64_t halves = patch.pairsOfRun() / 4, length = patch.axes[0].taps, run = half / halves;
    const Expr pair = half % halves * 4 + mod(lane, 4), first = 2 * pair - patch.front;
    const int64_t exists = patch.runs - 1 - run;
    Expr tap;
    for (auto [extent, coordinate] : llvm::zip_equal(outerExtents(), tapsOf(std::min(run, patch.runs - 1))))
      tap = tap * extent + coordinate;
    (void)low.loop("m", 0, tilesM, 1, /*unroll=*/true, [&](const Expr &m) {
      return low.loop("h", 0, 2, 1, /*unroll=*/true, [&](const Expr &h) -> LogicalResult {
        const Expr row = tap + (warp * tilesM + m) * (patch.axes[patch.rows].step * rowsBelow());
        const Expr column = (h * 8 + floorDiv(lane, 4)) * patch.axes[0].step + 2 * pair;
        loadPair(own.buffer * sizeOfBuffer() + row * inShared[0] + column, {first, length - 1 - first, exists},
                 {length - 2 - first, exists}, left, {m, 2 * which + h});
        return success();
      });
    });
  }

  /// Rows of shared memory from a coordinate of the axis of rows to the next.
  int64_t rowsBelow() const { return productOf(ArrayRef(inShared).drop_front(patch.rows + 1)); }

  void loadPair(const Expr &position, ArrayRef<Expr> first, ArrayRef<Expr> second, Value left,
                const graph::Exprs &index) {
    graph::Exprs exprs = {position};
    llvm::append_range(exprs, index);
    appendOpen(exprs, first);
    const size_t firstEnd = exprs.size();
    appendOpen(exprs, second);
    SmallVector<Value> indices = low.vars.write(exprs);
    const ArrayRef<Expr> all = exprs;
    auto array = [&](size_t from, size_t to) {
      return graph::exprArray(low.func.getContext(), all.slice(from, to - from));
    };
    const size_t begin = 1 + index.size();
    MmaLoadPairOp::create(low.builder, loc(), image, exprs[0], array(begin, firstEnd), array(firstEnd, exprs.size()),
                          array(1, begin), indices, left);
  }

  LogicalResult epilogue(Operation *loop) override {
    auto inRow = [&](const Expr &part, const Expr &row, cuda::Lowering::Body body) {
      const Expr x = own.x + row, y = own.y + warp * tilesM + part;
      return low.guard({patch.width - 1 - x, patch.height - 1 - y}, [&] {
        low.bind(loop->getRegion(0).getArgument(0), (own.image * patch.height + y) * patch.width + x, extents[0]);
        return body();
      });
    };
    return fragments(loop, {tilesM, tilesN, atN * tileN, lane, inRow});
  }

  cuda::ImagePatch patch;
  int64_t rows, tilesM, tilesN, ofBlock;
  SmallVector<int64_t> inShared;
  Expr tilesX, tilesY, all; ///< tiles of an image along each axis; of all images
  Expr group, warp, lane;   ///< the block's tiles; the thread
  Value image, weights;
  Expr trips; ///< of the loop over tiles; the one that is multiplied, and the one that is brought
  Tile own, next;
};

int64_t sharedBytes(const cuda::ImagePatch &patch, cuda::ConvPatchAttr schedule) {
  const SmallVector<int64_t> extents = extentsOf(patch, schedule.getRows());
  const int64_t rows = llvm::alignTo(productOf(ArrayRef(extents).drop_front()), warps);
  return 2 * (buffers * rows * extents[0] + patch.steps() * mmaK * schedule.getColumns());
}

} // namespace

LogicalResult cuda::ConvPatchAttr::verify(EmitError error, int64_t rows, int64_t columns, int64_t tiles) {
  if (failed(verifyPositive(error, {rows, columns, tiles})) ||
      failed(verifyDivides(error, "the tile's rows", rows, warps)))
    return failure();
  if (columns != 32 && columns != 64)
    return error() << "a tile of " << columns << " columns is none of 32 and 64";
  return success();
}

/// For what no cp.async of a run brings.
cuda::Candidates cuda::ConvPatchAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.patch || !areHalves(facts.product->dot, target) || !target.asyncCopy || target.mmaK != mmaK)
    return {};
  const AsyncOperands operands = asyncOperands(facts.product->dot, facts.vars, facts.divisors);
  if (operands.lhs || !operands.rhs)
    return {};
  Candidates found;
  const int64_t columns = facts.product->n > 32 ? 64 : 32;
  for (int64_t tiles : {8, 4, 2, 1}) {
    auto schedule = ConvPatchAttr::get(facts.context(), /*rows=*/512 / columns, columns, tiles);
    if (sharedBytes(*facts.patch, schedule) <= target.sharedBytes)
      found.push_back(schedule);
  }
  return found;
}

/// A block brings its weights once; then products take longest, or what leaves a tile.
double cuda::ConvPatchAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  constexpr double fill = 1000, element = 1.0 / 16; // as in Tiles.cpp
  const ImagePatch &patch = *facts.patch;
  const int64_t images = std::max<int64_t>(facts.product->m / (patch.height * patch.width), 1);
  const int64_t all = images * llvm::divideCeilSigned(patch.height, getRows()) *
                      llvm::divideCeilSigned(patch.width, places) * facts.product->batch;
  const int64_t blocks =
      llvm::divideCeilSigned(all, getTiles()) * llvm::divideCeilSigned(facts.product->n, getColumns());
  const double results = double(places * getRows() * getColumns()), depth = double(patch.steps() * mmaK);
  const double tile = results * depth / mmaRate + results * element;
  const double begin = fill + depth * double(getColumns()) * 2 / l2Rate;
  return double(llvm::divideCeilSigned(blocks, target.multiprocessors)) * (begin + double(getTiles()) * tile);
}

bool cuda::ConvPatchAttr::compilesAlone() const { return true; }

LogicalResult cuda::ConvPatchAttr::lower(kernel::FuncOp func) const {
  Variables vars(func);
  auto dots = func.getBody().getOps<DotOp>();
  std::optional<ImagePatch> patch;
  if (!dots.empty())
    patch = imagePatch(func, *dots.begin(), vars);
  if (!patch)
    return func.emitError() << "has no image whose patches can be copied";
  return Patches(func, *this, *patch).run();
}

//===- lib/Target/CUDA/Schedules/Matvec.cpp - products with few rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/RowLoops.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

using cuda::lanes;

/// The weights stream by once, every element used for all rows. A block owns 32 columns, or 16: lanes read a vector of
/// them each, `sharers` neighbours those of as many k. What lanes and warps have added up over their own k meets in a
/// warp's lanes first, then in shared memory. Several products of the same rows go step by step together. What comes
/// before the first, the norm of a row, all threads of the block compute.
class Matvec {
public:
  Matvec(kernel::FuncOp func, cuda::MatvecAttr schedule, const cuda::KernelFacts &facts)
      : low(func), rows(schedule.getRows()), vector(schedule.getVector()), warps(schedule.getWarps()),
        columns(schedule.getColumns()), sharers(sharersOf(vector, columns)), dots(low.body().getOps<DotOp>()),
        extents(graph::exprsOf(dots.front().getExtents())), computesRows(!facts.loops.empty()),
        loops(low, warps * lanes, warps * lanes, facts.vector) {}

  LogicalResult run() {
    Expr tiles = ceilDiv(extents[1], columns), blocks = graph::product(low.grid()) * tiles;
    low.launch(warps * lanes, blocks);
    return low.guardBlocks([&]() -> LogicalResult {
      tile = low.let("tn", mod(low.block(), tiles), tiles);
      low.bindGrid(floorDiv(low.block(), tiles));
      lane = low.let("lane", mod(low.thread(), lanes), lanes);
      warp = low.let("warp", floorDiv(low.thread(), lanes), warps);
      group = sharers == 1 ? lane : low.let("group", floorDiv(lane, sharers), lanes / sharers);
      loops.begin(low.thread());
      for (Operation &op : low.body())
        if (failed(statement(op)))
          return failure();
      return success();
    });
  }

  static int64_t sharersOf(int64_t vector, int64_t columns) { return lanes * vector / columns; }

private:
  LogicalResult statement(Operation &op) {
    if (auto map = dyn_cast<MapOp>(op))
      return loops.keep(map);
    if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
      return loops.reduce(reduce);
    if (isa<DotOp>(op))
      return &op == dots.back().getOperation() ? products() : success();
    auto each = dyn_cast<ForeachOp>(op);
    return each ? epilogue(each) : low.clone(op);
  }

  /// Partial sums of this warp's k to shared memory: [warp][row][column] of each product.
  LogicalResult products() {
    Type f32 = low.builder.getF32Type();
    for (size_t i = 0; i < dots.size(); ++i) {
      acc.push_back(low.registers({rows, vector}, f32, 1, /*zero=*/true));
      partial.push_back(low.smem(warps * rows * columns, f32));
    }
    if (failed(keepRows()))
      return failure();
    const Expr column = tile * columns + group * vector, first = warp * sharers + mod(lane, sharers);
    LogicalResult done = low.guard({extents[1] - 1 - column}, [&] {
      return low.loop("k", first, extents[2], warps * sharers, /*unroll=*/false,
                      [&](const Expr &k) { return step(k, column); });
    });
    for (auto [sums, memory] : llvm::zip_equal(acc, partial))
      low.forElements(sums, [&, memory = memory, sums = sums](const graph::Exprs &index, const Expr &) {
        (void)share(low.get(sums, index), memory, (warp * rows + index[0]) * columns + group * vector + index[1]);
      });
    BarrierOp::create(low.builder, low.func.getLoc());
    return done;
  }

  /// Rows that are computed, not only read, are so once in the block: their elements go to shared memory, if it has
  /// room for them.
  LogicalResult keepRows() {
    if (!computesRows || !cuda::canKeepRows(dots.front(), rows))
      return success();
    FailureOr<Value> computed = cuda::keepRows(low, dots.front(), rows, warps * lanes);
    if (failed(computed))
      return failure();
    kept = *computed;
    return success();
  }

  /// Computes the rows' element at (m, k).
  LogicalResult element(const Expr &m, const Expr &k) {
    low.map(indicesOf(dots.front()).m, m);
    low.map(indicesOf(dots.front()).k, k);
    return low.clone(dots.front().getLhs().front());
  }

  /// One lane stores what those with the same column have.
  LogicalResult share(Value sum, Value memory, const Expr &place) {
    auto store = [&]() -> LogicalResult {
      low.storeShared(sum, memory, place);
      return success();
    };
    if (sharers == 1)
      return store();
    sum = WarpReduceOp::create(low.builder, low.func.getLoc(), sum.getType(), graph::ReduceKind::Sum, sum, sharers);
    return low.guard({-mod(lane, sharers)}, store);
  }

  /// acc[m] += lhs(m, k) * rhs(k, n ..) for all rows; all products have the same left operand.
  LogicalResult step(const Expr &k, const Expr &n) {
    Type f32 = low.builder.getF32Type();
    SmallVector<Value> weights;
    for (DotOp dot : dots) {
      weights.push_back(low.registers({vector}, f32));
      low.map(dot.getRhs().getArgument(0), k);
      auto take = [&](ValueRange yielded, const Expr &place) {
        low.set(low.cast(yielded[0], f32), weights.back(), {place});
      };
      if (failed(low.cloneVector(dot.getRhs().front(), indicesOf(dot).n, n, extents[1], vector, take)))
        return failure();
    }
    Value column = low.registers({rows}, f32);
    LogicalResult done = low.loop("m", 0, rows, 1, /*unroll=*/true, [&](const Expr &m) -> LogicalResult {
      if (!kept && failed(element(m, k)))
        return failure();
      Value x = kept ? low.loadShared(kept, m * extents[2] + k) : low.yielded(dots.front().getLhs().front())[0];
      low.set(low.cast(x, f32), column, {m});
      return success();
    });
    for (auto [sums, weight] : llvm::zip_equal(acc, weights))
      FmaTileOp::create(low.builder, low.func.getLoc(), sums, column, weight);
    return done;
  }

  /// Warp w finishes rows w, w + warps, ..
  LogicalResult epilogue(ForeachOp loop) {
    Type f32 = low.builder.getF32Type();
    Expr column = tile * columns + lane;
    return low.loop("row", warp, rows, warps, /*unroll=*/false, [&](const Expr &row) {
      low.map(loop.getBody().getArgument(0), row);
      return low.guard({extents[1] - 1 - column, columns - 1 - lane}, [&] {
        low.bind(loop.getBody().getArgument(1), column, extents[1]);
        for (auto [dot, memory] : llvm::zip_equal(dots, partial)) {
          Value sum = low.variable(low.constant(f32, 0));
          (void)low.loop("w", 0, warps, 1, /*unroll=*/true, [&, memory = memory](const Expr &w) -> LogicalResult {
            low.accumulate(graph::ReduceKind::Sum, low.loadShared(memory, (w * rows + row) * columns + lane), sum);
            return success();
          });
          low.tiles[dot.getTile()] = {sum, [](const Expr &) { return graph::Exprs(); }};
        }
        low.enter(loop);
        return low.clone(loop.getBody().front());
      });
    });
  }

  cuda::Lowering low;
  int64_t rows, vector, warps;
  int64_t columns, sharers; ///< of a block; neighbouring lanes with the same columns
  SmallVector<DotOp> dots;
  graph::Exprs extents; ///< m, n, k
  bool computesRows;    ///< with loops before the first product
  cuda::RowLoops loops;
  Expr tile, lane, warp, group;    ///< of columns; of the thread; of lanes with the same columns
  Value kept;                      ///< the rows, where they are computed
  SmallVector<Value> acc, partial; ///< of each product: the thread's sums; those of all warps
};

} // namespace

/// A thread has a vector of accumulators per row of each product.
static constexpr int64_t mostVector = 8, mostSums = 64;
/// More where blocks are few, if that leaves a thread its registers and some steps.
static constexpr int64_t usualWarps = 8, mostWarps = 16, mostAccumulators = 32, leastSteps = 4;

/// Neighbouring columns of the rhs are neighbours in memory, or one element.
static bool readsAlongColumns(cuda::KernelFacts &facts, DotOp dot) {
  const std::string column = facts.vars.name(indicesOf(dot).n);
  return llvm::all_of(dot.getRhs().front().getOps<LoadOp>(), [&](LoadOp load) {
    std::optional<Expr> stride = facts.vars.read(load.getPosition(), load.getIndices()).coefficient(column);
    return stride && (stride->isConstant(0) || stride->isConstant(1));
  });
}

/// Half of them where blocks are too few for all multiprocessors, if that leaves whole sectors of rows to read.
static int64_t columnsOf(const cuda::KernelFacts &facts, const GpuArchitecture &target) {
  constexpr int64_t many = lanes, few = many / 2, sector = 32;
  const int64_t blocks = facts.product->batch * llvm::divideCeilSigned(facts.product->n, many);
  kernel::FuncOp func = facts.func;
  auto hasSectors = [](DotOp dot) {
    return llvm::all_of(dot.getRhs().front().getOps<LoadOp>(),
                        [](LoadOp load) { return few * graph::byteSize(load.getType()) >= sector; });
  };
  return blocks < target.multiprocessors && llvm::all_of(func.getBody().getOps<DotOp>(), hasSectors) ? few : many;
}

static int64_t warpsOf(const cuda::KernelFacts &facts, int64_t sums, int64_t vector, int64_t columns,
                       const GpuArchitecture &target) {
  const cuda::ProductFacts &product = *facts.product;
  const int64_t blocks = product.batch * llvm::divideCeilSigned(product.n, columns);
  const int64_t sharers = Matvec::sharersOf(vector, columns);
  const bool isFew = blocks * usualWarps * lanes < cuda::enoughThreads(target);
  const bool isDeep = product.k >= mostWarps * sharers * leastSteps;
  return isFew && isDeep && sums * vector <= mostAccumulators ? mostWarps : usualWarps;
}

LogicalResult cuda::MatvecAttr::verify(EmitError error, int64_t rows, int64_t vector, int64_t warps, int64_t columns) {
  if (failed(verifyPositive(error, {rows, warps})) || failed(verifyVector(error, vector)))
    return failure();
  if (columns != lanes && columns != lanes / 2)
    return error() << columns << " columns are neither 16 nor 32";
  return verifyThreads(error, warps * lanes);
}

cuda::Candidates cuda::MatvecAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.product)
    return {};
  std::optional<int64_t> rows = graph::exprsOf(facts.product->dot.getExtents())[0].constant();
  if (!rows || *rows > fewRows || !facts.product->dot.getTile().getType().getElement().isF32())
    return {};
  SmallVector<std::pair<Block *, Value>> weights;
  for (DotOp dot : facts.func.getBody().getOps<DotOp>()) {
    if (!readsAlongColumns(facts, dot))
      return {};
    weights.push_back({&dot.getRhs().front(), indicesOf(dot).n});
  }
  const int64_t sums = *rows * int64_t(weights.size());
  const Expr columns = graph::exprsOf(facts.product->dot.getExtents())[1];
  int64_t vector = std::min(vectorWidth(weights, columns, facts.vars, facts.divisors), mostVector);
  while (vector > 1 && vector * sums > mostSums)
    vector /= 2;
  const int64_t ofBlock = columnsOf(facts, target);
  return {MatvecAttr::get(facts.context(), *rows, vector, warpsOf(facts, sums, vector, ofBlock, target), ofBlock)};
}

/// All rows by a block's columns; every warp has a part of k.
double cuda::MatvecAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  return fewRowsCost({getRows(), getColumns(), /*k=*/1, getWarps()}, facts, target);
}

LogicalResult cuda::MatvecAttr::lower(kernel::FuncOp func) const {
  return Matvec(func, *this, KernelFacts(func)).run();
}

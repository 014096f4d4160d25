//===- lib/Target/CUDA/Schedules/Matvec.cpp - a product with few rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Cost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

/// The weights stream by once, every element used for all rows. A block owns 32 columns: neighbouring lanes read a
/// vector of them each, of as many k as a vector has elements, so that a warp always reads 32. What lanes and warps
/// have added up over their own k meets in a warp's lanes first, then in shared memory.
class Matvec {
public:
  Matvec(kernel::FuncOp func, cuda::MatvecAttr schedule)
      : low(func), rows(schedule.getRows()), vector(schedule.getVector()), warps(schedule.getWarps()) {
    dot = *low.body().getOps<DotOp>().begin();
    extents = graph::exprsOf(dot.getExtents());
  }

  LogicalResult run() {
    Expr tiles = ceilDiv(extents[1], lanes), blocks = graph::product(low.grid()) * tiles;
    low.launch(warps * lanes, blocks);
    return low.guardBlocks([&]() -> LogicalResult {
      tile = low.let("tn", mod(low.block(), tiles), tiles);
      low.bindGrid(floorDiv(low.block(), tiles));
      lane = low.let("lane", mod(low.thread(), lanes), lanes);
      warp = low.let("warp", floorDiv(low.thread(), lanes), warps);
      group = vector == 1 ? lane : low.let("group", floorDiv(lane, vector), lanes / vector);
      for (Operation &op : low.body()) {
        auto each = dyn_cast<ForeachOp>(op);
        if (failed(&op == dot.getOperation() ? product() : each ? epilogue(each) : low.clone(op)))
          return failure();
      }
      return success();
    });
  }

  static constexpr int64_t lanes = 32;

private:
  /// Partial sums of this warp's k to shared memory: [warp][row][column].
  LogicalResult product() {
    Type f32 = low.builder.getF32Type();
    Value acc = low.registers({rows, vector}, f32, 1, /*zero=*/true);
    partial = low.smem(warps * rows * lanes, f32);
    const Expr column = tile * lanes + group * vector, first = warp * vector + mod(lane, vector);
    LogicalResult done = low.guard({extents[1] - 1 - column}, [&] {
      return low.loop("k", first, extents[2], warps * vector, /*unroll=*/false,
                      [&](const Expr &k) { return step(k, column, acc); });
    });
    (void)low.loop("i", 0, rows, 1, /*unroll=*/true, [&](const Expr &i) {
      return low.loop("j", 0, vector, 1, /*unroll=*/true, [&](const Expr &j) { return share(acc, i, j); });
    });
    BarrierOp::create(low.builder, low.func.getLoc());
    return done;
  }

  /// One lane stores what those with the same column have.
  LogicalResult share(Value acc, const Expr &i, const Expr &j) {
    Value sum = low.get(acc, {i, j});
    auto store = [&]() -> LogicalResult {
      low.storeShared(sum, partial, (warp * rows + i) * lanes + group * vector + j);
      return success();
    };
    if (vector == 1)
      return store();
    sum = WarpReduceOp::create(low.builder, low.func.getLoc(), sum.getType(), graph::ReduceKind::Sum, sum, vector);
    return low.guard({-mod(lane, vector)}, store);
  }

  /// acc[m] += lhs(m, k) * rhs(k, n ..) for all rows.
  LogicalResult step(const Expr &k, const Expr &column, Value acc) {
    Type f32 = low.builder.getF32Type();
    Value weights = low.registers({vector}, f32), element = low.registers({rows}, f32);
    Block &rhs = dot.getRhs().front(), &lhs = dot.getLhs().front();
    low.map(dot.getRhs().getArgument(0), k);
    if (failed(low.cloneVector(
            rhs, indicesOf(dot).n, column, extents[1], vector,
            [&](ValueRange yielded, const Expr &place) { low.set(low.cast(yielded[0], f32), weights, {place}); })))
      return failure();
    LogicalResult done = low.loop("m", 0, rows, 1, /*unroll=*/true, [&](const Expr &m) -> LogicalResult {
      low.map(indicesOf(dot).m, m);
      if (failed(low.clone(lhs)))
        return failure();
      low.set(low.cast(low.yielded(lhs)[0], f32), element, {m});
      return success();
    });
    FmaTileOp::create(low.builder, low.func.getLoc(), acc, element, weights);
    return done;
  }

  /// Warp w finishes rows w, w + warps, ..
  LogicalResult epilogue(ForeachOp loop) {
    Type f32 = low.builder.getF32Type();
    Expr column = tile * lanes + lane;
    return low.loop("row", warp, rows, warps, /*unroll=*/false, [&](const Expr &row) {
      low.map(loop.getBody().getArgument(0), row);
      return low.guard({extents[1] - 1 - column}, [&] {
        low.bind(loop.getBody().getArgument(1), column, extents[1]);
        Value sum = low.variable(low.constant(f32, 0));
        (void)low.loop("w", 0, warps, 1, /*unroll=*/true, [&](const Expr &w) -> LogicalResult {
          low.accumulate(graph::ReduceKind::Sum, low.loadShared(partial, (w * rows + row) * lanes + lane), sum);
          return success();
        });
        low.tiles[dot.getTile()] = {sum, [](const Expr &) { return graph::Exprs(); }};
        low.enter(loop);
        return low.clone(loop.getBody().front());
      });
    });
  }

  cuda::Lowering low;
  int64_t rows, vector, warps;
  DotOp dot;
  graph::Exprs extents;         ///< m, n, k
  Expr tile, lane, warp, group; ///< of 32 columns; of the thread; of lanes with the same columns
  Value partial;
};

} // namespace

/// A thread has a vector of accumulators per row.
static constexpr int64_t mostRows = 8, mostVector = 8;
/// More where blocks are few, if that leaves a thread its registers and some steps.
static constexpr int64_t usualWarps = 8, mostWarps = 16, mostAccumulators = 32, leastSteps = 4;

/// Neighbouring columns of the rhs are neighbours in memory, or one element.
static bool readsAlongColumns(cuda::KernelFacts &facts) {
  DotOp dot = facts.product->dot;
  const std::string column = facts.vars.name(indicesOf(dot).n);
  return llvm::all_of(dot.getRhs().front().getOps<LoadOp>(), [&](LoadOp load) {
    std::optional<Expr> stride = facts.vars.read(load.getPosition(), load.getIndices()).coefficient(column);
    return stride && (stride->isConstant(0) || stride->isConstant(1));
  });
}

static int64_t warpsOf(const cuda::ProductFacts &product, int64_t rows, int64_t vector, const GpuArchitecture &target) {
  const int64_t blocks = product.batch * llvm::divideCeilSigned(product.n, Matvec::lanes);
  const bool isFew = blocks * usualWarps * Matvec::lanes < cuda::enoughThreads(target);
  const bool isDeep = product.k >= mostWarps * vector * leastSteps;
  return isFew && isDeep && rows * vector <= mostAccumulators ? mostWarps : usualWarps;
}

LogicalResult cuda::MatvecAttr::verify(EmitError error, int64_t rows, int64_t vector, int64_t warps) {
  if (failed(verifyPositive(error, {rows, warps})) || failed(verifyVector(error, vector)))
    return failure();
  return verifyThreads(error, warps * Matvec::lanes);
}

cuda::Candidates cuda::MatvecAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.product)
    return {};
  std::optional<int64_t> rows = graph::exprsOf(facts.product->dot.getExtents())[0].constant();
  if (!rows || *rows > mostRows || !readsAlongColumns(facts))
    return {};
  DotOp dot = facts.product->dot;
  const int64_t width = vectorWidth({{&dot.getRhs().front(), indicesOf(dot).n}}, graph::exprsOf(dot.getExtents())[1],
                                    facts.vars, facts.divisors);
  const int64_t vector = std::min(width, mostVector);
  return {MatvecAttr::get(facts.context(), *rows, vector, warpsOf(*facts.product, *rows, vector, target))};
}

/// All rows by 32 columns; every warp has a part of k. So few rows wait for memory, and the matrix units read
/// no less of it.
double cuda::MatvecAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  if (isForMatrixUnits(facts.product->dot, target))
    return 0;
  return tileCost({getRows(), Matvec::lanes, /*k=*/1, getWarps()}, *facts.product, target);
}

LogicalResult cuda::MatvecAttr::lower(kernel::FuncOp func) const { return Matvec(func, *this).run(); }

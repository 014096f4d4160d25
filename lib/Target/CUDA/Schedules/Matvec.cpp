//===- lib/Target/CUDA/Schedules/Matvec.cpp - a product with few rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

/// The weights stream by once, every element used for all rows. A block owns 32 columns, a
/// lane each; its warps share k and add up in shared memory.
class Matvec {
public:
  Matvec(kernel::FuncOp func, int64_t rows) : low(func), rows(rows) {
    dot = *low.body().getOps<DotOp>().begin();
    extents = graph::exprsOf(dot.getExtents());
  }

  LogicalResult run() {
    Expr tiles = ceilDiv(extents[1], lanes), blocks = graph::product(low.grid()) * tiles;
    low.launch(threads, blocks);
    return low.guardBlocks([&]() -> LogicalResult {
      tile = low.let("tn", mod(low.block(), tiles), tiles);
      low.bindGrid(floorDiv(low.block(), tiles));
      lane = low.let("lane", mod(low.thread(), lanes), lanes);
      warp = low.let("warp", floorDiv(low.thread(), lanes), warps);
      for (Operation &op : low.body()) {
        auto each = dyn_cast<ForeachOp>(op);
        if (failed(&op == dot.getOperation() ? product() : each ? epilogue(each) : low.clone(op)))
          return failure();
      }
      return success();
    });
  }

  static constexpr int64_t threads = 256, lanes = 32, warps = threads / lanes;

private:
  /// Partial sums of this warp's k to shared memory: [warp][row][lane].
  LogicalResult product() {
    Type f32 = low.builder.getF32Type();
    Value acc = low.registers({rows, 1}, f32, 1, /*zero=*/true);
    partial = low.smem(warps * rows * lanes, f32);
    Expr column = tile * lanes + lane;
    LogicalResult done = low.guard({extents[1] - 1 - column}, [&] {
      low.bind(indicesOf(dot).n, column, extents[1]);
      return low.loop("k", warp, extents[2], warps, /*unroll=*/false, [&](const Expr &k) { return step(k, acc); });
    });
    (void)low.loop("i", 0, rows, 1, /*unroll=*/true, [&](const Expr &i) -> LogicalResult {
      low.storeShared(low.get(acc, {i, 0}), partial, (warp * rows + i) * lanes + lane);
      return success();
    });
    BarrierOp::create(low.builder, low.func.getLoc());
    return done;
  }

  /// acc[m] += lhs(m, k) * rhs(k, n) for all rows.
  LogicalResult step(const Expr &k, Value acc) {
    Type f32 = low.builder.getF32Type();
    Value weight = low.registers({1}, f32), vector = low.registers({rows}, f32);
    Block &rhs = dot.getRhs().front(), &lhs = dot.getLhs().front();
    low.map(dot.getRhs().getArgument(0), k);
    if (failed(low.clone(rhs)))
      return failure();
    low.set(low.cast(low.yielded(rhs)[0], f32), weight, {Expr(0)});
    LogicalResult done = low.loop("m", 0, rows, 1, /*unroll=*/true, [&](const Expr &m) -> LogicalResult {
      low.map(indicesOf(dot).m, m);
      if (failed(low.clone(lhs)))
        return failure();
      low.set(low.cast(low.yielded(lhs)[0], f32), vector, {m});
      return success();
    });
    FmaTileOp::create(low.builder, low.func.getLoc(), acc, vector, weight);
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
  int64_t rows;
  DotOp dot;
  graph::Exprs extents; ///< m, n, k
  Expr tile, lane, warp;
  Value partial;
};

} // namespace

/// A thread has an accumulator per row.
static constexpr int64_t mostRows = 8;

/// Neighbouring columns of the rhs are neighbours in memory, or one element.
static bool readsAlongColumns(cuda::KernelFacts &facts) {
  DotOp dot = facts.product->dot;
  const std::string column = facts.vars.name(indicesOf(dot).n);
  return llvm::all_of(dot.getRhs().front().getOps<LoadOp>(), [&](LoadOp load) {
    std::optional<Expr> stride = facts.vars.read(load.getPosition(), load.getIndices()).coefficient(column);
    return stride && (stride->isConstant(0) || stride->isConstant(1));
  });
}

LogicalResult cuda::MatvecAttr::verify(EmitError error, int64_t rows) { return verifyPositive(error, {rows}); }

cuda::Candidates cuda::MatvecAttr::candidates(KernelFacts &facts, const GpuArchitecture &) {
  if (!facts.product)
    return {};
  std::optional<int64_t> rows = graph::exprsOf(facts.product->dot.getExtents())[0].constant();
  if (!rows || *rows > mostRows || !readsAlongColumns(facts))
    return {};
  return {MatvecAttr::get(facts.context(), *rows)};
}

/// All rows by a lane's column each; every warp has a part of k. So few rows wait for memory, and the matrix units read
/// no less of it.
double cuda::MatvecAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  if (isForMatrixUnits(facts.product->dot, target))
    return 0;
  return tileCost({getRows(), Matvec::lanes, /*k=*/1, Matvec::warps}, *facts.product, target);
}

LogicalResult cuda::MatvecAttr::lower(kernel::FuncOp func) const { return Matvec(func, getRows()).run(); }

//===- lib/Target/CUDA/Schedules/RowMatvec.cpp - products with few rows, weights along the depth ---===//
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

constexpr int64_t lanes = 32;

/// The weights of a column lie one behind the other, as packed ones do: a warp owns a few columns, and its lanes read
/// vectors of their depth side by side. Every weight is read once, and used for all rows. What the lanes have added up
/// meets in the warp, then goes to shared memory, where neighbouring threads finish neighbouring columns.
class RowMatvec {
public:
  RowMatvec(kernel::FuncOp func, cuda::RowMatvecAttr schedule)
      : low(func), rows(schedule.getRows()), columns(schedule.getColumns()), vector(schedule.getVector()),
        lhsVector(schedule.getLhsVector()), warps(schedule.getWarps()), dot(*low.body().getOps<DotOp>().begin()),
        extents(graph::exprsOf(dot.getExtents())) {}

  LogicalResult run() {
    const Expr tiles = ceilDiv(extents[1], warps * columns);
    low.launch(warps * lanes, graph::product(low.grid()) * tiles);
    return low.guardBlocks([&]() -> LogicalResult {
      tile = low.let("tn", mod(low.block(), tiles), tiles);
      low.bindGrid(floorDiv(low.block(), tiles));
      lane = low.let("lane", mod(low.thread(), lanes), lanes);
      warp = low.let("warp", floorDiv(low.thread(), lanes), warps);
      for (Operation &op : low.body())
        if (failed(statement(op)))
          return failure();
      return success();
    });
  }

private:
  LogicalResult statement(Operation &op) {
    if (isa<DotOp>(op))
      return product();
    auto each = dyn_cast<ForeachOp>(op);
    return each ? epilogue(each) : low.clone(op);
  }

  /// The sums of the block's columns to shared memory: [row][column].
  LogicalResult product() {
    const Type f32 = low.builder.getF32Type();
    sums = low.registers({rows, columns}, f32, 1, /*zero=*/true);
    memory = low.smem(rows * warps * columns, f32);
    const Expr first = (tile * warps + warp) * columns;
    LogicalResult done = low.guard({extents[1] - 1 - first}, [&] {
      return low.loop("v", lane, floorDiv(extents[2], vector), lanes, /*unroll=*/false,
                      [&](const Expr &v) { return step(v * vector, first); });
    });
    low.forElements(sums, [&](const graph::Exprs &index, const Expr &) {
      Value sum = WarpReduceOp::create(low.builder, low.func.getLoc(), f32, graph::ReduceKind::Sum,
                                       low.get(sums, index), lanes);
      (void)low.guard({-lane}, [&]() -> LogicalResult {
        low.storeShared(sum, memory, (index[0] * warps + warp) * columns + index[1]);
        return success();
      });
    });
    BarrierOp::create(low.builder, low.func.getLoc());
    return done;
  }

  /// sums[m][c] += lhs(m, k ..) * rhs(k .., n + c), a vector of k. Columns beyond the matrix read its last one.
  LogicalResult step(const Expr &k, const Expr &n) {
    const Type f32 = low.builder.getF32Type();
    Block &rhs = dot.getRhs().front();
    Value weights = low.registers({vector, columns}, f32);
    const bool isWhole = cupola::divisible(extents[1], columns, low.divisors);
    for (int64_t c = 0; c < columns; ++c) {
      const Expr column = isWhole ? n + c : min(n + c, extents[1] - 1);
      low.bind(rhs.getArgument(1), column, extents[1]);
      auto take = [&](ValueRange yielded, const Expr &e) { low.set(low.cast(yielded[0], f32), weights, {e, Expr(c)}); };
      if (failed(low.cloneVector(rhs, rhs.getArgument(0), k, extents[2], vector, take)))
        return failure();
    }
    for (int64_t part = 0; part < vector; part += lhsVector)
      if (failed(addPart(k, part, weights)))
        return failure();
    return success();
  }

  /// As many k as are read of the rows at a time.
  LogicalResult addPart(const Expr &k, int64_t part, Value weights) {
    const Type f32 = low.builder.getF32Type();
    Block &lhs = dot.getLhs().front();
    Value elements = low.registers({lhsVector, rows}, f32);
    LogicalResult done = low.loop("m", 0, rows, 1, /*unroll=*/true, [&](const Expr &m) {
      low.map(lhs.getArgument(0), m);
      auto take = [&](ValueRange yielded, const Expr &e) { low.set(low.cast(yielded[0], f32), elements, {e, m}); };
      return low.cloneVector(lhs, lhs.getArgument(1), k + part, extents[2], lhsVector, take);
    });
    return failed(done) ? failure() : low.loop("e", 0, lhsVector, 1, /*unroll=*/true, [&](const Expr &e) {
      Value ofRows = low.registers({rows}, f32), ofColumns = low.registers({columns}, f32);
      low.forElements(ofRows,
                      [&](const graph::Exprs &m, const Expr &) { low.set(low.get(elements, {e, m[0]}), ofRows, m); });
      low.forElements(ofColumns, [&](const graph::Exprs &c, const Expr &) {
        low.set(low.get(weights, {part + e, c[0]}), ofColumns, c);
      });
      FmaTileOp::create(low.builder, low.func.getLoc(), sums, ofRows, ofColumns);
      return success();
    });
  }

  /// Neighbouring threads have neighbouring columns, as many rows at a time as there are threads for.
  LogicalResult epilogue(ForeachOp loop) {
    const int64_t wide = warps * columns, together = warps * lanes / wide;
    const Expr place = mod(low.thread(), wide), column = tile * wide + place;
    return low.loop("row", floorDiv(low.thread(), wide), rows, together, /*unroll=*/false, [&](const Expr &row) {
      low.map(loop.getBody().getArgument(0), row);
      return low.guard({extents[1] - 1 - column}, [&] {
        low.bind(loop.getBody().getArgument(1), column, extents[1]);
        Value sum = low.variable(low.loadShared(memory, row * wide + place));
        low.tiles[dot.getTile()] = {sum, [](const Expr &) { return graph::Exprs(); }};
        low.enter(loop);
        return low.clone(loop.getBody().front());
      });
    });
  }

  cuda::Lowering low;
  int64_t rows, columns, vector, lhsVector, warps;
  DotOp dot;
  graph::Exprs extents; ///< m, n, k
  Expr tile, lane, warp;
  Value sums, memory; ///< [rows][columns] of the thread; [rows][warps][columns]
};

} // namespace

/// A thread has the weights of a vector of each column in registers.
static constexpr int64_t mostColumns = 4, usualWarps = 4;

/// The widest vectors along k, 1 where neighbours lie apart.
static int64_t widthAlongDepth(cuda::KernelFacts &facts, Block &operand, Value k) {
  const Expr depth = graph::exprsOf(facts.product->dot.getExtents())[2];
  const bool runs = llvm::any_of(operand.getOps<LoadOp>(), [&](LoadOp load) { return facts.stepsByOne(load, k); });
  return runs ? cuda::vectorWidth({{&operand, k}}, depth, facts.vars, facts.divisors) : 1;
}

static int64_t columnsOf(const cuda::ProductFacts &product, const GpuArchitecture &target) {
  int64_t columns = mostColumns;
  while (columns > 1 && product.batch * product.n < cuda::enoughBlocks(target) * usualWarps * columns)
    columns /= 2;
  return columns;
}

LogicalResult cuda::RowMatvecAttr::verify(EmitError error, int64_t rows, int64_t columns, int64_t vector,
                                          int64_t lhsVector, int64_t warps) {
  if (failed(verifyPositive(error, {rows, columns, warps})) || failed(verifyVector(error, vector)) ||
      failed(verifyVector(error, lhsVector)))
    return failure();
  if (lhsVector > vector || lanes % columns != 0)
    return error() << columns << " columns do not divide a warp, or vectors of " << lhsVector
                   << " elements of rows no vector of " << vector << " weights";
  return verifyThreads(error, warps * lanes);
}

cuda::Candidates cuda::RowMatvecAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.isProductAlone())
    return {};
  DotOp dot = facts.product->dot;
  const std::optional<int64_t> rows = graph::exprsOf(dot.getExtents())[0].constant();
  if (!rows || *rows > fewRows || dot.getTile().getType().getElement() != Float32Type::get(facts.context()))
    return {};
  Block &lhs = dot.getLhs().front(), &rhs = dot.getRhs().front();
  const int64_t vector = widthAlongDepth(facts, rhs, rhs.getArgument(0));
  if (vector == 1)
    return {};
  const int64_t lhsVector = std::min(widthAlongDepth(facts, lhs, lhs.getArgument(1)), vector);
  return {RowMatvecAttr::get(facts.context(), *rows, columnsOf(*facts.product, target), vector, lhsVector, usualWarps)};
}

/// As MatvecAttr::cost.
double cuda::RowMatvecAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  if (isForMatrixUnits(facts.product->dot, target))
    return 0;
  return tileCost({getRows(), getWarps() * getColumns(), /*k=*/1, getWarps()}, *facts.product, target);
}

LogicalResult cuda::RowMatvecAttr::lower(kernel::FuncOp func) const { return RowMatvec(func, *this).run(); }

//===- lib/Target/CUDA/Schedules/RowMatvec.cpp - products with few rows, weights along the depth ---===//
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

/// Rows that are computed, not only read, are so once in a block, if there is room for them.
bool keepsRows(const cuda::KernelFacts &facts, int64_t rows) {
  return !facts.loops.empty() && cuda::canKeepRows(facts.product->dot, rows);
}

/// The weights of a column lie one behind the other: `split` warps own a few columns, and their lanes read vectors of
/// the depth side by side. Every weight is read once, and used for all rows. What the lanes have added up meets in the
/// warp, then in shared memory, where neighbouring threads finish neighbouring columns. Several products of the same
/// rows go step by step together. What comes before the first, the norm of a row, all threads of the block compute.
class RowMatvec {
public:
  RowMatvec(kernel::FuncOp func, cuda::RowMatvecAttr schedule, const cuda::KernelFacts &facts)
      : low(func), rows(schedule.getRows()), columns(schedule.getColumns()), vector(schedule.getVector()),
        lhsVector(schedule.getLhsVector()), warps(schedule.getWarps()), split(schedule.getSplit()),
        wide(warps / split * columns), dots(low.body().getOps<DotOp>()),
        extents(graph::exprsOf(dots.front().getExtents())), keeps(keepsRows(facts, rows)),
        loops(low, warps * lanes, warps * lanes, facts.vector) {}

  LogicalResult run() {
    const Expr tiles = ceilDiv(extents[1], wide);
    low.launch(warps * lanes, graph::product(low.grid()) * tiles);
    return low.guardBlocks([&]() -> LogicalResult {
      tile = low.let("tn", mod(low.block(), tiles), tiles);
      low.bindGrid(floorDiv(low.block(), tiles));
      lane = low.let("lane", mod(low.thread(), lanes), lanes);
      warp = low.let("warp", floorDiv(low.thread(), lanes), warps);
      loops.begin(low.thread());
      for (Operation &op : low.body())
        if (failed(statement(op)))
          return failure();
      return success();
    });
  }

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

  /// The sums of the block's columns to shared memory, of each product [row][part of the depth][column].
  LogicalResult products() {
    const Type f32 = low.builder.getF32Type();
    for (size_t i = 0; i < dots.size(); ++i) {
      sums.push_back(low.registers({rows, columns}, f32, 1, /*zero=*/true));
      memory.push_back(low.smem(rows * split * wide, f32));
    }
    if (keeps && failed(keepRows()))
      return failure();
    const Expr first = tile * wide + floorDiv(warp, split) * columns, from = mod(warp, split) * lanes + lane;
    LogicalResult done = low.guard({extents[1] - 1 - first}, [&] { return steps(from, first); });
    for (auto [ofDot, parts] : llvm::zip_equal(sums, memory))
      low.forElements(ofDot, [&, ofDot = ofDot, parts = parts](const graph::Exprs &index, const Expr &) {
        Value sum = WarpReduceOp::create(low.builder, low.func.getLoc(), f32, graph::ReduceKind::Sum,
                                         low.get(ofDot, index), lanes);
        (void)low.guard({-lane}, [&]() -> LogicalResult {
          low.storeShared(sum, parts,
                          (index[0] * split + mod(warp, split)) * wide + floorDiv(warp, split) * columns + index[1]);
          return success();
        });
      });
    BarrierOp::create(low.builder, low.func.getLoc());
    return done;
  }

  LogicalResult keepRows() {
    FailureOr<Value> computed = cuda::keepRows(low, dots.front(), rows, warps * lanes);
    if (failed(computed))
      return failure();
    kept = *computed;
    return success();
  }

  /// Several vectors of each column at once, so that their loads are under way together, if the depth has so many.
  LogicalResult steps(const Expr &from, const Expr &n) {
    constexpr int64_t most = 4, loads = 8; // of 16 bytes, four registers
    const Expr vectors = floorDiv(extents[2], vector);
    const int64_t together = split * lanes;
    int64_t atOnce = std::clamp<int64_t>(loads / (columns * int64_t(dots.size())), 1, most);
    while (atOnce > 1 && !cupola::divisible(vectors, together * atOnce, low.divisors))
      atOnce /= 2;
    return low.loop("v", from, vectors, together * atOnce, /*unroll=*/false, [&](const Expr &v) -> LogicalResult {
      for (int64_t i = 0; i < atOnce; ++i)
        if (failed(step((v + i * together) * vector, n)))
          return failure();
      return success();
    });
  }

  /// sums[m][c] += lhs(m, k ..) * rhs(k .., n + c), a vector of k; all products have the same left operand.
  LogicalResult step(const Expr &k, const Expr &n) {
    SmallVector<Value> weights;
    for (DotOp dot : dots) {
      weights.push_back(low.registers({vector, columns}, low.builder.getF32Type()));
      if (failed(loadColumns(dot, k, n, weights.back())))
        return failure();
    }
    for (int64_t part = 0; part < vector; part += lhsVector)
      if (failed(addPart(k, part, weights)))
        return failure();
    return success();
  }

  /// Columns beyond the matrix read its last one.
  LogicalResult loadColumns(DotOp dot, const Expr &k, const Expr &n, Value weights) {
    const Type f32 = low.builder.getF32Type();
    Block &rhs = dot.getRhs().front();
    const bool isWhole = cupola::divisible(extents[1], columns, low.divisors);
    for (int64_t c = 0; c < columns; ++c) {
      const Expr column = isWhole ? n + c : min(n + c, extents[1] - 1);
      low.bind(rhs.getArgument(1), column, extents[1]);
      auto take = [&](ValueRange yielded, const Expr &e) { low.set(low.cast(yielded[0], f32), weights, {e, Expr(c)}); };
      if (failed(low.cloneVector(rhs, rhs.getArgument(0), k, extents[2], vector, take)))
        return failure();
    }
    return success();
  }

  /// As many k as are read of the rows at a time.
  LogicalResult addPart(const Expr &k, int64_t part, ArrayRef<Value> weights) {
    const Type f32 = low.builder.getF32Type();
    Value elements = low.registers({lhsVector, rows}, f32);
    if (failed(loadRows(k + part, elements)))
      return failure();
    return low.loop("e", 0, lhsVector, 1, /*unroll=*/true, [&](const Expr &e) {
      Value ofRows = low.registers({rows}, f32);
      low.forElements(ofRows,
                      [&](const graph::Exprs &m, const Expr &) { low.set(low.get(elements, {e, m[0]}), ofRows, m); });
      for (auto [ofDot, weight] : llvm::zip_equal(sums, weights)) {
        Value ofColumns = low.registers({columns}, f32);
        low.forElements(ofColumns, [&, weight = weight](const graph::Exprs &c, const Expr &) {
          low.set(low.get(weight, {part + e, c[0]}), ofColumns, c);
        });
        FmaTileOp::create(low.builder, low.func.getLoc(), ofDot, ofRows, ofColumns);
      }
      return success();
    });
  }

  LogicalResult loadRows(const Expr &k, Value elements) {
    const Type f32 = low.builder.getF32Type();
    Block &lhs = dots.front().getLhs().front();
    return low.loop("m", 0, rows, 1, /*unroll=*/true, [&](const Expr &m) -> LogicalResult {
      auto take = [&](Value value, const Expr &e) { low.set(low.cast(value, f32), elements, {e, m}); };
      if (kept) {
        Value some = low.registers({}, lhs.getTerminator()->getOperand(0).getType(), lhsVector);
        low.loadVector(kept, {m * extents[2] + k, {}}, some);
        return low.loop("e", 0, lhsVector, 1, /*unroll=*/true, [&](const Expr &e) {
          take(low.get(some, {e}), e);
          return success();
        });
      }
      low.map(lhs.getArgument(0), m);
      return low.cloneVector(lhs, lhs.getArgument(1), k, extents[2], lhsVector,
                             [&](ValueRange yielded, const Expr &e) { take(yielded[0], e); });
    });
  }

  /// Neighbouring threads have neighbouring columns, as many rows at a time as there are threads for.
  LogicalResult epilogue(ForeachOp loop) {
    const int64_t together = warps * lanes / wide;
    const Expr place = mod(low.thread(), wide), column = tile * wide + place;
    return low.loop("row", floorDiv(low.thread(), wide), rows, together, /*unroll=*/false, [&](const Expr &row) {
      low.map(loop.getBody().getArgument(0), row);
      return low.guard({extents[1] - 1 - column}, [&] {
        low.bind(loop.getBody().getArgument(1), column, extents[1]);
        for (auto [dot, parts] : llvm::zip_equal(dots, memory))
          low.tiles[dot.getTile()] = {sumOf(parts, row, place), [](const Expr &) { return graph::Exprs(); }};
        low.enter(loop);
        return low.clone(loop.getBody().front());
      });
    });
  }

  /// Of all parts of the depth, always in the same order.
  Value sumOf(Value parts, const Expr &row, const Expr &place) {
    Value sum = low.variable(low.loadShared(parts, row * split * wide + place));
    (void)low.loop("w", 1, split, 1, /*unroll=*/true, [&](const Expr &w) -> LogicalResult {
      low.accumulate(graph::ReduceKind::Sum, low.loadShared(parts, (row * split + w) * wide + place), sum);
      return success();
    });
    return sum;
  }

  cuda::Lowering low;
  int64_t rows, columns, vector, lhsVector, warps;
  int64_t split, wide; ///< warps with the same columns; columns of a block
  SmallVector<DotOp> dots;
  graph::Exprs extents; ///< m, n, k
  bool keeps;           ///< the rows are computed before the first step
  cuda::RowLoops loops;
  Expr tile, lane, warp;
  Value kept;                      ///< the rows, where they are computed
  SmallVector<Value> sums, memory; ///< of each product [rows][columns] of the thread; [rows][split][wide]
};

} // namespace

/// A thread has the weights of a vector of each column in registers.
static constexpr int64_t mostColumns = 4, usualWarps = 8, mostSplit = 4;

/// The widest vectors along k, 1 where neighbours lie apart.
static int64_t widthAlongDepth(cuda::KernelFacts &facts, Block &operand, Value k) {
  const Expr depth = graph::exprsOf(facts.product->dot.getExtents())[2];
  const bool runs = llvm::any_of(operand.getOps<LoadOp>(), [&](LoadOp load) { return facts.stepsByOne(load, k); });
  return runs ? cuda::vectorWidth({{&operand, k}}, depth, facts.vars, facts.divisors) : 1;
}

/// Of the narrowest of all right operands.
static int64_t widthOfWeights(cuda::KernelFacts &facts) {
  int64_t width = 16;
  kernel::FuncOp func = facts.func;
  for (DotOp dot : func.getBody().getOps<DotOp>()) {
    Block &rhs = dot.getRhs().front();
    width = std::min(width, widthAlongDepth(facts, rhs, rhs.getArgument(0)));
  }
  return width;
}

/// Each lane has at least two vectors of a column. Where every block computes the rows, there are few blocks.
static int64_t splitOf(const cuda::KernelFacts &facts, int64_t vector) {
  int64_t split = facts.loops.empty() ? mostSplit : 1;
  while (split > 1 && facts.product->k < 2 * split * lanes * vector)
    split /= 2;
  return split;
}

static int64_t columnsOf(const cuda::ProductFacts &product, int64_t dots, int64_t split,
                         const GpuArchitecture &target) {
  int64_t columns = mostColumns;
  while (columns > 1 && (columns * dots > mostColumns ||
                         product.batch * product.n < 2 * cuda::enoughBlocks(target) * usualWarps / split * columns))
    columns /= 2;
  return columns;
}

/// Vectors of the rows: of what is read, or of what is kept, which is one behind the other.
static int64_t widthOfRows(cuda::KernelFacts &facts, int64_t rows, int64_t most) {
  Block &lhs = facts.product->dot.getLhs().front();
  const int64_t bytes = graph::byteSize(lhs.getTerminator()->getOperand(0).getType());
  return std::min(keepsRows(facts, rows) ? 16 / bytes : widthAlongDepth(facts, lhs, lhs.getArgument(1)), most);
}

LogicalResult cuda::RowMatvecAttr::verify(EmitError error, int64_t rows, int64_t columns, int64_t vector,
                                          int64_t lhsVector, int64_t warps, int64_t split) {
  if (failed(verifyPositive(error, {rows, columns, warps, split})) || failed(verifyVector(error, vector)) ||
      failed(verifyVector(error, lhsVector)) || failed(verifyDivides(error, "the block's warps", warps, split)))
    return failure();
  if (lhsVector > vector || lanes % columns != 0)
    return error() << columns << " columns do not divide a warp, or vectors of " << lhsVector
                   << " elements of rows no vector of " << vector << " weights";
  return verifyThreads(error, warps * lanes);
}

cuda::Candidates cuda::RowMatvecAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.product)
    return {};
  DotOp dot = facts.product->dot;
  const std::optional<int64_t> rows = graph::exprsOf(dot.getExtents())[0].constant();
  if (!rows || *rows > fewRows || dot.getTile().getType().getElement() != Float32Type::get(facts.context()))
    return {};
  const int64_t vector = widthOfWeights(facts);
  if (vector == 1)
    return {};
  const int64_t lhsVector = widthOfRows(facts, *rows, vector);
  const auto dots = kernel::FuncOp(facts.func).getBody().getOps<DotOp>();
  const int64_t split = splitOf(facts, vector),
                columns = columnsOf(*facts.product, std::distance(dots.begin(), dots.end()), split, target);
  return {RowMatvecAttr::get(facts.context(), *rows, columns, vector, lhsVector, usualWarps, split)};
}

/// As MatvecAttr::cost.
double cuda::RowMatvecAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  return fewRowsCost({getRows(), getWarps() / getSplit() * getColumns(), /*k=*/1, getWarps()}, facts, target);
}

LogicalResult cuda::RowMatvecAttr::lower(kernel::FuncOp func) const {
  return RowMatvec(func, *this, KernelFacts(func)).run();
}

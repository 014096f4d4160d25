//===- lib/Target/CUDA/DistributeRows.cpp - a warp or a block per row ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_DISTRIBUTEROWS
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

class Rows {
public:
  explicit Rows(FuncOp func) : low(func), params(func.getParams()) {}

  LogicalResult run() {
    Expr rows = graph::product(low.grid()), b = Expr::symbol("b"), t = Expr::symbol("t");
    int64_t rowsPerBlock = threads / cooperating;
    Expr blocks = ceilDiv(rows, rowsPerBlock);
    low.launch(threads, blocks);
    if (rowsPerBlock == 1)
      return low.guardBlocks(blocks, [&] { return body(b); });
    Expr row = b * rowsPerBlock + floorDiv(t, cooperating);
    return low.guard({rows - 1 - row}, [&] { return body(row); });
  }

private:
  int64_t number(StringRef name) { return params.getAs<IntegerAttr>(name).getInt(); }
  bool isBlock() const { return cooperating > 32; }

  LogicalResult body(const Expr &row) {
    low.letGrid(row);
    low.let("lane", isBlock() ? Expr::symbol("t") : mod(Expr::symbol("t"), 32), cooperating);
    for (Operation &op : low.source())
      if (failed(statement(op)))
        return failure();
    return success();
  }

  LogicalResult statement(Operation &op) {
    if (auto map = dyn_cast<MapOp>(op))
      return keep(map);
    if (auto loop = dyn_cast<kernel::ReduceOp>(op))
      return reduce(loop);
    if (auto loop = dyn_cast<ForeachOp>(op))
      return each(loop, loop.getVars(), loop.getExtents(), [](ValueRange) {});
    if (isa<StoreOp>(op)) // One thread writes what belongs to the whole row.
      return low.guard({-Expr::symbol("lane")}, [&] { return low.clone(op); });
    return low.clone(op);
  }

  /// The loop's points, shared between the threads of the row. "i" counts a thread's
  /// vectors and "e" the elements of a vector in every loop, so that tiles match.
  LogicalResult each(Operation *loop, ArrayAttr varsAttr, ArrayAttr extentsAttr, cuda::Lowering::Yield yield) {
    SmallVector<std::string> vars = cuda::names(varsAttr);
    graph::Exprs extents = graph::exprsOf(extentsAttr);
    Expr inner = extents.back();
    extents.back() = floorDiv(extents.back(), width);
    Expr count = graph::product(extents), i = Expr::symbol("i");
    Expr flat = i * cooperating + Expr::symbol("lane");
    Expr trips = ceilDiv(count, cooperating);
    bool unroll = trips.constant() && *trips.constant() <= 64;
    low.enter(varsAttr, extentsAttr);
    if (failed(low.hoistInvariant(loop->getRegion(0).front(), vars)))
      return failure();
    return low.loop("i", 0, trips, 1, unroll, [&] {
      return low.guard({count - 1 - flat}, [&] {
        ArrayRef<Expr> outer = ArrayRef(extents).drop_back();
        bool single = outer.empty();
        low.letCoordinates(ArrayRef(vars).drop_back(), outer, single ? flat : floorDiv(flat, extents.back()));
        Expr column = single ? flat : mod(flat, extents.back());
        return low.cloneVector(loop->getRegion(0).front(), vars.back(), column * width, inner, width, yield);
      });
    });
  }

  graph::Exprs tileIndex() const {
    graph::Exprs index = {Expr::symbol("i")};
    if (width > 1)
      index.push_back(Expr::symbol("e"));
    return index;
  }

  /// Registers of every thread hold its part of a map, if they are few; else the map
  /// is computed again wherever it is read.
  LogicalResult keep(MapOp map) {
    Expr count = graph::product(graph::exprsOf(map.getExtents()));
    std::optional<int64_t> constant = count.constant();
    if (!constant || *constant > registerElements * cooperating)
      return success();
    int64_t trips = (*constant / width + cooperating - 1) / cooperating;
    SmallVector<Value> registers;
    for (Value tile : map.getTiles()) {
      Type element = llvm::cast<TileType>(tile.getType()).getElement();
      SmallVector<int64_t> extents = {trips};
      if (width > 1)
        extents.push_back(width);
      registers.push_back(low.registers(extents, element));
    }
    LogicalResult done = each(map, map.getVars(), map.getExtents(), [&](ValueRange yielded) {
      for (auto [value, place] : llvm::zip_equal(yielded, registers))
        low.set(value, place, tileIndex());
    });
    for (auto [tile, place] : llvm::zip_equal(map.getTiles(), registers))
      low.tiles[tile] = {place, tileIndex()};
    return done;
  }

  LogicalResult reduce(kernel::ReduceOp op) {
    SmallVector<cuda::Accumulator> accumulators;
    for (auto [kind, type] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResultTypes()))
      accumulators.push_back(cuda::makeAccumulator(low, kind.getValue(), type));
    LogicalResult done = each(op, op.getVars(), op.getExtents(), [&](ValueRange yielded) {
      for (auto [accumulator, value] : llvm::zip_equal(accumulators, yielded))
        cuda::accumulate(low, accumulator, value);
    });
    for (auto [accumulator, result] : llvm::zip_equal(accumulators, op.getResults()))
      low.values.map(result, low.cast(combine(accumulator), accumulator.type));
    return done;
  }

  Value combine(const cuda::Accumulator &accumulator) {
    Value own = low.get(accumulator.registers);
    Location loc = low.func.getLoc();
    if (!isBlock())
      return WarpReduceOp::create(low.builder, loc, own.getType(), accumulator.kind, own);
    Value &scratch = scratches[own.getType()];
    if (!scratch) {
      OpBuilder::InsertionGuard saved(low.builder);
      low.builder.setInsertionPointToStart(&low.func.getBody().front());
      scratch = low.smem(threads / 32, own.getType());
    }
    return BlockReduceOp::create(low.builder, loc, own.getType(), accumulator.kind, own, scratch);
  }

  static constexpr int64_t registerElements = 32; ///< of one map, per thread
  cuda::Lowering low;
  DictionaryAttr params;
  int64_t threads = number("threads"), cooperating = number("row_threads");
  int64_t width = number("vector");
  llvm::DenseMap<Type, Value> scratches;
};

struct DistributeRows : cuda::impl::DistributeRowsBase<DistributeRows> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() == "row_reduction" && !func->hasAttr("launch"))
      if (failed(Rows(func).run()))
        signalPassFailure();
  }
};

} // namespace

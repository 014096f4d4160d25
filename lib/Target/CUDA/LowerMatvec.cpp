//===- lib/Target/CUDA/LowerMatvec.cpp - a product with few rows ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using cupola::cuda::symbol;

namespace cupola::cuda {
#define GEN_PASS_DEF_LOWERMATVEC
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

/// The weights stream by once, every element used for all rows. A block owns 32 columns, a
/// lane each; its warps share k and add up in shared memory.
class Matvec {
public:
  explicit Matvec(FuncOp func) : low(func), rows(func.getParams().getAs<IntegerAttr>("rows").getInt()) {
    dot = *low.source().getOps<DotOp>().begin();
    extents = graph::exprsOf(dot.getExtents());
  }

  LogicalResult run() {
    Expr tiles = ceilDiv(extents[1], lanes), blocks = graph::product(low.grid()) * tiles;
    low.launch(threads, blocks);
    return low.guardBlocks(blocks, [&]() -> LogicalResult {
      Expr b = symbol("b"), t = symbol("t");
      low.let("tn", mod(b, tiles), tiles);
      low.letGrid(floorDiv(b, tiles));
      low.let("lane", mod(t, lanes), lanes);
      low.let("warp", floorDiv(t, lanes), warps);
      for (Operation &op : low.source()) {
        auto each = dyn_cast<ForeachOp>(op);
        if (failed(&op == dot.getOperation() ? product() : each ? epilogue(each) : low.clone(op)))
          return failure();
      }
      return success();
    });
  }

private:
  static constexpr int64_t threads = 256, lanes = 32, warps = threads / lanes;

  /// Partial sums of this warp's k to shared memory: [warp][row][lane].
  LogicalResult product() {
    Type f32 = low.builder.getF32Type();
    Location loc = low.func.getLoc();
    Value acc = low.registers({rows, 1}, f32, 1, /*zero=*/true);
    partial = low.smem(warps * rows * lanes, f32);
    Expr column = symbol("tn") * lanes + symbol("lane");
    LogicalResult done = low.guard({extents[1] - 1 - column}, [&] {
      SmallVector<std::string> vars = cuda::names(dot.getVars());
      low.let(vars[1], column, extents[1]);
      return low.loop(vars[2], symbol("warp"), extents[2], warps, /*unroll=*/false, [&] { return step(vars[0], acc); });
    });
    (void)low.loop("i", 0, rows, 1, /*unroll=*/true, [&]() -> LogicalResult {
      Expr at = (symbol("warp") * rows + symbol("i")) * lanes + symbol("lane");
      StoreSharedOp::create(low.builder, loc, low.get(acc, {symbol("i"), 0}), partial, at);
      return success();
    });
    BarrierOp::create(low.builder, loc);
    return done;
  }

  /// acc[m] += lhs(m, k) * rhs(k, n) for all rows.
  LogicalResult step(StringRef m, Value acc) {
    Type f32 = low.builder.getF32Type();
    Value weight = low.registers({1}, f32), vector = low.registers({rows}, f32);
    Block &rhs = dot.getRhs().front(), &lhs = dot.getLhs().front();
    if (failed(low.clone(rhs)))
      return failure();
    low.set(low.cast(low.yielded(rhs)[0], f32), weight, {Expr(0)});
    LogicalResult done = low.loop(m, 0, rows, 1, /*unroll=*/true, [&]() -> LogicalResult {
      if (failed(low.clone(lhs)))
        return failure();
      low.set(low.cast(low.yielded(lhs)[0], f32), vector, {symbol(m)});
      return success();
    });
    FmaTileOp::create(low.builder, low.func.getLoc(), acc, vector, weight);
    return done;
  }

  /// Warp w finishes rows w, w + warps, ..
  LogicalResult epilogue(ForeachOp loop) {
    SmallVector<std::string> vars = cuda::names(loop.getVars());
    Type f32 = low.builder.getF32Type();
    Expr column = symbol("tn") * lanes + symbol("lane");
    return low.loop(vars[0], symbol("warp"), rows, warps, /*unroll=*/false, [&] {
      return low.guard({extents[1] - 1 - column}, [&] {
        low.let(vars[1], column, extents[1]);
        Value sum = low.variable(low.constant(f32, 0));
        (void)low.loop("w", 0, warps, 1, /*unroll=*/true, [&]() -> LogicalResult {
          Expr at = (symbol("w") * rows + symbol(vars[0])) * lanes + symbol("lane");
          Value part = LoadSharedOp::create(low.builder, low.func.getLoc(), f32, partial, at);
          AccumulateOp::create(low.builder, low.func.getLoc(), graph::ReduceKind::Sum, part, sum,
                               low.builder.getArrayAttr({}));
          return success();
        });
        low.tiles[dot.getTile()] = {sum, {}};
        low.enter(loop.getVars(), loop.getExtents());
        return low.clone(loop.getBody().front());
      });
    });
  }

  cuda::Lowering low;
  int64_t rows;
  DotOp dot;
  graph::Exprs extents; ///< m, n, k
  Value partial;
};

struct LowerMatvec : cuda::impl::LowerMatvecBase<LowerMatvec> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.getSchedule() == "matvec" && !func->hasAttr("launch"))
      if (failed(Matvec(func).run()))
        signalPassFailure();
  }
};

} // namespace

//===- lib/Target/CUDA/PipelineCopies.cpp - overlap transfers with arithmetic ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;

namespace cupola::cuda {
#define GEN_PASS_DEF_PIPELINECOPIES
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

class Pipeline {
public:
  explicit Pipeline(TileLoopOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()), vars(loop->getParentOfType<simt::FuncOp>()),
        trips(loop.getTrips()), stages(loop.getStages()) {}

  void run() {
    loop.getAsync() ? async() : throughRegisters();
    loop.erase();
  }

private:
  /// A region for tile `at`, in buffer `buffer`.
  void place(Region &region, const Expr &at, const Expr &buffer) {
    IRMapping values;
    std::map<std::string, Expr> bound = {{vars.name(region.getArgument(0)), at},
                                         {vars.name(region.getArgument(1)), buffer}};
    for (Operation &op : region.front())
      builder.clone(op, values)->walk([&](kernel::PositionInterface positions) {
        vars.rewrite(positions, [&](const Expr &e) { return e.substitute(bound); });
      });
  }

  template <class Body> void in(Region &region, Body body) {
    OpBuilder::InsertionGuard saved(builder);
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    body();
  }

  /// A region for tile `at` where there is such a tile.
  void guarded(const Expr &at, llvm::function_ref<void()> body) {
    Expr condition = trips - 1 - at;
    if (condition.constant().value_or(-1) >= 0)
      return body();
    SmallVector<Value> indices = vars.write(condition);
    auto guard = GuardOp::create(builder, loc, graph::exprArray(builder.getContext(), {condition}), indices);
    in(guard.getBody(), body);
  }

  /// The loop over all tiles.
  void mainLoop(llvm::function_ref<void(const Expr &tile)> body) {
    auto op = simt::ForOp::create(builder, loc, Expr(0), trips, Expr(1), ValueRange(), /*unroll=*/false);
    in(op.getBody(), [&] {
      Value tile = op.getBody().addArgument(builder.getIndexType(), loop.getFetch().getArgument(0).getLoc());
      body(vars.of(tile));
    });
  }

  /// The buffer of a tile, as a variable.
  Expr bufferOf(const Expr &tile) {
    Expr buffer = mod(tile, stages);
    SmallVector<Value> indices = vars.write(buffer);
    Location named = loop.getFetch().getArgument(1).getLoc();
    return vars.of(kernel::ApplyOp::create(builder, named, builder.getIndexType(), buffer, Expr(stages), indices));
  }

  /// With two buffers one barrier an iteration suffices: who fills a buffer again has
  /// passed the barrier after which all others finished reading it.
  void throughRegisters() {
    place(loop.getFetch(), 0, 0);
    mainLoop([&](const Expr &tile) {
      Expr stage = bufferOf(tile);
      place(loop.getStore(), tile, stage);
      BarrierOp::create(builder, loc);
      guarded(tile + 1, [&] { place(loop.getFetch(), tile + 1, 0); });
      place(loop.getCompute(), tile, stage);
      if (stages == 1)
        BarrierOp::create(builder, loc);
    });
  }

  /// stages - 1 groups are under way; every iteration closes one, empty or not, so that
  /// the wait always means the same tile.
  void async() {
    for (int64_t i = 0; i + 1 < stages; ++i) {
      guarded(i, [&] { place(loop.getFetch(), i, i); });
      AsyncCommitOp::create(builder, loc);
    }
    mainLoop([&](const Expr &tile) {
      AsyncWaitOp::create(builder, loc, stages - 2);
      BarrierOp::create(builder, loc);
      Expr next = tile + (stages - 1);
      guarded(next, [&] { place(loop.getFetch(), next, mod(next, stages)); });
      AsyncCommitOp::create(builder, loc);
      place(loop.getCompute(), tile, bufferOf(tile));
    });
  }

  TileLoopOp loop;
  OpBuilder builder;
  Location loc;
  kernel::Variables vars;
  Expr trips;
  int64_t stages;
};

struct PipelineCopies : cuda::impl::PipelineCopiesBase<PipelineCopies> {
  void runOnOperation() override {
    SmallVector<TileLoopOp> loops;
    getOperation()->walk([&](TileLoopOp loop) { loops.push_back(loop); });
    for (TileLoopOp loop : loops)
      Pipeline(loop).run();
  }
};

} // namespace

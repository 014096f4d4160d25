//===- lib/Target/CUDA/PipelineCopies.cpp - overlap transfers with arithmetic ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Lowering.h"
#include "lib/Target/CUDA/Passes.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;

namespace cupola::cuda {
#define GEN_PASS_DEF_PIPELINECOPIES
#include "lib/Target/CUDA/Passes.h.inc"
} // namespace cupola::cuda

namespace {

class Pipeline {
public:
  explicit Pipeline(TileLoopOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()), trips(loop.getTrips()), stages(loop.getStages()) {}

  void run() {
    loop.getAsync() ? async() : throughRegisters();
    loop.erase();
  }

private:
  Expr tile() { return cuda::symbol(loop.getName()); }
  Expr stage() { return cuda::symbol(loop.getStage()); }

  /// A region for tile `at`, in buffer `buffer`.
  void place(Region &region, const Expr &at, const Expr &buffer) {
    IRMapping values;
    for (Operation &op : region.front())
      cuda::substitute(builder.clone(op, values), {{loop.getName().str(), at}, {loop.getStage().str(), buffer}});
  }

  template <class Body> void in(Region &region, Body body) {
    OpBuilder::InsertionGuard saved(builder);
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    body();
  }

  /// A region for tile `at` where there is such a tile.
  void guarded(const Expr &at, llvm::function_ref<void()> body) {
    if ((trips - 1 - at).constant().value_or(-1) >= 0)
      return body();
    auto guard = GuardOp::create(builder, loc, graph::exprArray(builder.getContext(), {trips - 1 - at}));
    in(guard.getBody(), body);
  }

  ForOp mainLoop() { return ForOp::create(builder, loc, loop.getName(), Expr(0), trips, Expr(1), false); }

  /// With two buffers one barrier an iteration suffices: who fills a buffer again has
  /// passed the barrier after which all others finished reading it.
  void throughRegisters() {
    place(loop.getFetch(), 0, 0);
    in(mainLoop().getBody(), [&] {
      LetOp::create(builder, loc, loop.getStage(), mod(tile(), stages), ValueRange(), Expr(stages));
      place(loop.getStore(), tile(), stage());
      BarrierOp::create(builder, loc);
      guarded(tile() + 1, [&] { place(loop.getFetch(), tile() + 1, 0); });
      place(loop.getCompute(), tile(), stage());
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
    in(mainLoop().getBody(), [&] {
      AsyncWaitOp::create(builder, loc, stages - 2);
      BarrierOp::create(builder, loc);
      Expr next = tile() + (stages - 1);
      guarded(next, [&] { place(loop.getFetch(), next, mod(next, stages)); });
      AsyncCommitOp::create(builder, loc);
      LetOp::create(builder, loc, loop.getStage(), mod(tile(), stages), ValueRange(), Expr(stages));
      place(loop.getCompute(), tile(), stage());
    });
  }

  TileLoopOp loop;
  OpBuilder builder;
  Location loc;
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

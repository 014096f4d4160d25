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
        trips(loop.getTrips()), stages(loop.getStages()), steps(loop.getSteps()) {}

  void run() {
    loop.loadsFragments() ? fragmentsAhead() : throughRegisters();
    loop.erase();
  }

private:
  /// A region for tile `at`, in buffer `buffer`, and one of its steps. Copies bring zeros where there is no such tile.
  void place(Region &region, const Expr &at, const Expr &buffer, int64_t step = 0) {
    IRMapping values = step % 2 ? twins : IRMapping();
    const Expr arguments[] = {at, buffer, step};
    std::map<std::string, Expr> bound;
    for (BlockArgument argument : region.getArguments())
      bound[vars.name(argument)] = arguments[argument.getArgNumber()];
    for (Operation &op : region.front())
      builder.clone(op, values)->walk([&](kernel::PositionInterface positions) {
        vars.rewrite(positions, [&](const Expr &e) { return e.substitute(bound); });
        if (auto copy = dyn_cast<AsyncCopyOp>(positions.getOperation()))
          onlyIf(copy, trips - 1 - at);
      });
  }

  void placeBeside() {
    if (!loop.getBeside().empty())
      builder.getInsertionBlock()->getOperations().splice(builder.getInsertionPoint(),
                                                          loop.getBeside().front().getOperations());
  }

  void onlyIf(AsyncCopyOp copy, const Expr &condition) {
    if (proveLessEqual(0, condition, vars.ranges()) == true)
      return;
    graph::Exprs exprs = {vars.read(copy.getPosition(), copy.getIndices()),
                          vars.read(copy.getTarget(), copy.getIndices())};
    llvm::append_range(exprs, vars.read(copy.getMask(), copy.getIndices()));
    exprs.push_back(condition);
    SmallVector<Value> indices = vars.write(exprs);
    copy.setPosition(exprs[0]);
    copy.setTarget(exprs[1]);
    copy.setMaskAttr(graph::exprArray(builder.getContext(), ArrayRef(exprs).drop_front(2)));
    copy.getIndicesMutable().assign(indices);
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

  /// The loop over all tiles. `buffers` are those of the tiles `ahead` of it.
  void mainLoop(ArrayRef<int64_t> ahead, llvm::function_ref<void(const Expr &tile, ArrayRef<Expr> buffers)> body) {
    auto starts = llvm::map_to_vector(ahead, [&](int64_t tiles) { return tiles % stages; });
    auto op = simt::ForOp::create(builder, loc, Expr(0), trips, Expr(1), ValueRange(), /*unroll=*/false,
                                  starts.empty() ? 0 : stages, starts);
    static constexpr const char *names[] = {"s", "next", "filled"};
    in(op.getBody(), [&] {
      Value tile = op.getBody().addArgument(builder.getIndexType(), loop.getFetch().getArgument(0).getLoc());
      SmallVector<Expr> buffers;
      for (const char *name : ArrayRef(names).take_front(starts.size())) {
        Location named = cuda::namedLoc(loc, name);
        buffers.push_back(vars.of(op.getBody().addArgument(builder.getIndexType(), named)));
      }
      body(vars.of(tile), buffers);
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
    placeBeside();
    mainLoop({}, [&](const Expr &tile, ArrayRef<Expr>) {
      Expr stage = bufferOf(tile);
      place(loop.getStore(), tile, stage);
      BarrierOp::create(builder, loc);
      guarded(tile + 1, [&] { place(loop.getFetch(), tile + 1, 0); });
      place(loop.getCompute(), tile, stage);
      if (stages == 1)
        BarrierOp::create(builder, loc);
    });
  }

  //===--- Fragments one step ahead, across the barrier, too ---===//

  void fragmentsAhead() {
    makeTwins();
    const int64_t ahead = loop.getAsync() ? stages - 1 : 1;
    for (int64_t tile = 0; tile < ahead; ++tile)
      fetch(tile, tile);
    placeBeside();
    unpack(0, 0);
    arrive(0, 0);
    place(loop.getLoad(), 0, 0);
    mainLoop({0, 1, ahead}, [&](const Expr &tile, ArrayRef<Expr> buffers) {
      const Expr &own = buffers[0], &next = buffers[1], &filled = buffers[2];
      for (int64_t step = 0; step < steps; ++step) {
        const bool isLast = step + 1 == steps;
        if (step == 0)
          unpack(tile + 1, next);
        if (isLast)
          arrive(tile + 1, next);
        place(loop.getLoad(), isLast ? tile + 1 : tile, isLast ? next : own, (step + 1) % steps);
        if (step == 0)
          fetch(tile + ahead, filled);
        place(loop.getCompute(), tile, own, step);
      }
    });
  }

  /// Two sets of fragments: one is loaded while the other is used.
  void makeTwins() {
    loop.getLoad().walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (auto fragment = operand.getDefiningOp<RegistersOp>(); fragment && !twins.contains(operand)) {
          OpBuilder::InsertionGuard saved(builder);
          builder.setInsertionPointAfter(fragment);
          twins.map(operand, builder.clone(*fragment)->getResult(0));
        }
    });
  }

  /// Starts the transfer of a tile. With copies, stages - 1 groups are under way, each a tile's: where there is none,
  /// zeros, so that a wait always means the same tile. Loads are of the last tile once more: under a condition they
  /// would be waited for where it ends.
  void fetch(const Expr &tile, const Expr &buffer) {
    if (!loop.getAsync())
      return place(loop.getFetch(), lastOr(tile), buffer);
    place(loop.getFetch(), tile, buffer);
    AsyncCommitOp::create(builder, loc);
  }

  /// What no copy brings goes from registers to shared memory, and the next tile comes there: nobody waits for it
  /// before this place is reached again. The products of a whole tile cover what it takes.
  void unpack(const Expr &tile, const Expr &buffer) {
    if (loop.getAsync())
      place(loop.getStore(), tile, buffer);
  }

  /// `tile`, or the last one, as a variable.
  Expr lastOr(const Expr &tile) {
    Expr at = simplify(min(tile, trips - 1), vars.ranges());
    if (at.constant())
      return at;
    SmallVector<Value> indices = vars.write(at);
    Location named = cuda::namedLoc(loc, "ahead");
    return vars.of(kernel::ApplyOp::create(builder, named, builder.getIndexType(), at, trips, indices));
  }

  /// Behind it all threads may read the tile, and write what was read before: its last fragments were loaded a step
  /// ago. Behind the last tile there is another, of which nothing is used.
  void arrive(const Expr &tile, const Expr &buffer) {
    if (loop.getAsync())
      AsyncWaitOp::create(builder, loc, stages - 2);
    else
      place(loop.getStore(), tile, buffer);
    BarrierOp::create(builder, loc);
  }

  TileLoopOp loop;
  OpBuilder builder;
  Location loc;
  kernel::Variables vars;
  Expr trips;
  int64_t stages, steps;
  IRMapping twins; ///< of fragments, for odd steps
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

//===- lib/Target/CUDA/Schedules/AttentionWgmma.cpp - attention by warpgroups, copies by another ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/AttentionLowering.h"
#include "lib/Target/CUDA/CopyRoles.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;
using cuda::rowElements, cuda::rowsOfGroup, cuda::warpgroup;

namespace {

/// Keys of a step, as many as a copy of values brings rows.
constexpr int64_t keys = 64;
/// Of a product; rows of a warp.
constexpr int64_t mmaK = 16, rowsOfWarp = 16;
constexpr int64_t warpsOfGroup = rowsOfGroup / rowsOfWarp;
/// Of warps that multiply, which take turns.
constexpr int64_t groups = 2;

/// Copies bring 64 elements of a key or value at a time, zeros beyond the last.
int64_t padded(int64_t elements) { return llvm::alignTo(elements, rowElements); }

/// Keys and values, as one copies them.
struct Operands {
  cuda::TensorOperand k, v;
};

std::optional<Operands> operandsOf(kernel::FuncOp func, const cuda::AttentionParts &parts, Variables &vars) {
  kernel::ForOp steps = parts.steps;
  DotOp scores = parts.scores, result = parts.result;
  const Value step = steps.getStep();
  const Expr all = steps.getSteps() * parts.keys;
  Region &ofKeys = scores.getRhs(), &ofValues = result.getRhs();
  auto k = cuda::tensorOperand(func, ofKeys.front(), {ofKeys.getArgument(1), all, step, parts.keys},
                               {ofKeys.getArgument(0), parts.depth}, vars);
  auto v = cuda::tensorOperand(func, ofValues.front(), {ofValues.getArgument(1), parts.columns},
                               {ofValues.getArgument(0), all, step, parts.keys}, vars);
  if (!k || !v || !k->alongK || v->alongK)
    return std::nullopt;
  return Operands{std::move(*k), std::move(*v)};
}

/// One warpgroup, a thread of it, copies keys and values; the others have 64 rows each (Shah et al., FlashAttention-3,
/// 2024). Queries are fragments in registers, and so are weights. The values of a step are multiplied while the scores
/// of the next one become weights; two warpgroups take turns in starting products, so that one multiplies while the
/// other weighs.
class Wgmma : public cuda::AttentionLowering {
public:
  Wgmma(kernel::FuncOp func, cuda::AttentionWgmmaAttr schedule, const Operands &operands)
      : AttentionLowering(func, schedule.getRows(), schedule.getThreads(), /*sharers=*/4), own(low, /*threads=*/32),
        operands(operands), stages(schedule.getStages()), depth(padded(parts.depth)), columns(padded(parts.columns)),
        ringK(low, stages), ringV(low, stages) {
    setsScores = true;
  }

private:
  MLIRContext *context() { return low.func.getContext(); }
  Location loc() { return low.func.getLoc(); }

  //===--- Where things are ---===//

  void letThreads() override {
    lane = low.let("lane", mod(low.thread(), 32), 32);
    warp = low.let("warp", mod(floorDiv(low.thread(), 32), warpsOfGroup), warpsOfGroup);
  }
  SmallVector<int64_t> rowExtents() const override { return {2}; }
  SmallVector<int64_t> tileExtents(int64_t columns) const override { return {padded(columns) / 8, 4}; }
  int64_t neighbours(int64_t) const override { return 2; }
  /// Accumulators 2*h and 2*h + 1 are neighbours in row 8*h + lane/4 of a warp's 16 by 8 tile.
  graph::Exprs element(const graph::Exprs &row, const graph::Exprs &column) const override {
    return {column[0], row[0] * 2 + column[1]};
  }

  LogicalResult forRows(PlaceBody body) override {
    return low.loop("h", 0, 2, 1, /*unroll=*/true,
                    [&](const Expr &h) { return body({{h}, ofWarp * rowsOfWarp + h * 8 + floorDiv(lane, 4)}); });
  }

  LogicalResult forColumns(int64_t columns, int64_t width, PlaceBody body) override {
    return forPairs(tileExtents(columns)[0], lane, width, body);
  }

  //===--- The roles ---===//

  LogicalResult program() override {
    low.func.setCluster(1);
    low.func.setMapsAttr(ArrayAttr::get(context(), {operands.k.map(context(), rowElements, keys, cuda::copySwizzle),
                                                    operands.v.map(context(), rowElements, keys, cuda::copySwizzle)}));
    allocate();
    if (failed(prepareBarriers()))
      return failure();
    ClusterBarrierOp::create(low.builder, loc());
    GridWaitOp::create(low.builder, loc());
    GridReleaseOp::create(low.builder, loc());
    if (failed(cuda::role(low, 0, warpgroup, producerRegisters, [&] { return produce(); })))
      return failure();
    return cuda::role(low, warpgroup, threads, consumerRegisters, [&] { return consume(); });
  }

  void allocate() {
    Region &region = parts.scores.getLhs();
    stored = region.front().getTerminator()->getOperand(0).getType();
    smemK = low.smem(stages * keys * depth, stored, cuda::copySwizzle);
    smemV = low.smem(stages * keys * columns, stored, cuda::copySwizzle);
    turns = low.smem(groups, low.builder.getIntegerType(64, /*isSigned=*/false));
    ringK.allocate();
    ringV.allocate();
  }

  LogicalResult prepareBarriers() {
    return low.guard({-low.thread()}, [&] {
      (void)low.loop("s", 0, stages, 1, /*unroll=*/true, [&](const Expr &s) -> LogicalResult {
        for (cuda::StageRing *ring : {&ringK, &ringV})
          ring->init(s, groups * warpsOfGroup); // a lane of every warp that multiplies
        return success();
      });
      for (int64_t group = 0; group < groups; ++group)
        cuda::initBarrier(low, turns, group, warpsOfGroup);
      MbarrierInitFenceOp::create(low.builder, loc());
      for (int64_t map : {0, 1})
        TensorMapAcquireOp::create(low.builder, loc(), map);
      return success();
    });
  }

  Expr stepNow() { return low.vars.of(low.values.lookup(parts.steps.getStep())); }
  /// Steps of this block before the one that is being written.
  Expr stepsBefore() { return stepNow() - firstStep; }

  //===--- The warpgroup that copies ---===//

  LogicalResult produce() {
    return low.guard({-low.thread()}, [&] {
      return low.loop(parts.steps.getStep(), firstStep, endStep, 1, /*unroll=*/false, [&] {
        bring(ringK, 0, operands.k, smemK, depth);
        bring(ringV, 1, operands.v, smemV, columns);
        return success();
      });
    });
  }

  /// Parts of 64 elements of all keys or values of a step.
  void bring(cuda::StageRing &ring, int64_t map, const cuda::TensorOperand &operand, Value smem, int64_t elements) {
    const cuda::StageRing::Turn turn = ring.turn(stepsBefore());
    ring.await(turn, keys * elements * 2);
    for (int64_t first = 0; first < elements; first += rowElements)
      ring.copy(map, cuda::placeOf(low, operand, {first, stepNow() * keys}), turn, smem,
                (turn.stage * elements + first) * keys);
  }

  //===--- The warpgroups that multiply ---===//

  LogicalResult consume() {
    Value ofBlock = WarpgroupOp::create(low.builder, cuda::namedLoc(loc(), "wg"), low.builder.getIndexType());
    ofGroup = low.let("team", low.vars.of(ofBlock) - 1, groups);
    ofWarp = low.let("own", ofGroup * warpsOfGroup + warp, groups * warpsOfGroup);
    own.copier = lane;
    own.ownBuffer = ofWarp;
    return body();
  }

  /// A warp brings its queries for itself.
  LogicalResult begin() override {
    cuda::Operand q = queries();
    q.outerBase = q.outerBase + ofWarp * rowsOfWarp;
    q.outer = rowsOfWarp;
    q.depth = depth;
    own.vectors.plan(q, /*mostWidth=*/8);
    q.kMajor = false;
    q.pitch = depth + 8; // neighbouring rows in different banks
    const bool async = own.vectors.canCopyAsync(q);
    own.allocate(q, stored, /*stages=*/groups * warpsOfGroup, /*withRegisters=*/!async);
    if (failed(own.bring(q, async)))
      return failure();
    if (async) {
      AsyncCommitOp::create(low.builder, loc());
      AsyncWaitOp::create(low.builder, loc(), 0);
    }
    WarpBarrierOp::create(low.builder, loc());
    fragmentsQ = fragments(depth);
    Expr at = own.buffer(q);
    SmallVector<Value> indices = low.vars.write(at);
    MmaLoadOp::create(low.builder, loc(), MmaOperand::AK, q.smem, at, indices, q.pitch, fragmentsQ);
    fragmentsP = fragments(keys);
    return success();
  }
  Value fragments(int64_t k) {
    return low.registers({k / mmaK, 4}, IntegerType::get(context(), 32, IntegerType::Unsigned));
  }

  /// The first one apart: behind it, each has the values of the one before to multiply.
  LogicalResult forSteps() override {
    BlockArgument index = parts.steps.getStep();
    return low.guard({endStep - 1 - firstStep}, [&] {
      isFirst = true;
      low.bind(index, firstStep, parts.steps.getSteps());
      if (failed(step()))
        return failure();
      isFirst = false;
      LogicalResult rest = low.loop(index, firstStep + 1, endStep, 1, /*unroll=*/false, [&] { return step(); });
      const Expr last = endStep - 1 - firstStep;
      ringV.awaitFull(ringV.turn(last));
      multiplyValues(last);
      waitForValues();
      return rest;
    });
  }

  /// Products end in the order in which they began: these scores are there while values are still multiplied.
  LogicalResult scores(Value acc) override {
    const Expr count = stepsBefore();
    const cuda::StageRing::Turn turn = ringK.turn(count);
    ringK.awaitFull(turn);
    if (!isFirst)
      ringV.awaitFull(ringV.turn(count - 1));
    takeTurn(count);
    multiply(acc, fragmentsQ, smemK, turn.stage * (keys * depth), /*transposed=*/false);
    if (!isFirst)
      multiplyValues(count - 1);
    passTurn();
    WgmmaWaitOp::create(low.builder, loc(), isFirst ? 0 : 1, acc);
    inALane([&] { ringK.leave(count, 0); });
    return success();
  }

  /// The first group's first turn is nobody's to give: no phase of its barrier has ended, which counts as one of the
  /// other parity.
  void takeTurn(const Expr &count) {
    cuda::waitBarrier(low, turns, ofGroup, simplify(mod(count + 1 + ofGroup, 2), low.vars.ranges()));
  }
  void passTurn() {
    inALane([&] { cuda::arriveBarrier(low, turns, 1 - ofGroup, 0); });
  }

  LogicalResult result(Value, Value weights) override {
    WgmmaPackOp::create(low.builder, loc(), weights, fragmentsP, stored.isBF16());
    return success();
  }

  /// Whatever reads sums of values waits for them.
  LogicalResult statement(Operation &op) override {
    kernel::ForOp steps = parts.steps;
    if (!isFirst && op.getParentOp() == steps && readsSums(op)) {
      waitForValues();
      inALane([&] { ringV.leave(stepsBefore() - 1, 0); });
    }
    return AttentionLowering::statement(op);
  }
  Value sums() {
    kernel::ForOp steps = parts.steps;
    const auto at = llvm::find(steps.getYield().getValues(), Value(parts.result.getTile()));
    return steps.getCarried()[std::distance(steps.getYield().getValues().begin(), at)];
  }
  bool readsSums(Operation &op) {
    const Value tile = sums();
    return op
        .walk([&](ExtractOp extract) {
          return extract.getTile() == tile ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void multiplyValues(const Expr &count) {
    multiply(heldOf(sums()), fragmentsP, smemV, ringV.turn(count).stage * (keys * columns), /*transposed=*/true);
  }
  void waitForValues() { WgmmaWaitOp::create(low.builder, loc(), 0, heldOf(sums())); }

  void multiply(Value acc, Value left, Value right, Expr at, bool transposed) {
    WgmmaFenceOp::create(low.builder, loc(), acc, left);
    SmallVector<Value> indices = low.vars.write(at);
    WgmmaFragmentsOp::create(low.builder, loc(), acc, left, right, at, indices, /*group=*/keys * rowElements,
                             transposed, /*sets=*/!transposed);
    WgmmaCommitOp::create(low.builder, loc());
  }

  void inALane(llvm::function_ref<void()> body) {
    (void)low.guard({-lane}, [&] { return body(), success(); });
  }

  /// What setmaxnreg gives either: of 65536 in all.
  static constexpr int64_t producerRegisters = 40, consumerRegisters = 232;
  cuda::OperandCopies own; ///< of a warp
  Operands operands;
  int64_t stages, depth, columns; ///< extents in shared memory
  bool isFirst = false;           ///< of the steps, the one that is being written
  Type stored;
  Expr lane, warp;      ///< in the warp; of the warp in its group
  Expr ofGroup, ofWarp; ///< among those that multiply
  cuda::StageRing ringK, ringV;
  Value smemK, smemV, turns, fragmentsQ, fragmentsP;
};

int64_t sharedBytes(const cuda::AttentionParts &parts, cuda::AttentionWgmmaAttr schedule) {
  const int64_t depth = padded(parts.depth), stages = schedule.getStages();
  return 2 * (stages * keys * (depth + padded(parts.columns)) + schedule.getRows() * (depth + 8)) + 32 * stages + 16;
}

/// What is made of scores, and of results.
bool isEligible(const cuda::AttentionParts &parts, kernel::FuncOp func) {
  auto hasOwnLoop = [](ForeachOp loop) { return !cuda::readsTiles(loop.getBody()); };
  return parts.keys == keys && padded(parts.depth) <= 128 && padded(parts.columns) <= 128 &&
         llvm::none_of(func.getBody().getOps<ForeachOp>(), hasOwnLoop);
}

} // namespace

LogicalResult cuda::AttentionWgmmaAttr::verify(EmitError error, int64_t rows, int64_t stages) {
  if (rows != groups * rowsOfGroup)
    return error() << "a block of " << rows << " rows is none of " << groups << " warpgroups with " << rowsOfGroup
                   << " rows each, which take turns";
  if (stages < 2)
    return error() << "fewer than two stages leave nothing to overlap";
  return success();
}

cuda::Candidates cuda::AttentionWgmmaAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.attention || !target.wgmma)
    return {};
  const AttentionParts &parts = facts.attention->parts;
  if (!areHalves(parts.scores, target) || !areHalves(parts.result, target) || !isEligible(parts, facts.func) ||
      !operandsOf(facts.func, parts, facts.vars))
    return {};
  auto schedule = AttentionWgmmaAttr::get(facts.context(), groups * rowsOfGroup, 2);
  return sharedBytes(parts, schedule) <= target.sharedBytes ? Candidates{schedule} : Candidates();
}

/// Products and exponentials of the warpgroups, which overlap in part; of a step, of the busiest multiprocessor. The
/// rate of wgmma: GemmWgmma.cpp.
double cuda::AttentionWgmmaAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  constexpr double overlap = 0.85, latency = 600, ends = 1700, exponentials = 16; // per cycle
  const AttentionFacts &attention = *facts.attention;
  const AttentionParts &parts = attention.parts;
  const auto rows = double(getRows()), across = double(padded(parts.depth) + padded(parts.columns));
  const double multiply = rows * double(keys) * across * 0.62 / mmaRate, weigh = rows * double(keys) / exponentials;
  const double busy = std::max(overlap * (multiply + weigh), double(keys) * across * 2 / l2Rate);
  const int64_t blocks = attention.batch * attention.tiles(getRows());
  const int64_t busiest = llvm::divideCeilSigned(blocks, target.multiprocessors);
  return double(busiest) * (double(attention.steps) * busy + latency + ends);
}

bool cuda::AttentionWgmmaAttr::compilesAlone() const { return true; }

LogicalResult cuda::AttentionWgmmaAttr::lower(kernel::FuncOp func) const {
  Variables vars(func);
  const std::optional<AttentionParts> parts = attentionParts(func);
  std::optional<Operands> operands;
  if (parts && isEligible(*parts, func))
    operands = operandsOf(func, *parts, vars);
  if (!operands)
    return func.emitError() << "has no keys and values that tensor copies bring";
  return Wgmma(func, *this, *operands).run();
}

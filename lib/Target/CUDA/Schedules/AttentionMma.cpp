//===- lib/Target/CUDA/Schedules/AttentionMma.cpp - attention by the warps' matrix units ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"
#include "lib/Target/CUDA/StepCopies.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;
using cupola::cuda::wholeFragments;

namespace {

constexpr int64_t mmaDepth = 16; ///< of an mma
/// Elements of a result of two bytes that a lane stores at once.
constexpr int64_t wholeVector = 8;

/// The block, or a group of it, has some of the steps.
bool areParts(cuda::AttentionMmaAttr schedule) { return schedule.getGroups() * schedule.getSplit() > 1; }

/// A warp has all columns of its rows, so that weights go from the accumulators of the first product to the fragments
/// of the second without leaving the registers (Dao, FlashAttention-2, 2023). Queries stay in shared memory; with
/// cp.async, keys and values of a step arrive while the product before is made. Groups bring keys and values for
/// themselves, and wait for nobody else.
class Mma : public cuda::AttentionLowering {
public:
  Mma(kernel::FuncOp func, cuda::AttentionMmaAttr schedule)
      : AttentionLowering(func, schedule.getRows(), schedule.getThreads(), /*sharers=*/4,
                          {schedule.getGroups(), schedule.getSplit()}),
        hasAsync(schedule.getAsync()), isShort(areParts(schedule)), groups(schedule.getGroups()),
        tiles(schedule.getRows() / schedule.getWarps() / 16), stepCopies(low, parts, groups, threads / groups) {}

private:
  void letThreads() override {
    warp = low.let("warp", floorDiv(low.thread(), 32), threads / 32);
    lane = low.let("lane", mod(low.thread(), 32), 32);
    if (groups == 1)
      return;
    group = warp;
    stepCopies.setGroup(warp, lane);
    warp = 0;
  }

  SmallVector<int64_t> rowExtents() const override { return {tiles, 2}; }
  SmallVector<int64_t> tileExtents(int64_t columns) const override { return {tiles, wholeFragments(columns) / 8, 4}; }
  int64_t neighbours(int64_t) const override { return 2; }
  /// Accumulators 2*h and 2*h + 1 are neighbours in row 8*h + lane/4 of a 16 by 8 tile.
  graph::Exprs element(const graph::Exprs &row, const graph::Exprs &column) const override {
    return {row[0], column[0], row[1] * 2 + column[1]};
  }

  LogicalResult forRows(PlaceBody body) override {
    return low.loop("i", 0, tiles, 1, /*unroll=*/true, [&](const Expr &i) {
      return low.loop("h", 0, 2, 1, /*unroll=*/true, [&](const Expr &h) {
        return body({{i, h}, warp * (16 * tiles) + i * 16 + h * 8 + floorDiv(lane, 4)});
      });
    });
  }

  LogicalResult forColumns(int64_t columns, int64_t width, PlaceBody body) override {
    return forPairs(tileExtents(columns)[1], lane, width, body);
  }

  LogicalResult statement(Operation &op) override {
    auto loop = dyn_cast<ForeachOp>(op);
    StoreOp store = loop ? wholeStore(loop) : StoreOp();
    return store ? storeWhole(loop, store) : AttentionLowering::statement(op);
  }

  /// The only store of a loop over results, if these may lie where the queries are and leave by whole vectors.
  StoreOp wholeStore(ForeachOp loop) {
    Block &body = loop.getBody().front();
    if (isShort || !cuda::readsTiles(loop.getBody()) || !llvm::hasSingleElement(body.getOps<StoreOp>()))
      return {};
    StoreOp store = *body.getOps<StoreOp>().begin();
    const Expr columns = graph::exprOf(loop.getExtents()[1]),
               position = low.vars.read(store.getPosition(), store.getIndices());
    const bool areWhole = *columns.constant() % wholeVector == 0 && store.getMask().empty() &&
                          !cuda::isIndirect(store.getIndices()) &&
                          cuda::isContiguous(position, low.vars.name(body.getArgument(1)), wholeVector, low.divisors);
    const bool areKept = store.getValue().getType() == q.body->getTerminator()->getOperand(0).getType() &&
                         *columns.constant() <= q.pitch &&
                         cuda::vectorWidth({{&body, body.getArgument(1)}}, columns, low.vars, low.divisors) > 1;
    return areWhole && areKept ? store : StoreOp();
  }

  /// Results leave through the warp's own queries, which nobody reads any more, so that a warp writes whole sectors.
  /// They have come for certain where there was a step.
  LogicalResult storeWhole(ForeachOp loop, StoreOp store) {
    const int64_t vectors = *graph::exprOf(loop.getExtents()[1]).constant() / wholeVector, count = 16 * tiles * vectors;
    const Expr own = copies.buffer(q) + warp * (16 * tiles * q.pitch);
    low.divert(store, q.smem, [&] { return copies.buffer(q) + rowHere() * q.pitch + columnHere(); });
    if (hasAsync)
      AsyncWaitOp::create(low.builder, low.func.getLoc(), 0);
    barrier();
    if (failed(AttentionLowering::statement(*loop.getOperation())))
      return failure();
    WarpBarrierOp::create(low.builder, low.func.getLoc());
    return low.loop("v", 0, llvm::divideCeilSigned(count, 32), 1, /*unroll=*/true, [&](const Expr &v) {
      const Expr flat = v * 32 + lane, row = floorDiv(flat, vectors), column = mod(flat, vectors) * wholeVector;
      const Expr m = firstRow() + warp * (16 * tiles) + row;
      return low.guard({count - 1 - flat, parts.rows - 1 - m}, [&] {
        low.bind(loop.getBody().getArgument(0), m, parts.rows);
        low.bind(loop.getBody().getArgument(1), column, vectors * wholeVector);
        Value vector = low.registers({}, store.getValue().getType(), wholeVector);
        low.loadVector(q.smem, {own + row * q.pitch + column, {}}, vector);
        const Expr to = low.vars.read(store.getPosition(), store.getIndices());
        low.storeVector(vector, {}, low.values.lookup(store.getView()), low.here(to));
        return success();
      });
    });
  }

  LogicalResult begin() override {
    q = queries();
    q.depth = wholeFragments(parts.depth);
    copies.vectors.plan(q, /*mostWidth=*/8);
    q.kMajor = false;
    q.pitch = q.depth + 8; // neighbouring rows in different banks
    Type stored = q.body->getTerminator()->getOperand(0).getType();
    stepCopies.choose(hasAsync, isShort);
    const bool areQueriesAsync = stepCopies.isAsync() && copies.vectors.canCopyAsync(q);
    if (!areQueriesAsync)
      q.atOnce = cuda::vectorsAtOnce(q);
    copies.allocate(q, stored, /*stages=*/1, /*withRegisters=*/!areQueriesAsync);
    stepCopies.allocate(stored);
    if (failed(copies.bring(q, areQueriesAsync)) || failed(stepCopies.begin({firstStep, endStep, mostSteps})))
      return failure();
    if (groups > 1 && areQueriesAsync)
      stepCopies.awaitFirst(); // Queries are there before any group goes on.
    if (groups > 1)
      barrier(); // All have brought queries; from here on groups meet no more.
    return success();
  }

  LogicalResult scores(Value acc) override {
    if (failed(stepCopies.awaitKeys()))
      return failure();
    auto product =
        low.loop("k", 0, stepCopies.k.depth / mmaDepth, 1, /*unroll=*/true, [&](const Expr &step) -> LogicalResult {
          Value left = low.registers({tiles, 4}, u32());
          load(MmaOperand::A, q, copies.buffer(q) + warp * (16 * tiles * q.pitch) + step * mmaDepth, left);
          return multiply(acc, left, stepCopies.k, step);
        });
    return failed(product) ? product : stepCopies.leaveKeys();
  }

  LogicalResult result(Value acc, Value weights) override {
    if (failed(stepCopies.awaitValues()))
      return failure();
    auto product = low.loop("k", 0, stepCopies.v.depth / mmaDepth, 1, /*unroll=*/true, [&](const Expr &step) {
      Value left = low.registers({tiles, 4}, u32());
      Expr at = step;
      SmallVector<Value> indices = low.vars.write(at);
      MmaPackOp::create(low.builder, low.func.getLoc(), weights, at, indices, left, isBf16());
      return multiply(acc, left, stepCopies.v, step);
    });
    return failed(product) ? product : stepCopies.leaveValues();
  }

  /// acc += left * the rows step * mmaDepth .. of an operand. Some columns at a time: all fragments of wide heads would
  /// not leave enough registers.
  LogicalResult multiply(Value acc, Value left, const cuda::Operand &op, const Expr &step) {
    constexpr int64_t columnsAtOnce = 64;
    for (int64_t first = 0; first < op.outer; first += columnsAtOnce) {
      Value right = low.registers({std::min(columnsAtOnce, op.outer - first) / 8, 2}, u32());
      Expr k = step * mmaDepth;
      load(op.kMajor ? MmaOperand::B : MmaOperand::BT, op,
           stepCopies.buffer(op) + (op.kMajor ? k * op.pitch + first : first * op.pitch + k), right);
      MmaOp::create(low.builder, low.func.getLoc(), acc, left, right, isBf16() ? MmaKind::BF16 : MmaKind::F16,
                    first / 8);
    }
    return success();
  }

  void load(MmaOperand form, const cuda::Operand &op, Expr at, Value fragment) {
    SmallVector<Value> indices = low.vars.write(at);
    MmaLoadOp::create(low.builder, low.func.getLoc(), form, op.smem, at, indices, op.pitch, fragment);
  }

  Type u32() { return IntegerType::get(low.func.getContext(), 32, IntegerType::Unsigned); }
  bool isBf16() { return q.body->getTerminator()->getOperand(0).getType().isBF16(); }

  bool hasAsync, isShort; ///< the target has cp.async; parts of the steps are few
  int64_t groups;
  int64_t tiles; ///< of 16 rows that a warp has
  cuda::Operand q;
  cuda::StepCopies stepCopies;
  Expr warp, lane;
};

} // namespace

/// Of the block; at its end, of what is carried by all groups but one.
static int64_t sharedBytes(const cuda::AttentionParts &parts, cuda::AttentionMmaAttr schedule) {
  const int64_t rows = schedule.getRows(), groups = schedule.getGroups();
  const int64_t carried = (groups - 1) * rows * (wholeFragments(parts.columns) + 8) * 4;
  return 2 * rows * (wholeFragments(parts.depth) + 8) + cuda::StepCopies::bytes(parts, groups, areParts(schedule)) +
         carried;
}

LogicalResult cuda::AttentionMmaAttr::verify(EmitError error, int64_t rows, int64_t warps, int64_t groups, bool,
                                             int64_t split) {
  if (failed(verifyPositive(error, {rows, warps, groups, split})) ||
      failed(verifyDivides(error, "the block's rows", rows, 16 * warps)))
    return failure();
  if (groups > 1 && warps > 1)
    return error() << groups << " groups of " << warps << " warps; several have one each";
  return verifyThreads(error, warps * groups * 32);
}

namespace {

struct Shape {
  int64_t rows, warps, groups;
};
// Warps of 32 rows need half the fragments per product, and twice the registers.
constexpr Shape shapes[] = {{128, 4, 1}, {64, 4, 1}, {32, 2, 1}, {16, 1, 1}, {16, 1, 2}, {16, 1, 4}};
/// Blocks that share the keys of their rows.
constexpr int64_t splits[] = {1, 2, 4, 8, 16};

/// Accumulators of more columns leave ptxas too few registers; so do two sets of rows with what comes through
/// registers, is of bytes or is loaded for scores, and all that a lone warp copies, or where it lies.
bool hasRegisters(const Shape &shape, cuda::KernelFacts &facts, const GpuArchitecture &target) {
  const cuda::AttentionParts &parts = facts.attention->parts;
  const int64_t columns = wholeFragments(parts.columns), widest = std::max(columns, wholeFragments(parts.depth));
  if (shape.rows > 16 * shape.warps) {
    const cuda::OperandVectors vectors{facts.vars, facts.divisors, shape.warps * 32};
    return target.asyncCopy && widest <= 128 && !loadsScores(parts) && cuda::StepCopies::areAsync(vectors, parts);
  }
  return columns <= (target.asyncCopy ? 256 : shape.warps > 1 ? 192 : 64);
}

int64_t registersOf(cuda::AttentionMmaAttr schedule, const cuda::AttentionParts &parts) {
  const int64_t tiles = schedule.getRows() / (16 * schedule.getWarps());
  return std::min<int64_t>(tiles * (wholeFragments(parts.columns) + parts.keys) / 2 + 90, 255);
}

} // namespace

cuda::Candidates cuda::AttentionMmaAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.attention)
    return {};
  const AttentionParts &parts = facts.attention->parts;
  if (!areHalves(parts.scores, target) || !areHalves(parts.result, target))
    return {};
  Candidates found;
  for (const Shape &shape : shapes) {
    if (!hasRegisters(shape, facts, target))
      continue;
    for (int64_t split : splits) {
      auto schedule =
          AttentionMmaAttr::get(facts.context(), shape.rows, shape.warps, shape.groups, target.asyncCopy, split);
      const bool hasParts = shape.groups * split == 1 || facts.attention->canMeet(shape.rows, shape.groups, split);
      if (hasParts && sharedBytes(parts, schedule) <= target.sharedBytes)
        found.push_back(schedule);
    }
  }
  return found;
}

/// What is slowest of products, shared memory, L2 and latency, of all steps of the busiest multiprocessor. Products and
/// accesses of different warps overlap in part.
double cuda::AttentionMmaAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  constexpr double wavefront = 128, overlap = 0.85, latency = 600; // bytes of shared memory per cycle; of a step
  constexpr double ends = 1700, meetGroup = 250, meetBlocks = 1500;
  const AttentionFacts &attention = *facts.attention;
  const AttentionParts &parts = attention.parts;
  const int64_t warps = getThreads() / 32, blocks = getSplit() * attention.batch * attention.tiles(getRows());
  const double rows = double(getRows() * getGroups()),
               across = double(wholeFragments(parts.depth) + wholeFragments(parts.columns));
  const double keys = double(parts.keys) * across * 2; // bytes of a step's keys and values
  const double multiply = rows * double(parts.keys) * across / mmaRate;
  const double bytes = keys * double(warps + getGroups()) + rows * double(wholeFragments(parts.depth)) * 2;
  // Each of four pipes has the warps of its own.
  const double busy = std::max(overlap * (multiply + bytes / wavefront), keys * double(getGroups()) / l2Rate);
  const double alone =
      overlap * (multiply * double(llvm::alignTo(warps, 4)) / double(warps) + bytes / wavefront) + latency;
  const int64_t resident =
      residentBlocks(target, sharedBytes(parts, *this), getThreads(), double(registersOf(*this, parts)));
  const int64_t busiest = llvm::divideCeilSigned(blocks, target.multiprocessors),
                together = std::min(resident, busiest);
  const int64_t steps = llvm::divideCeilSigned(attention.steps, getGroups() * getSplit());
  double each = ends + meetGroup * double(getGroups() - 1);
  if (getSplit() > 1) // states of four bytes, written once and read by one block
    each += meetBlocks + double(getRows() * wholeFragments(parts.columns) * 4 * (1 + getSplit())) / l2Rate;
  return double(busiest * steps) * std::max(busy, alone / double(together)) +
         double(llvm::divideCeilSigned(busiest, together)) * each;
}

bool cuda::AttentionMmaAttr::compilesAlone() const { return true; }

LogicalResult cuda::AttentionMmaAttr::lower(kernel::FuncOp func) const { return Mma(func, *this).run(); }

//===- lib/Target/CUDA/Schedules/AttentionMma.cpp - attention by the warps' matrix units ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/AttentionLowering.h"
#include "lib/Target/CUDA/Schedules/AttentionCost.h"
#include "lib/Target/CUDA/Schedules/Schedules.h"
#include "lib/Target/CUDA/Schedules/Tiles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace {

constexpr int64_t mmaDepth = 16; ///< of an mma
/// Vectors of a thread that come through registers: what goes into all of them would not leave enough of these.
constexpr int64_t plainAtOnce = 16, computedAtOnce = 4;

/// Loads of fragments are for 16 columns.
int64_t padded(int64_t columns) { return llvm::alignTo(columns, 16); }

/// A warp has all columns of its rows, so that weights go from the accumulators of the first product to the fragments
/// of the second without leaving the registers (Dao, FlashAttention-2, 2023). Queries stay in shared memory; with
/// cp.async, keys and values of a step arrive while the product before is made.
class Mma : public cuda::AttentionLowering {
public:
  Mma(kernel::FuncOp func, cuda::AttentionMmaAttr schedule)
      : AttentionLowering(func, schedule.getRows(), schedule.getThreads(), /*sharers=*/4),
        hasAsync(schedule.getAsync()) {}

private:
  void letThreads() override {
    warp = low.let("warp", floorDiv(low.thread(), 32), threads / 32);
    lane = low.let("lane", mod(low.thread(), 32), 32);
  }

  SmallVector<int64_t> rowExtents() const override { return {1, 2}; }
  SmallVector<int64_t> tileExtents(int64_t columns) const override { return {1, padded(columns) / 8, 4}; }
  int64_t neighbours(int64_t) const override { return 2; }
  /// Accumulators 2*h and 2*h + 1 are neighbours in row 8*h + lane/4 of a 16 by 8 tile.
  graph::Exprs element(const graph::Exprs &row, const graph::Exprs &column) const override {
    return {row[0], column[0], row[1] * 2 + column[1]};
  }

  LogicalResult forRows(PlaceBody body) override {
    return low.loop("h", 0, 2, 1, /*unroll=*/true,
                    [&](const Expr &h) { return body({{0, h}, warp * 16 + h * 8 + floorDiv(lane, 4)}); });
  }

  LogicalResult forColumns(int64_t columns, int64_t width, PlaceBody body) override {
    return low.loop("j", 0, tileExtents(columns)[1], 1, /*unroll=*/true, [&](const Expr &j) {
      Expr first = j * 8 + mod(lane, 4) * 2;
      if (width == 2)
        return body({{j, 0}, first});
      return low.loop("c", 0, 2, 1, /*unroll=*/true, [&](const Expr &c) { return body({{j, c}, first + c}); });
    });
  }

  LogicalResult begin() override {
    q = queries();
    k = keys();
    v = values();
    v.outer = padded(parts.columns);
    for (cuda::Operand *op : {&q, &k})
      op->depth = padded(parts.depth);
    v.depth = parts.keys;
    for (cuda::Operand *op : {&q, &k, &v})
      copies.vectors.plan(*op, /*mostWidth=*/8);
    q.kMajor = false;
    for (cuda::Operand *op : {&k, &v})
      op->kMajor = !op->alongK;
    async = hasAsync && copies.vectors.canCopyAsync(k) && copies.vectors.canCopyAsync(v);
    const bool areQueriesAsync = async && copies.vectors.canCopyAsync(q);
    Type stored = q.body->getTerminator()->getOperand(0).getType();
    for (cuda::Operand *op : {&q, &k, &v}) {
      op->pitch = (op->kMajor ? op->outer : op->depth) + 8; // neighbouring rows in different banks
      const bool withRegisters = op == &q ? !areQueriesAsync : !async;
      if (withRegisters)
        op->atOnce = std::gcd(op->count, cuda::plainLoad(*op->body) ? plainAtOnce : computedAtOnce);
      copies.allocate(*op, stored, /*stages=*/1, withRegisters);
    }
    if (failed(copies.bring(q, areQueriesAsync)))
      return failure();
    if (!async)
      return success();
    low.bind(parts.steps.getStep(), 0, parts.steps.getSteps());
    return bringAsync(k);
  }

  LogicalResult scores(Value acc) override {
    if (!async && failed(copies.bring(k, /*async=*/false)))
      return failure();
    if (async)
      wait(0);
    barrier(); // What the last step read of the values is free from here on.
    if (async && failed(bringAsync(v)))
      return failure();
    auto product = low.loop("k", 0, k.depth / mmaDepth, 1, /*unroll=*/true, [&](const Expr &step) -> LogicalResult {
      Value left = low.registers({1, 4}, u32());
      load(MmaOperand::A, q, warp * (16 * q.pitch) + step * mmaDepth, left);
      return multiply(acc, left, k, step);
    });
    return failed(product) || !async ? product : bringNextKeys();
  }

  LogicalResult result(Value acc, Value weights) override {
    if (!async && failed(copies.bring(v, /*async=*/false)))
      return failure();
    if (async)
      wait(1); // The newest group is the next step's keys.
    barrier();
    return low.loop("k", 0, v.depth / mmaDepth, 1, /*unroll=*/true, [&](const Expr &step) {
      Value left = low.registers({1, 4}, u32());
      Expr at = step;
      SmallVector<Value> indices = low.vars.write(at);
      MmaPackOp::create(low.builder, low.func.getLoc(), weights, at, indices, left, isBf16());
      return multiply(acc, left, v, step);
    });
  }

  /// A group is closed in any case, so that the waits always mean the same.
  LogicalResult bringNextKeys() {
    Value step = parts.steps.getStep();
    const Expr now = low.vars.of(low.values.lookup(step)), steps = parts.steps.getSteps();
    LogicalResult done = low.guard({steps - 2 - now}, [&] {
      barrier(); // All have read those of this step.
      low.bind(step, now + 1, steps);
      return copies.bring(k, /*async=*/true);
    });
    low.map(step, now);
    AsyncCommitOp::create(low.builder, low.func.getLoc());
    return done;
  }

  LogicalResult bringAsync(cuda::Operand &op) {
    LogicalResult done = copies.bring(op, /*async=*/true);
    AsyncCommitOp::create(low.builder, low.func.getLoc());
    return done;
  }

  /// acc += left * the rows step * mmaDepth .. of an operand. Some columns at a time: all fragments of wide heads would
  /// not leave enough registers.
  LogicalResult multiply(Value acc, Value left, const cuda::Operand &op, const Expr &step) {
    constexpr int64_t columnsAtOnce = 64;
    for (int64_t first = 0; first < op.outer; first += columnsAtOnce) {
      Value right = low.registers({std::min(columnsAtOnce, op.outer - first) / 8, 2}, u32());
      Expr k = step * mmaDepth;
      load(op.kMajor ? MmaOperand::B : MmaOperand::BT, op, op.kMajor ? k * op.pitch + first : first * op.pitch + k,
           right);
      MmaOp::create(low.builder, low.func.getLoc(), acc, left, right, isBf16(), first / 8);
    }
    return success();
  }

  void load(MmaOperand form, const cuda::Operand &op, Expr at, Value fragment) {
    SmallVector<Value> indices = low.vars.write(at);
    MmaLoadOp::create(low.builder, low.func.getLoc(), form, op.smem, at, indices, op.pitch, fragment);
  }

  void wait(int64_t pending) { AsyncWaitOp::create(low.builder, low.func.getLoc(), pending); }
  Type u32() { return IntegerType::get(low.func.getContext(), 32, IntegerType::Unsigned); }
  bool isBf16() { return q.body->getTerminator()->getOperand(0).getType().isBF16(); }

  bool hasAsync, async = false; ///< the target has cp.async; keys and values come by it
  cuda::Operand q, k, v;
  Expr warp, lane;
};

} // namespace

static int64_t sharedBytes(const cuda::AttentionParts &parts, int64_t rows) {
  const int64_t depth = padded(parts.depth) + 8, columns = padded(parts.columns) + 8;
  // Whichever way an operand lies, it is no larger than this.
  return 2 * ((rows + parts.keys + 8) * depth + (parts.keys + 8) * columns);
}

LogicalResult cuda::AttentionMmaAttr::verify(EmitError error, int64_t rows, bool) {
  if (failed(verifyPositive(error, {rows})) || failed(verifyDivides(error, "the block's rows", rows, 16)))
    return failure();
  return verifyThreads(error, rows / 16 * 32);
}

cuda::Candidates cuda::AttentionMmaAttr::candidates(KernelFacts &facts, const GpuArchitecture &target) {
  if (!facts.attention)
    return {};
  const AttentionParts &parts = facts.attention->parts;
  const int64_t columns = padded(parts.columns);
  constexpr int64_t mostColumns = 192; // Accumulators of more leave ptxas too few registers,
  // and so do all that a lone warp copies, or where it lies.
  const int64_t mostOfOneWarp = target.asyncCopy ? 128 : 64;
  if (columns > mostColumns || !isForMatrixUnits(parts.scores, target) || !isForMatrixUnits(parts.result, target))
    return {};
  Candidates found;
  for (int64_t warps : {4, 2, 1}) {
    if (warps == 1 && columns > mostOfOneWarp)
      continue;
    const int64_t rows = warps * 16;
    if (sharedBytes(parts, rows) <= target.sharedBytes)
      found.push_back(AttentionMmaAttr::get(facts.context(), rows, target.asyncCopy));
  }
  return found;
}

double cuda::AttentionMmaAttr::cost(const KernelFacts &facts, const GpuArchitecture &target) const {
  return attentionCost(getRows(), *facts.attention, target);
}

bool cuda::AttentionMmaAttr::compilesAlone() const { return true; }

LogicalResult cuda::AttentionMmaAttr::lower(kernel::FuncOp func) const { return Mma(func, *this).run(); }

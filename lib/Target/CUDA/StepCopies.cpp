//===- lib/Target/CUDA/StepCopies.cpp - keys and values of a step on their way to shared memory ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/StepCopies.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::kernel;
using namespace cupola::simt;

namespace cupola::cuda {

int64_t vectorsAtOnce(const Operand &op) {
  constexpr int64_t plain = 16, computed = 4;
  return std::gcd(op.count, plainLoad(*op.body) ? plain : computed);
}

/// How threads share both.
static void planNumbers(const OperandVectors &vectors, const AttentionParts &parts, Operand &k, Operand &v) {
  k.depth = wholeFragments(parts.depth);
  v.depth = parts.keys;
  v.outer = wholeFragments(parts.columns);
  for (Operand *op : {&k, &v}) {
    vectors.plan(*op, /*mostWidth=*/8);
    op->kMajor = !op->alongK;
  }
}

/// The same of their bytes, or none of them.
static bool planBytes(const OperandVectors &vectors, Operand &k, Operand &v) {
  Operand keys = k, values = v;
  if (!vectors.planStaged(keys) || !vectors.planStaged(values))
    return false;
  k = keys;
  v = values;
  return true;
}

StepCopies::StepCopies(Lowering &low, const AttentionParts &parts, int64_t groups, int64_t threads)
    : k(keysOf(parts)), v(valuesOf(parts)), low(low), parts(parts), own(low, threads), groups(groups) {
  planNumbers(own.vectors, parts, k, v);
}

bool StepCopies::areAsync(const OperandVectors &vectors, const AttentionParts &parts) {
  Operand k = keysOf(parts), v = valuesOf(parts);
  planNumbers(vectors, parts, k, v);
  return vectors.canCopyAsync(k) && vectors.canCopyAsync(v);
}

/// Elements of a buffer of both, whichever way they lie.
static int64_t elements(const AttentionParts &parts) {
  return (parts.keys + 8) * (wholeFragments(parts.depth) + 8 + wholeFragments(parts.columns) + 8);
}

static bool areBytes(const AttentionParts &parts) {
  return byteLoad(*keysOf(parts).body) && byteLoad(*valuesOf(parts).body);
}

/// Two buffers of large heads would be all that a multiprocessor has. What becomes numbers has one of these.
static int64_t buffersOf(const AttentionParts &parts, int64_t groups, bool isShort) {
  constexpr int64_t most = 96 << 10; // bytes
  return isShort && !areBytes(parts) && 2 * groups * elements(parts) * 2 <= most ? 2 : 1;
}

int64_t StepCopies::bytes(const AttentionParts &parts, int64_t groups, bool isShort) {
  const int64_t staging =
      areBytes(parts) ? parts.keys * (wholeFragments(parts.depth) + wholeFragments(parts.columns)) : 0;
  return groups * (buffersOf(parts, groups, isShort) * elements(parts) * 2 + staging);
}

void StepCopies::choose(bool hasAsync, bool isShort) {
  async = hasAsync && own.vectors.canCopyAsync(k) && own.vectors.canCopyAsync(v);
  areStaged = hasAsync && !async && planBytes(own.vectors, k, v);
  buffers = async ? buffersOf(parts, groups, isShort) : 1;
}

void StepCopies::allocate(Type stored) {
  const bool throughRegisters = !async && !areStaged;
  for (Operand *op : {&k, &v}) {
    op->pitch = (op->kMajor ? op->outer : op->depth) + 8; // neighbouring rows in different banks
    if (throughRegisters)
      op->atOnce = vectorsAtOnce(*op);
    own.allocate(*op, stored, buffers * groups, throughRegisters);
  }
}

void StepCopies::setGroup(const Expr &number, const Expr &thread) {
  group = own.ownBuffer = number;
  own.copier = thread;
}

LogicalResult StepCopies::begin(const StepRange &of) {
  range = of;
  if (areStaged)
    return success(succeeded(bringBytes(k, range.first)) && succeeded(bringBytes(v, range.first)));
  if (!async)
    return success();
  for (int64_t i = 0; i < buffers; ++i) {
    const Expr step = range.first + i;
    LogicalResult done = low.guard({range.end - 1 - step}, [&] { return bring(step); });
    commit();
    if (failed(done))
      return failure();
  }
  return success();
}

LogicalResult StepCopies::bring(const Expr &step) {
  low.bind(index(), step, kernel::ForOp(parts.steps).getSteps());
  own.ownBuffer = bufferOf(step);
  const LogicalResult done = own.bring(k, /*async=*/true);
  return failed(done) || buffers == 1 ? done : own.bring(v, /*async=*/true);
}

/// A group is closed in any case, so that the waits always mean the same.
LogicalResult StepCopies::bringNext() {
  if (range.most.constant().value_or(buffers + 1) <= buffers) // all are under way
    return commit(), success();
  const Expr step = now();
  const LogicalResult done = low.guard({range.end - 1 - buffers - step}, [&] {
    meet(); // All have read what is in the buffer.
    return bring(step + buffers);
  });
  low.map(index(), step);
  commit();
  return done;
}

LogicalResult StepCopies::bringBytes(Operand &op, const Expr &step) {
  const LogicalResult done = low.guard({range.end - 1 - step}, [&] {
    low.bind(index(), step, kernel::ForOp(parts.steps).getSteps());
    own.ownBuffer = group;
    return own.bringStaged(op);
  });
  commit();
  return done;
}

LogicalResult StepCopies::awaitBytes(Operand &op) {
  const Expr step = now();
  wait(1); // The newest group is the other operand's.
  if (failed(own.storeStaged(op)))
    return failure();
  meet();
  const LogicalResult done = bringBytes(op, step + 1);
  low.map(index(), step);
  return done;
}

LogicalResult StepCopies::awaitKeys() {
  if (areStaged)
    return awaitBytes(k);
  const Expr step = now();
  if (!async && failed(own.bring(k, /*async=*/false)))
    return failure();
  if (async)
    wait(buffers - 1); // the newest group, of two, is the next step's
  meet();              // What the last step read of the values is free from here on.
  own.stage = own.ownBuffer = buffers > 1 ? low.let("buffer", bufferOf(step), groups * buffers) : bufferOf(step);
  if (!async || buffers > 1)
    return success();
  const LogicalResult done = own.bring(v, /*async=*/true);
  commit();
  return done;
}

LogicalResult StepCopies::leaveKeys() { return async && buffers == 1 ? bringNext() : success(); }

LogicalResult StepCopies::awaitValues() {
  if (areStaged)
    return awaitBytes(v);
  if (buffers > 1) // they came with the keys
    return success();
  if (!async && failed(own.bring(v, /*async=*/false)))
    return failure();
  if (async)
    wait(1); // The newest group is the next step's keys.
  meet();
  return success();
}

LogicalResult StepCopies::leaveValues() { return buffers > 1 ? bringNext() : success(); }

void StepCopies::commit() { AsyncCommitOp::create(low.builder, low.func.getLoc()); }
void StepCopies::wait(int64_t pending) { AsyncWaitOp::create(low.builder, low.func.getLoc(), pending); }

/// Several groups are a warp each.
void StepCopies::meet() {
  if (groups == 1)
    BarrierOp::create(low.builder, low.func.getLoc());
  else
    WarpBarrierOp::create(low.builder, low.func.getLoc());
}

} // namespace cupola::cuda

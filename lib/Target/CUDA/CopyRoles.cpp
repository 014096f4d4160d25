//===- lib/Target/CUDA/CopyRoles.cpp - some warpgroups of a block copy, others multiply ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CopyRoles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;

namespace cupola::cuda {

CopyPlace placeOf(Lowering &low, const TensorOperand &operand, graph::Exprs coordinates) {
  for (Value point : operand.batch)
    coordinates.push_back(low.vars.of(low.values.lookup(point)));
  return {std::move(coordinates), {}};
}

LogicalResult role(Lowering &low, int64_t from, int64_t to, int64_t registers, Lowering::Body body) {
  auto op = RoleOp::create(low.builder, low.func.getLoc(), from, to, registers);
  OpBuilder::InsertionGuard saved(low.builder);
  low.builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
  const cupola::Range all = low.vars.ranges().at(*low.thread().asSymbol());
  low.vars.setRange(low.func.getThreadIndex(), {Expr(from), Expr(to - 1)});
  LogicalResult done = body();
  low.vars.setRange(low.func.getThreadIndex(), all);
  return done;
}

void initBarrier(Lowering &low, Value barriers, Expr at, int64_t arrivals) {
  SmallVector<Value> indices = low.vars.write(at);
  MbarrierInitOp::create(low.builder, low.func.getLoc(), barriers, at, indices, arrivals);
}

void waitBarrier(Lowering &low, Value barriers, const Expr &at, const Expr &parity) {
  graph::Exprs exprs = {at, parity};
  SmallVector<Value> indices = low.vars.write(exprs);
  MbarrierWaitOp::create(low.builder, low.func.getLoc(), barriers, exprs[0], exprs[1], indices);
}

void arriveBarrier(Lowering &low, Value barriers, const Expr &at, const Expr &rank) {
  graph::Exprs exprs = {at, rank};
  SmallVector<Value> indices = low.vars.write(exprs);
  MbarrierArriveOp::create(low.builder, low.func.getLoc(), barriers, exprs[0], exprs[1], indices);
}

void StageRing::allocate() {
  Type barrier = low.builder.getIntegerType(64, /*isSigned=*/false);
  full = low.smem(stages, barrier);
  empty = low.smem(stages, barrier);
}

void StageRing::init(const Expr &stage, int64_t readers) {
  initBarrier(low, full, stage, 1);
  initBarrier(low, empty, stage, readers);
}

StageRing::Turn StageRing::turn(const Expr &use) {
  auto simple = [&](const Expr &e) { return simplify(e, low.vars.ranges()); };
  return {simple(mod(use, stages)), simple(mod(floorDiv(use, stages), 2))};
}

void StageRing::await(const Turn &turn, int64_t bytes) {
  waitBarrier(low, empty, turn.stage, mod(turn.parity + 1, 2)); // the first round finds them empty
  Expr at = turn.stage;
  SmallVector<Value> indices = low.vars.write(at);
  MbarrierExpectOp::create(low.builder, low.func.getLoc(), full, at, indices, bytes);
}

void StageRing::copy(int64_t map, const CopyPlace &place, const Turn &turn, Value smem, const Expr &target,
                     int64_t blocks) {
  graph::Exprs all = place.coordinates;
  llvm::append_range(all, place.taps);
  all.append({target, turn.stage});
  SmallVector<Value> indices = low.vars.write(all);
  const size_t rank = place.coordinates.size(), taps = place.taps.size();
  auto part = [&](size_t first, size_t count) {
    return graph::exprArray(low.func.getContext(), ArrayRef(all).slice(first, count));
  };
  TensorCopyOp::create(low.builder, low.func.getLoc(), map, smem, full, part(0, rank), all[rank + taps],
                       all[rank + taps + 1], indices, blocks, part(rank, taps));
}

} // namespace cupola::cuda

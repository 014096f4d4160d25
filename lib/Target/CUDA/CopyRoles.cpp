//===- lib/Target/CUDA/CopyRoles.cpp - some warpgroups of a block copy, others multiply ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CopyRoles.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::simt;

namespace cupola::cuda {

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

void expectBytes(Lowering &low, Value barriers, Expr at, int64_t bytes) {
  SmallVector<Value> indices = low.vars.write(at);
  MbarrierExpectOp::create(low.builder, low.func.getLoc(), barriers, at, indices, bytes);
}

void tensorCopy(Lowering &low, int64_t map, const TensorOperand &operand, graph::Exprs coordinates,
                const CopyTarget &to) {
  for (Value point : operand.batch)
    coordinates.push_back(low.vars.of(low.values.lookup(point)));
  const size_t rank = coordinates.size();
  coordinates.append({to.target, to.at});
  SmallVector<Value> indices = low.vars.write(coordinates);
  TensorCopyOp::create(low.builder, low.func.getLoc(), map, to.smem, to.barriers,
                       graph::exprArray(low.func.getContext(), ArrayRef(coordinates).take_front(rank)),
                       coordinates[rank], coordinates[rank + 1], indices, to.blocks);
}

} // namespace cupola::cuda

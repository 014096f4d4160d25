//===- lib/Import/Onnx/Sized.cpp - extents that data decide ----------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Sized.h"

#include "dialects/Graph/Control.h"
#include "lib/Import/Onnx/Bodies.h"
#include "lib/Import/Onnx/Cumulative.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;

/// How many halvings find a place among `extent`.
unsigned searchSteps(OpBinder &op, const Expr &extent) {
  const auto most = bounds(extent, op.b.ranges()).hi;
  constexpr unsigned open = 31; // places of tensors are below 2^31
  return most ? std::min(open, llvm::Log2_64_Ceil(static_cast<uint64_t>(std::max<int64_t>(*most, 1)) + 1)) : open;
}

/// For each of `wanted`, the first place whose sum is larger. `sums` grow from place to place, and the last one is
/// larger than all that is wanted.
Value firstAbove(OpBinder &op, Value sums, Value wanted) {
  const Expr extent = op.b.shape(sums)[0];
  Value end = op.b.dims({extent}, {}, op.b.int64()), one = op.b.intScalar(1, op.b.int64());
  Value below = op.b.broadcast(op.b.intScalar(0, op.b.int64()), op.b.shape(wanted)); // places known to be too early
  for (unsigned step = searchSteps(op, extent); step-- > 0;) {
    Value next = op.b.binary(BinaryKind::Add, below, op.b.intScalar(int64_t(1) << step, op.b.int64()));
    Value last = op.b.binary(BinaryKind::Sub, op.b.binary(BinaryKind::Min, next, end), one);
    Value sum = op.b.gather(sums, last, 0, /*batchDims=*/0, /*isInRange=*/true); // there is one if any is wanted
    Value isEarly = op.b.binary(BinaryKind::LessEqual, sum, wanted);
    isEarly = op.b.binary(BinaryKind::And, isEarly, op.b.binary(BinaryKind::LessEqual, next, end));
    below = op.b.select(isEarly, next, below);
  }
  return below;
}

/// The count of a loop of so many iterations that do nothing.
Expr countOfNothing(const OpBinder &op, Value count, graph::ExprAttr limit, const std::string &what,
                    const std::optional<Expr> &most, int64_t least) {
  const Expr symbol = op.b.facts().createRun(what + " of " + op.b.label(), most, /*name=*/what, least);
  OpBuilder &ops = op.bodies().ops;
  auto loop = graph::LoopOp::create(ops, op.b.location(), TypeRange(), count, Value(), ValueRange(), ValueRange(),
                                    limit, /*proceeds=*/false, FlatSymbolRefAttr(),
                                    FlatSymbolRefAttr::get(ops.getContext(), *symbol.asSymbol()),
                                    graph::symbolRefs(ops.getContext(), {}));
  OpBuilder inside = OpBuilder::atBlockEnd(&loop.getBody().emplaceBlock());
  graph::YieldOp::create(inside, op.b.location(), ValueRange());
  return symbol;
}

bool doesNothing(graph::LoopOp loop) {
  return !loop.getCondition() && loop.getBody().front().without_terminator().empty();
}

} // namespace

Expr readCount(const OpBinder &op, Value count, const std::string &what, const std::optional<Expr> &most,
               int64_t least) {
  return countOfNothing(op, count, graph::ExprAttr(), what, most, least);
}

Expr evaluated(const OpBinder &op, const Expr &value, const std::string &what, const std::optional<Expr> &most) {
  if (value.overflowed()) // what needs it says so
    return value;
  for (auto loop : op.bodies().ops.getInsertionBlock()->getOps<graph::LoopOp>())
    if (loop.getCount() && loop.getLimitAttr() && loop.getLimitAttr().getValue() == value && doesNothing(loop))
      return op.b.facts().current(Expr::symbol(loop.getCount()->str()));
  return countOfNothing(op, Value(), graph::ExprAttr::get(op.b.context(), value), what, most, /*least=*/0);
}

Value countOf(OpBinder &op, Value flags) {
  return op.b.reshape(op.b.reduce(ReduceKind::Sum, op.b.cast(flags, op.b.int64()), {0}), {});
}

Value placesOf(OpBinder &op, Value flags, const Expr &count) {
  const auto byOps = [&] {
    Value numbers = op.b.cast(flags, op.b.int64());
    return firstAbove(op, cumulated(op.b, ReduceKind::Sum, numbers, 0, {false, false, /*isLong=*/true}),
                      op.b.iota({count}, 0));
  };
  constexpr int64_t steps = 8; // for each element
  return op.b.hostOr("true_places", {}, {flags}, {count}, op.b.int64(), op.b.shape(flags)[0] * Expr(steps), byOps);
}

Value placesOf(OpBinder &op, Value flags, const std::string &what) {
  return placesOf(op, flags, readCount(op, countOf(op, flags), what, /*most=*/op.b.shape(flags)[0]));
}

std::vector<Value> coordinatesOf(OpBinder &op, Value places, ArrayRef<Expr> shape) {
  std::vector<Value> result(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    Value extent = op.b.dims({shape[axis]}, {}, op.b.int64());
    result[axis] = axis == 0 ? places : op.b.binary(BinaryKind::Mod, places, extent);
    if (axis != 0)
      places = op.b.binary(BinaryKind::Div, places, extent);
  }
  return result;
}

} // namespace cupola::onnx_import

//===- lib/Target/CPU/ArgReduce.cpp - places of the largest and smallest ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Every lane finds the best of its elements and where it is; of equal ones in several lanes the place decides.
//===----------------------------------------------------------------------===//

#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Scalars.h"

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;
using cupola::graph::BinaryKind;

namespace cupola::cpu {
namespace {

/// A value and its place, or a vector of each.
struct Found {
  Value value, place;
};

class Better {
public:
  Better(Code &c, kernel::ArgReduceOp op, Type type)
      : c(c), type(type), isMax(op.getKind() == graph::ReduceKind::Max), isLast(op.getLast()) {}

  /// Whether an element takes the place of what was found before it. NaN wins.
  Value takes(Value value, Value before) const {
    const BinaryKind kind = isLast ? (isMax ? BinaryKind::GreaterEqual : BinaryKind::LessEqual) : strict();
    Value take = emitBinary(c, kind, type, value, before);
    if (!isa<FloatType>(type))
      return take;
    Value isHere = isNaN(value);
    return c.ori(take, isLast ? isHere : c.andi(isHere, negated(isNaN(before))));
  }

  /// Of elements that have no order.
  Found best(const Found &a, const Found &b) const {
    Value take = emitBinary(c, strict(), type, b.value, a.value);
    Value isEqual = emitBinary(c, BinaryKind::Equal, type, a.value, b.value);
    if (isa<FloatType>(type)) {
      Value first = isNaN(a.value), second = isNaN(b.value);
      take = c.ori(take, c.andi(second, negated(first)));
      isEqual = c.ori(isEqual, c.andi(first, second));
    }
    Value isNearer = c.cmpi(isLast ? CmpIPredicate::sgt : CmpIPredicate::slt, b.place, a.place);
    take = c.ori(take, c.andi(isEqual, isNearer));
    return {c.select(take, b.value, a.value), c.select(take, b.place, a.place)};
  }

private:
  BinaryKind strict() const { return isMax ? BinaryKind::Greater : BinaryKind::Less; }
  Value isNaN(Value value) const { return c.isNaN(widen(c, type, value)); }
  Value negated(Value flag) const { return c.xori(flag, c.integer(1, flag)); }

  Code &c;
  Type type;
  bool isMax, isLast;
};

} // namespace

void Emitter::emitArgReduce(kernel::ArgReduceOp op) {
  LoopNest loops = loopsOf(op);
  const Type type = op.getBody().front().getTerminator()->getOperand(0).getType();
  const Better better(c, op, type);
  const Expr position = rowMajor(loops.vars, loops.extents);
  Values init{emitNeutral(c, op.getKind(), type), c.i64(0)};
  if (loops.vectorised || !vectorVar.empty())
    init = {c.splat(init[0]), c.splat(init[1])};
  const auto step = [&](Carried carried) -> Values {
    Value value = emitYield(op.getBody().front())[0];
    Value take = better.takes(value, carried[0]);
    if (loops.vectorised && mask)
      take = c.andi(take, mask);
    return {c.select(take, value, carried[0]), c.select(take, index(position), carried[1])};
  };
  const auto merge = [&](Carried a, Carried b) -> Values {
    const Found found = better.best({a[0], a[1]}, {b[0], b[1]});
    return {found.value, found.place};
  };
  const Interleave interleave{init, merge};
  Values found = emitLoops(loops, 0, init, step, &interleave);
  values[op.getResult()] = loops.vectorised ? reduceLanes(found, merge)[1] : found[1];
}

} // namespace cupola::cpu

//===- lib/Target/CPU/Loops.cpp - loops, maps and reductions ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Emitter.h"
#include "lib/Target/CPU/Scalars.h"

#include <algorithm>

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;
using cupola::graph::BinaryKind;
using cupola::graph::exprsOf;

namespace cupola::cpu {

//===----------------------------------------------------------------------===//
// One loop
//===----------------------------------------------------------------------===//

Emitter::Values Emitter::forLoop(Value lower, Value upper, int64_t by, ValueRange init, LoopBody body) {
  std::optional<int64_t> first = getConstantIntValue(lower), end = getConstantIntValue(upper);
  if (first && end && *first >= *end)
    return Values(init);
  if (first && end && *end - *first <= by) // one iteration is no loop
    return body(lower, llvm::to_vector(init));
  auto loop = scf::ForOp::create(c.b, c.loc, lower, upper, c.i64(by), init,
                                 [&](OpBuilder &b, Location loc, Value iv, ValueRange carried) {
                                   Values next = body(iv, llvm::to_vector(carried));
                                   scf::YieldOp::create(b, loc, next);
                                 });
  return Values(loop.getResults());
}

Expr Emitter::lengthInParts(const Expr &all, int64_t part) const {
  return part % static_cast<int64_t>(c.lanes) == 0 ? all : Expr::symbol("part");
}

bool Emitter::wholeVectors(const Expr &length) const { return divisible(length, c.lanes, divisors); }

Value Emitter::tailMask(Value count) {
  SmallVector<int32_t> lanes = llvm::to_vector(llvm::seq<int32_t>(0, c.lanes));
  Value numbers = c.number(c.b.getI32VectorAttr(lanes));
  Value limit = arith::TruncIOp::create(c.b, c.loc, c.b.getI32Type(), count);
  return c.cmpi(CmpIPredicate::slt, numbers, limit);
}

Emitter::Values Emitter::interleavedLoop(const std::string &var, Value &lower, Value upper, ValueRange init,
                                         LaneBody body, const Interleave &interleave) {
  int64_t step = kInterleave * c.lanes;
  Value end = c.addi(lower, c.andi(c.subi(upper, lower), c.i64(-step)));
  Values all(init);
  for (int64_t i = 1; i < kInterleave; ++i)
    llvm::append_range(all, interleave.neutral);
  size_t count = init.size();
  Values totals = forLoop(lower, end, step, all, [&](Value iv, Carried carried) {
    Values next;
    for (int64_t i = 0; i < kInterleave; ++i) {
      variables[var] = c.addi(iv, c.i64(i * c.lanes));
      llvm::append_range(next, body(carried.slice(i * count, count)));
    }
    return next;
  });
  Values merged(ArrayRef(totals).take_front(count));
  for (int64_t i = 1; i < kInterleave; ++i)
    merged = interleave.merge(merged, ArrayRef(totals).slice(i * count, count));
  lower = end;
  return merged;
}

Emitter::Values Emitter::atEdge(Value lower, Value upper, Carried carried, function_ref<Values(Value)> body) {
  Value rest = c.subi(upper, lower), some = c.cmpi(CmpIPredicate::sgt, rest, c.i64(0));
  if (std::optional<int64_t> known = getConstantIntValue(some))
    return *known ? body(rest) : Values(carried);
  auto tail = [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, body(rest)); };
  auto skip = [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, carried); };
  auto branch =
      carried.empty() ? scf::IfOp::create(c.b, c.loc, some, tail) : scf::IfOp::create(c.b, c.loc, some, tail, skip);
  return Values(branch.getResults());
}

Emitter::Values Emitter::maskedTail(const std::string &var, Value lower, Value upper, Carried carried, LaneBody body) {
  return atEdge(lower, upper, carried, [&](Value rest) {
    variables[var] = lower;
    mask = tailMask(rest);
    Values next = body(carried);
    mask = nullptr;
    return next;
  });
}

Emitter::Values Emitter::vectorLoop(const std::string &var, Value lower, Value upper, const Expr &length,
                                    ValueRange init, LaneBody body, const Interleave *interleave, int64_t unit) {
  vectorVar = var;
  vectorUnit = getConstantIntValue(lower) == 0 ? c.lanes : unit;
  int64_t lanes = c.lanes, known = length.constant().value_or(INT64_MAX);
  Values carried(init);
  if (interleave && known >= kInterleave * lanes)
    carried = interleavedLoop(var, lower, upper, carried, body, *interleave);
  Value whole = c.andi(c.subi(upper, lower), c.i64(-lanes));
  Value end = wholeVectors(length) ? upper : c.addi(lower, whole);
  if (known >= lanes)
    carried = forLoop(lower, end, lanes, carried, [&](Value iv, Carried inner) {
      variables[var] = iv;
      return body(inner);
    });
  if (!wholeVectors(length))
    carried = maskedTail(var, end, upper, carried, body);
  vectorVar.clear();
  return carried;
}

Emitter::Values Emitter::scalarLoop(const std::string &var, Value lower, Value upper, ValueRange init, LaneBody body) {
  return forLoop(lower, upper, 1, init, [&](Value iv, Carried carried) {
    variables[var] = iv;
    return body(carried);
  });
}

//===----------------------------------------------------------------------===//
// foreach, map, reduce
//===----------------------------------------------------------------------===//

Emitter::LoopNest Emitter::loopsOf(Operation *op) {
  LoopNest loops;
  loops.vars = vars.names(op->getRegion(0).getArguments());
  for (auto [var, extent] : llvm::zip_equal(loops.vars, exprsOf(extentsOf(op))))
    loops.extents.push_back(liveExtent(var, extent));
  if (!vectorVar.empty())
    return loops;
  std::optional<unsigned> choice =
      chooseVector(vars, loops.vars, loops.extents, op->getRegion(0).front(), plan.tiles, isa.lanes());
  if (choice) {
    loops.vectorised = true;
    std::rotate(loops.vars.begin() + *choice, loops.vars.begin() + *choice + 1, loops.vars.end());
    std::rotate(loops.extents.begin() + *choice, loops.extents.begin() + *choice + 1, loops.extents.end());
  }
  return loops;
}

Emitter::Values Emitter::emitLoops(const LoopNest &loops, unsigned level, ValueRange init, LaneBody body,
                                   const Interleave *interleave) {
  if (level == loops.vars.size())
    return body(llvm::to_vector(init));
  Value upper = index(loops.extents[level]);
  auto inside = [&](Carried carried) { return emitLoops(loops, level + 1, carried, body, interleave); };
  if (loops.vectorised && level + 1 == loops.vars.size())
    return vectorLoop(loops.vars[level], c.i64(0), upper, loops.extents[level], init, inside, interleave);
  if (loops.block == 0 || level + 1 < loops.vars.size())
    return scalarLoop(loops.vars[level], c.i64(0), upper, init, inside);
  return forLoop(c.i64(0), upper, loops.block, init, [&](Value first, Carried carried) {
    const Value end = c.minsi(upper, c.addi(first, c.i64(loops.block)));
    return interleave->merge(carried, scalarLoop(loops.vars[level], first, end, interleave->neutral, inside));
  });
}

void Emitter::emitForeach(ForeachOp op) {
  emitLoops(loopsOf(op), 0, {}, [&](Carried) -> Values {
    emitBlock(op.getBody().front());
    return {};
  });
}

void Emitter::emitMap(MapOp op) {
  if (llvm::none_of(op.getTiles(), [&](Value tile) { return plan.tiles.count(tile); }))
    return; // emitted where its elements are extracted
  Expr position = rowMajor(vars.names(op.getBody().getArguments()), exprsOf(op.getExtents()));
  emitLoops(loopsOf(op), 0, {}, [&](Carried) -> Values {
    Values yielded = emitYield(op.getBody().front());
    for (auto [tile, value] : llvm::zip_equal(op.getTiles(), yielded)) {
      auto stored = plan.tiles.find(tile);
      if (stored == plan.tiles.end())
        continue;
      Type element = cast<TileType>(tile.getType()).getElement();
      if (plan.nest.hasLaneTiles && !Code::isVector(value))
        value = c.splat(value);
      store(value, tileAt(stored->second, element, position), element, {});
    }
    return {};
  });
}

Emitter::Values Emitter::reduceLanes(Values vectors, function_ref<Values(Carried, Carried)> merge) {
  // Halves first: a tree, the same on every machine.
  for (int64_t width = c.lanes; width > 1; width /= 2) {
    auto half = [&](int32_t from) {
      auto lanes = llvm::to_vector(llvm::seq<int32_t>(from, from + width / 2));
      return llvm::map_to_vector(vectors, [&](Value vector) -> Value {
        return LLVM::ShuffleVectorOp::create(c.b, c.loc, vector, vector, lanes);
      });
    };
    const Values low = half(0), high = half(width / 2);
    vectors = merge(low, high);
  }
  return llvm::map_to_vector(vectors,
                             [&](Value vector) -> Value { return vector::ExtractOp::create(c.b, c.loc, vector, 0); });
}

/// Long bodies keep the processor busy by themselves.
static bool isShort(mlir::Block &body) { return body.getOperations().size() <= 8; }

/// Of a sum along a scalar loop, whose roundings grow with the number of addends: as many are added up by themselves.
/// 0: there are no more of them, or they are exact.
static int64_t blockOfSum(kernel::ReduceOp op) {
  constexpr int64_t block = 256;
  const auto isRounded = [](auto kindAndResult) {
    const auto [kind, result] = kindAndResult;
    return kind.getValue() == graph::ReduceKind::Sum && isa<FloatType>(result.getType());
  };
  const auto kinds = op.getKinds().getAsRange<graph::ReduceKindAttr>();
  const int64_t addends = graph::product(exprsOf(op.getExtents())).constant().value_or(INT64_MAX);
  return addends > block && llvm::any_of(llvm::zip_equal(kinds, op.getResults()), isRounded) ? block : 0;
}

void Emitter::emitReduce(kernel::ReduceOp op) {
  LoopNest loops = loopsOf(op);
  bool isWide = loops.vectorised || !vectorVar.empty();
  auto combine = [&](unsigned i, Value a, Value b) {
    auto kind = cast<graph::ReduceKindAttr>(op.getKinds()[i]).getValue();
    return emitCombine(c, kind, op.getResult(i).getType(), a, b);
  };
  Values init;
  for (auto [kind, result] : llvm::zip_equal(op.getKinds().getAsRange<graph::ReduceKindAttr>(), op.getResults())) {
    Value neutral = emitNeutral(c, kind.getValue(), result.getType());
    init.push_back(isWide ? c.splat(neutral) : neutral);
  }
  const size_t count = init.size();
  const Values one = init;
  for (int64_t i = 1; i < jam.count; ++i)
    llvm::append_range(init, one);
  auto merge = [&](Carried a, Carried b) {
    Values merged;
    for (unsigned i = 0; i < a.size(); ++i)
      merged.push_back(combine(i % count, a[i], b[i]));
    return merged;
  };
  auto step = [&](Carried carried) {
    Values addends;
    forEachJammed([&](int64_t) { llvm::append_range(addends, emitYield(op.getBody().front())); });
    Values next = merge(carried, addends);
    for (unsigned i = 0; loops.vectorised && mask && i < next.size(); ++i)
      next[i] = c.select(mask, next[i], carried[i]);
    return next;
  };
  if (!loops.vectorised)
    loops.block = blockOfSum(op);
  Interleave interleave{init, merge};
  const bool isApart = loops.vectorised && !isShort(op.getBody().front());
  Values totals = emitLoops(loops, 0, init, step, isApart ? nullptr : &interleave);
  if (loops.vectorised)
    totals = reduceLanes(std::move(totals), merge);
  forEachJammed([&](int64_t i) {
    for (auto [result, total] : llvm::zip_equal(op.getResults(), ArrayRef(totals).slice(i * count, count)))
      values[result] = total;
  });
}

} // namespace cupola::cpu

//===- lib/Target/CPU/Nests.cpp - the nest of an iteration ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Every op stands as far out as it can. Where a schedule says so, some iterations of the loop around the vectors are
// emitted as one: each has its own values, and their reductions take every step together, so that what they read in
// common is read once.

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using namespace cupola::kernel;
using arith::CmpIPredicate;

namespace cupola::cpu {

static bool staysInside(Operation &op) {
  if (auto load = dyn_cast<kernel::LoadOp>(op))
    return load.getView().getType().getAccess() != Access::Read;
  bool writes = false;
  op.walk([&](kernel::StoreOp) { writes = true; });
  return writes;
}

Emitter::Levels Emitter::levelsOf(const Nest &nest) {
  Levels levels(nest.vars.size() + 1);
  llvm::DenseMap<Operation *, unsigned> placed;
  for (Operation &op : *nest.body) {
    unsigned level = nest.parallel;
    std::set<std::string> used = variablesOf(vars, &op, plan.tiles);
    for (auto [i, var] : llvm::enumerate(nest.vars))
      if (used.count(var))
        level = std::max<unsigned>(level, i + 1);
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *source = operand.getDefiningOp())
          level = std::max(level, placed.lookup(source));
    });
    bool keepsTile = llvm::any_of(op.getResults(), [&](Value v) { return plan.tiles.count(v); });
    if (staysInside(op) || keepsTile)
      level = nest.vars.size();
    placed[&op] = level;
    levels[level].push_back(&op);
  }
  return levels;
}

void Emitter::emitNest(const Nest &nest, ArrayRef<Value> parallel) {
  c.lanes = isa.lanes() * nest.vectors;
  for (unsigned i = 0; i < nest.parallel; ++i)
    variables[nest.vars[i]] = parallel[i];
  const NestLoops loops{nest, levelsOf(nest),
                        cutLoops(vars, nest.vars, nest.extents, *nest.body, nest.vectorised ? c.lanes : 1),
                        nest.chunk ? parallel.back() : Value()};
  emitInParts(loops, 0);
}

/// An iteration of the grid looks in which parts it is.
void Emitter::emitInParts(const NestLoops &loops, unsigned level) {
  if (level == loops.nest.parallel)
    return emitLevel(loops, level);
  const std::string &var = loops.nest.vars[level];
  const std::function<void(ArrayRef<LoopPart>)> choose = [&](ArrayRef<LoopPart> parts) {
    const auto here = [&] {
      if (loops.parts[level].size() > 1)
        live[var] = parts.front();
      emitInParts(loops, level + 1);
      live.erase(var);
    };
    if (parts.size() == 1)
      return here();
    const auto branch = [](llvm::function_ref<void()> body) {
      return [body](OpBuilder &b, Location loc) {
        body();
        scf::YieldOp::create(b, loc);
      };
    };
    const auto others = [&] { choose(parts.drop_front()); };
    const Value isHere = c.cmpi(CmpIPredicate::slt, variables[var], index(parts.front().end));
    scf::IfOp::create(c.b, c.loc, isHere, branch(here), branch(others));
  };
  choose(loops.parts[level]);
}

void Emitter::emitLevel(const NestLoops &loops, unsigned level) {
  const llvm::DenseSet<Operation *> needed =
      live.empty() ? llvm::DenseSet<Operation *>()
                   : neededOps(*loops.nest.body, [&](Operation *op) { return isKnown(op); });
  jam.copies.assign(jam.count > 1 && level == loops.nest.vars.size() ? jam.count : 0, values);
  for (Operation *op : loops.levels[level])
    if (live.empty() || needed.contains(op))
      mlir::isa<ReduceOp>(op) ? emitOp(op) : forEachJammed([&](int64_t) { emitOp(op); });
  jam.copies.clear();
  if (level == loops.nest.vars.size())
    return;
  const std::string &var = loops.nest.vars[level];
  for (const LoopPart &part : loops.parts[level]) {
    if (loops.parts[level].size() > 1)
      live[var] = part;
    emitPart(loops, level, part);
    live.erase(var);
  }
}

void Emitter::emitPart(const NestLoops &loops, unsigned level, const LoopPart &part) {
  const Nest &nest = loops.nest;
  const auto inside = [&](Carried) -> Values {
    emitLevel(loops, level + 1);
    return {};
  };
  Value lower = index(part.begin), upper = index(part.end);
  Expr length = simplify(part.end - part.begin, vars.ranges());
  const bool isWhole = loops.parts[level].size() == 1, isCut = loops.piece && level == nest.chunkedLoop();
  if (isCut) {
    const Value first = c.muli(loops.piece, c.i64(nest.chunk)), end = c.addi(first, c.i64(nest.chunk));
    lower = isWhole ? first : c.maxsi(lower, first);
    upper = c.minsi(upper, end);
    if (!isWhole) { // it may have none of the piece
      upper = c.maxsi(lower, upper);
      length = Expr::symbol("part");
    }
  }
  if (nest.jam > 1 && level + 2 == nest.vars.size())
    return emitJams(loops, level, lower, upper,
                    isCut && !divisible(length, nest.jam, divisors) ? Expr::symbol("part") : length);
  if (!nest.vectorised || level + 1 < nest.vars.size()) {
    scalarLoop(nest.vars[level], lower, upper, {}, inside);
    return;
  }
  vectorLoop(nest.vars[level], lower, upper, length, {}, inside, /*interleave=*/nullptr,
             isCut && isWhole ? nest.chunk : 1);
}

std::optional<bool> Emitter::isKnown(Operation *op) {
  graph::Exprs conditions = conditionsOf(vars, op);
  for (Expr &e : conditions)
    e = e.substitute(aliases);
  return holdsIn(live, conditions, vars.ranges());
}

//===----------------------------------------------------------------------===//
// Iterations as one
//===----------------------------------------------------------------------===//

/// Where the loop's length is known, the last ones are one, too.
void Emitter::emitJams(const NestLoops &loops, unsigned level, Value lower, Value upper, const Expr &length) {
  const std::string &var = loops.nest.vars[level];
  const int64_t count = loops.nest.jam;
  const auto emit = [&](Value first, int64_t iterations) -> Values {
    variables[var] = first;
    jam = {var, iterations, {}};
    emitLevel(loops, level + 1);
    jam = {};
    return {};
  };
  const std::optional<int64_t> known = length.constant();
  const Value all = c.subi(upper, lower), whole = c.muli(c.binary<arith::DivUIOp>(all, c.i64(count)), c.i64(count));
  const Value end = c.addi(lower, whole);
  if (!known || *known >= count)
    forLoop(lower, end, count, {}, [&](Value first, Carried) { return emit(first, count); });
  if (!known)
    forLoop(end, upper, 1, {}, [&](Value first, Carried) { return emit(first, 1); });
  else if (*known % count != 0)
    emit(end, *known % count);
}

/// Runs `body` for each of the iterations that are emitted as one, with its values; elsewhere once.
void Emitter::forEachJammed(function_ref<void(int64_t)> body) {
  if (jam.copies.empty())
    return body(0);
  const Value first = variables.at(jam.var);
  for (int64_t i = 0; i < jam.count; ++i) {
    variables[jam.var] = c.addi(first, c.i64(i));
    std::swap(values, jam.copies[i]);
    body(i);
    std::swap(values, jam.copies[i]);
  }
  variables[jam.var] = first;
}

} // namespace cupola::cpu

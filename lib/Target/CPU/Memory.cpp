//===- lib/Target/CPU/Memory.cpp - positions and stores ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CPU/Emitter.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace cupola::cpu {
namespace {

/// Builds an expression; keeps track of values that cannot be negative, since
/// divisions of those are cheap.
struct IndexBuilder {
  Code &c;
  llvm::function_ref<Value(const std::string &)> lookup;
  llvm::DenseSet<Value> natural;

  Value note(Value value, bool isNatural) {
    if (isNatural)
      natural.insert(value);
    return value;
  }
  Value constant(int64_t value) { return note(c.i64(value), value >= 0); }
  Value symbol(const std::string &name) { return note(lookup(name), true); }

  /// Never 0: a loop that runs no iteration may have had its divisions moved out.
  Value divisor(Value b) {
    if (b.getDefiningOp<arith::ConstantOp>())
      return b;
    Value zero = c.cmpi(CmpIPredicate::eq, b, c.integer(0, b));
    return c.select(zero, c.integer(1, b), b);
  }

  Value floorDivide(Value a, Value b) {
    Value q = c.binary<arith::DivSIOp>(a, b);
    return c.select(crosses(a, b), c.subi(q, c.i64(1)), q);
  }
  Value floorMod(Value a, Value b) {
    Value r = c.binary<arith::RemSIOp>(a, b);
    return c.select(crosses(a, b), c.addi(r, b), r);
  }
  /// There is a remainder, and its sign is not the divisor's.
  Value crosses(Value a, Value b) {
    Value r = c.binary<arith::RemSIOp>(a, b);
    Value zero = c.integer(0, r);
    Value some = c.cmpi(CmpIPredicate::ne, r, zero);
    return c.andi(some, c.cmpi(CmpIPredicate::slt, c.xori(r, b), zero));
  }

  Value divide(ExprOp op, Value a, Value b, bool isNatural) {
    b = divisor(b);
    if (op == ExprOp::Mod)
      return isNatural ? c.binary<arith::RemUIOp>(a, b) : floorMod(a, b);
    if (op == ExprOp::FloorDiv)
      return isNatural ? c.binary<arith::DivUIOp>(a, b) : floorDivide(a, b);
    if (isNatural)
      return c.binary<arith::DivUIOp>(c.addi(a, c.subi(b, c.i64(1))), b);
    Value zero = c.i64(0);
    return c.subi(zero, floorDivide(c.subi(zero, a), b));
  }

  Value binary(ExprOp op, Value a, Value b) {
    bool isNatural = natural.count(a) && natural.count(b);
    switch (op) {
    case ExprOp::Add:
      return note(c.addi(a, b), isNatural);
    case ExprOp::Sub:
      return c.subi(a, b);
    case ExprOp::Mul:
      return note(c.muli(a, b), isNatural);
    case ExprOp::Min:
      return note(c.minsi(a, b), isNatural);
    case ExprOp::Max:
      return note(c.maxsi(a, b), natural.count(a) || natural.count(b));
    default:
      return note(divide(op, a, b, isNatural), isNatural);
    }
  }
};

} // namespace

Expr Emitter::resolve(const Expr &e) const {
  Expr resolved = e.substitute(aliases);
  if (!live.empty())
    resolved = simplify(resolved, within(live, vars.ranges()));
  return pieces ? pieces->position(resolved) : resolved;
}

std::optional<Expr> Emitter::stepInVector(const Expr &e) const {
  const bool isAligned = !vectorVar.empty() && vectorUnit % static_cast<int64_t>(c.lanes) == 0;
  return isAligned && e.uses(vectorVar) && !e.coefficient(vectorVar)
             ? stepWithin(e, vectorVar, static_cast<int64_t>(c.lanes), vars.ranges())
             : std::nullopt;
}

Value Emitter::laneSteps(int64_t step) {
  const auto lanes = llvm::map_range(llvm::seq<int64_t>(0, c.lanes), [&](int64_t i) { return i * step; });
  return c.number(c.b.getI64VectorAttr(llvm::to_vector(lanes)));
}

Value Emitter::index(const Expr &e, bool scalar) {
  const Expr resolved = resolve(e);
  const std::optional<Expr> step = scalar ? std::nullopt : stepInVector(resolved);
  auto lookupSymbol = [&](const std::string &name) -> Value {
    Value value = variables.at(name);
    return scalar || step || name != vectorVar ? value : c.addi(value, laneSteps(1));
  };
  IndexBuilder builder{c, lookupSymbol, {}};
  Value first = buildExpr(resolved, builder);
  return step && !step->isConstant(0) ? c.addi(first, laneSteps(*step->constant())) : first;
}

/// e >= 0. By lanes in 32 bits if it needs no more, of which a register holds twice as many: what the first lane has
/// against what the others have less.
Value Emitter::isNatural(const Expr &e) {
  constexpr int64_t most = int64_t(1) << 30; // and lanes behind the end
  const Expr resolved = resolve(e);
  const std::optional<Expr> step =
      vectorVar.empty() || hasPlaces(resolved) ? std::nullopt : resolved.coefficient(vectorVar);
  const Interval span = bounds(resolved, vars.ranges());
  const int64_t known = step ? step->constant().value_or(0) : 0;
  if (known == 0 || std::abs(known) > most / static_cast<int64_t>(c.lanes) || span.lo.value_or(-most - 1) < -most ||
      span.hi.value_or(most + 1) > most)
    return c.cmpi(CmpIPredicate::sge, index(e), c.i64(0));
  const auto steps = llvm::map_to_vector(llvm::seq<int32_t>(0, c.lanes),
                                         [&](int32_t lane) { return static_cast<int32_t>(-lane * known); });
  const Value first = c.convert<arith::TruncIOp>(index(e, /*scalar=*/true), c.b.getI32Type());
  return c.cmpi(CmpIPredicate::sge, first, c.number(c.b.getI32VectorAttr(steps)));
}

Emitter::Condition Emitter::conjunction(ArrayRef<Expr> exprs) {
  Value uniform, byLane;
  for (const Expr &e : exprs) {
    if (isProven(e) || holdsIn(live, e.substitute(aliases), vars.ranges()) == true)
      continue;
    Value holds =
        pieces ? c.cmpi(CmpIPredicate::sge, index(pieces->condition(e.substitute(aliases))), c.i64(0)) : isNatural(e);
    Value &part = Code::isVector(holds) ? byLane : uniform;
    part = part ? c.andi(part, holds) : holds;
  }
  return {uniform && byLane ? c.andi(uniform, byLane) : uniform ? uniform : byLane, uniform};
}

/// Where each lane reads at a place of its own, in two parts: the first leaves loops, the other has 32 bits if it needs
/// no more, of which a register holds twice as many.
Emitter::Address Emitter::gathered(Value base, Type storage, const Expr &e) {
  const auto isOwn = [&](const std::string &name) { return name == vectorVar || Code::isVector(variables.at(name)); };
  Expr own;
  for (const std::string &name : e.symbols())
    if (isOwn(name)) {
      const std::optional<Expr> step = e.coefficient(name);
      if (!step || llvm::any_of(step->symbols(), isOwn))
        return {c.address(base, index(e), storage), false};
      own = own + *step * Expr::symbol(name);
    }
  Value shared = c.address(base, index(e - own, /*scalar=*/true), storage), lanes = index(own);
  const Interval span = bounds(own, vars.ranges());
  if (span.lo.value_or(INT64_MIN) >= INT32_MIN && span.hi.value_or(INT64_MAX) <= INT32_MAX)
    lanes = c.convert<arith::TruncIOp>(lanes, c.b.getI32Type());
  return {c.address(shared, lanes, storage), false};
}

bool Emitter::hasPlaces(const Expr &e) const {
  return llvm::any_of(e.symbols(), [&](const std::string &name) { return Code::isVector(variables.at(name)); });
}

Emitter::Address Emitter::address(Value base, Type element, const Expr &position) {
  return resolvedAddress(base, storageType(element), resolve(position));
}

Emitter::Address Emitter::loadAddress(Value base, Type element, const Expr &position) {
  const Type storage = storageType(element);
  const Expr e = resolve(position);
  if (!vectorVar.empty() && e.uses(vectorVar) && !hasPlaces(e))
    if (const auto shuffled = e.coefficient(vectorVar) ? apart(base, storage, e) : repeated(base, storage, e))
      return *shuffled;
  return resolvedAddress(base, storage, e);
}

Emitter::Address Emitter::resolvedAddress(Value base, Type storage, const Expr &e) {
  if (hasPlaces(e))
    return gathered(base, storage, e);
  if (vectorVar.empty() || !e.uses(vectorVar))
    return {c.address(base, index(e), storage), false};

  Expr lane = Expr::symbol(vectorVar);
  std::optional<Expr> stride = e.coefficient(vectorVar);
  if (stride && stride->isConstant(1)) {
    // In two parts, so that the first leaves the loop.
    Value row = c.address(base, index(e - lane, /*scalar=*/true), storage);
    return {c.address(row, variables.at(vectorVar), storage), true};
  }
  if (!stride) {
    const std::optional<Expr> step = stepInVector(e);
    const bool isKnown = step && (step->isConstant(0) || step->isConstant(1));
    return {c.address(base, index(e, /*scalar=*/isKnown), storage), isKnown && step->isConstant(1)};
  }
  Value row = c.address(base, index(e - *stride * lane, /*scalar=*/true), storage);
  return {c.address(row, c.muli(index(lane), index(*stride)), storage), false};
}

std::optional<Emitter::Address> Emitter::repeated(Value base, Type storage, const Expr &e) {
  const int64_t repeats = repeatsOf(e, vectorVar, vars.ranges()), lanes = c.lanes;
  if (repeats == 1 || vectorUnit % std::min(repeats, lanes) != 0)
    return std::nullopt;
  const Expr own = floorDiv(Expr::symbol(vectorVar), Expr(repeats));
  Value row = c.address(base, index(simplify(e - own, vars.ranges()), /*scalar=*/true), storage);
  row = c.address(row, index(own, /*scalar=*/true), storage);
  return repeats >= lanes ? Address{row} : Address{row, /*contiguous=*/true, repeats};
}

std::optional<Emitter::Address> Emitter::apart(Value base, Type storage, const Expr &e) {
  const int64_t step = stepOf(e, vectorVar);
  if (step < 2)
    return std::nullopt;
  const Expr own = Expr(step) * Expr::symbol(vectorVar);
  Value row = c.address(base, index(e - own, /*scalar=*/true), storage);
  return Address{c.address(row, index(own, /*scalar=*/true), storage), /*contiguous=*/false, /*repeats=*/1, step};
}

Value Emitter::allLanes(bool value) {
  auto type = VectorType::get({static_cast<int64_t>(c.lanes)}, c.b.getI1Type());
  return c.number(DenseElementsAttr::get(type, value));
}

Value Emitter::maskWith(Value condition) {
  if (!condition)
    return mask;
  return mask ? c.andi(c.splat(condition), mask) : c.splat(condition);
}

Value Emitter::scratchAt(int64_t offset) { return c.address(scratch, c.i64(offset), c.b.getI8Type()); }

Emitter::Address Emitter::tileAt(int64_t offset, Type element, const Expr &position) {
  if (!plan.nest.hasLaneTiles)
    return address(scratchAt(offset), element, position);
  Value first = index(position * Expr(static_cast<int64_t>(c.lanes)), /*scalar=*/true);
  return {c.address(scratchAt(offset), first, storageType(element)), true};
}

void Emitter::store(Value value, Address to, Type element, Value condition) {
  if (storageType(element) != valueType(element))
    value = c.convert<arith::ExtUIOp>(value, storageType(element));
  unsigned alignment = elementBytes(element);
  if (!to.isVector()) {
    auto write = [&](OpBuilder &b, Location loc) { LLVM::StoreOp::create(b, loc, value, to.pointer, alignment); };
    if (!condition)
      return write(c.b, c.loc);
    scf::IfOp::create(c.b, c.loc, condition, [&](OpBuilder &b, Location loc) {
      write(b, loc);
      scf::YieldOp::create(b, loc);
    });
    return;
  }
  value = c.splat(value);
  Value lanes = maskWith(condition);
  if (to.contiguous && !lanes)
    LLVM::StoreOp::create(c.b, c.loc, value, to.pointer, alignment);
  else if (to.contiguous)
    LLVM::MaskedStoreOp::create(c.b, c.loc, value, to.pointer, lanes, alignment);
  else
    LLVM::masked_scatter::create(c.b, c.loc, value, to.pointer, lanes ? lanes : allLanes(true), alignment);
}

} // namespace cupola::cpu

//===- lib/Import/Onnx/Symbols.cpp - dimensions and what is known of them --===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Symbols.h"

#include "lib/Import/Onnx/GraphBuilder.h"
#include "lib/Planner/SolveDim.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

OpBuilder builderAfter(ModuleOp module, Operation *last) {
  OpBuilder builder(module.getContext());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(module.getBody());
  return builder;
}

/// e grows with its one symbol: sums of positive multiples of it and of quotients of such.
bool growsWith(const Expr &e, const std::string &symbol) {
  return llvm::all_of(e.terms(), [&](const Term &term) {
    if (term.coefficient < 1 || term.factors.size() != 1 || term.factors[0].power != 1)
      return false;
    const Atom &atom = *term.factors[0].atom;
    if (atom.kind() == Atom::Kind::Symbol)
      return atom.name() == symbol;
    const bool divides = atom.kind() == Atom::Kind::FloorDiv || atom.kind() == Atom::Kind::CeilDiv;
    const std::optional<int64_t> divisor = divides ? atom.rhs().constant() : std::nullopt;
    return divisor && *divisor > 0 && growsWith(atom.lhs(), symbol);
  });
}

/// The smallest value of the symbol from `low` on at which `e`, which grows, is not negative.
std::optional<int64_t> leastValue(const Expr &e, const std::string &symbol, int64_t low) {
  constexpr int64_t most = int64_t(1) << 20; // no window is larger
  const auto isReached = [&](int64_t value) { return e.evaluate({{symbol, value}}).value_or(-1) >= 0; };
  if (low < 0 || low > most || !isReached(most))
    return std::nullopt;
  int64_t high = most;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    (isReached(middle) ? high : low) = isReached(middle) ? middle : middle + 1;
  }
  return high;
}

} // namespace

Expr Symbols::create(const std::string &name, const std::string &origin, int64_t min, int64_t max) {
  const std::string id = "s" + std::to_string(state.ops.size());
  OpBuilder builder = builderAfter(module, state.last);
  auto op = graph::SymbolOp::create(builder, NameLoc::get(builder.getStringAttr(name)), id, min, max, /*divisor=*/1,
                                    /*run=*/false, /*definition=*/graph::ExprAttr());
  state.last = op;
  state.ops[id] = op;
  state.origins[id] = origin;
  Range &range = state.known[id];
  if (min != graph::anyNumber)
    range.lo = Expr(min);
  if (max > 0)
    range.hi = Expr(max);
  return Expr::symbol(id);
}

Expr Symbols::createElement(const std::string &input, const std::string &origin, int64_t min) {
  const Expr symbol = create(origin, origin, min, /*max=*/0);
  state.elements[*symbol.asSymbol()] = input;
  return symbol;
}

const std::string *Symbols::inputOf(const std::string &id) const {
  const auto found = state.elements.find(id);
  return found == state.elements.end() ? nullptr : &found->second;
}

bool Symbols::followsElements(const Expr &expr) const {
  return llvm::any_of(expr.symbols(), [&](const std::string &id) { return inputOf(id) || definitionOf(id); });
}

std::optional<Expr> Symbols::definitionOf(const std::string &id) const {
  graph::SymbolOp op = state.ops.at(id);
  const auto definition = op.getDefinitionAttr();
  return definition ? std::optional(definition.getValue()) : std::nullopt;
}

Expr Symbols::define(const Expr &value, const std::string &what, int64_t min, int64_t max) {
  const std::string key = std::to_string(min) + ".." + std::to_string(max) + ": " + value.text();
  const auto [known, isNew] = state.defined.try_emplace(key);
  if (isNew) {
    known->second = create(what, what, min, max);
    state.ops.at(*known->second.asSymbol()).setDefinitionAttr(graph::ExprAttr::get(module->getContext(), value));
  }
  return current(known->second);
}

Expr Symbols::createRun(const std::string &origin, const std::optional<Expr> &most, const std::string &name,
                        int64_t least) {
  const Expr symbol = create(name, origin, least, /*max=*/0);
  if (most)
    state.known[*symbol.asSymbol()].hi = *most;
  state.ops.at(*symbol.asSymbol()).setRun(true);
  state.runs.insert(*symbol.asSymbol());
  return symbol;
}

std::optional<Expr> Symbols::numberOf(Value value, int64_t place) const {
  const auto found = state.numbers.find({value.getAsOpaquePointer(), place});
  return found == state.numbers.end() ? std::nullopt : std::optional(found->second);
}

void Symbols::setNumber(Value value, int64_t place, const Expr &symbol) {
  state.numbers.emplace(std::pair(value.getAsOpaquePointer(), place), symbol);
}

void Symbols::useAsLength(const Expr &number) {
  const auto id = number.asSymbol();
  if (id && isRun(*id) && !state.known[*id].lo)
    state.known[*id].lo = Expr(0);
}

void Symbols::restore(const State &before) {
  while (state.last != before.last) {
    Operation *previous = state.last->getPrevNode();
    state.last->erase();
    state.last = previous;
  }
  state = before;
}

bool Symbols::usesRun(const Expr &expr) const {
  return llvm::any_of(expr.symbols(), [&](const std::string &id) { return isRun(id); });
}

Expr Symbols::current(const Expr &expr) const {
  if (expr.constant())
    return expr;
  return simplify(state.replaced.empty() ? expr : expr.substitute(state.replaced), state.known);
}

Exprs Symbols::current(ArrayRef<Expr> exprs) const {
  return llvm::map_to_vector(exprs, [&](const Expr &expr) { return current(expr); });
}

void Symbols::record(const Expr &a, graph::Relation relation, const Expr &b, const std::string &who) {
  if (a.overflowed() || b.overflowed())
    throw tooLong("what has to be checked of extents depends");
  if (!state.recorded.insert(a.text() + " " + stringifyRelation(relation).str() + " " + b.text()).second)
    return;
  OpBuilder builder = builderAfter(module, state.last);
  state.last = graph::AssumeOp::create(builder, builder.getUnknownLoc(), a, relation, b, reason(a, b, who));
}

graph::ReasonAttr Symbols::reason(const Expr &a, const Expr &b, const std::string &who) const {
  return graph::ReasonAttr::get(module->getContext(), describe(a) + " and " + describe(b) + ": " + who);
}

/// Of two equal symbols: elements, of which less is known, then the later one.
bool Symbols::givesWay(const std::string &first, const std::string &second) const {
  if ((inputOf(first) != nullptr) != (inputOf(second) != nullptr))
    return inputOf(first) != nullptr;
  return !state.ops.at(first)->isBeforeInBlock(state.ops.at(second));
}

bool Symbols::replace(const Expr &symbol, const Expr &value) {
  const auto id = symbol.asSymbol();
  if (!id || value.uses(*id))
    return false;
  // What an input's extent is says more than a formula over what follows from it.
  if (!value.asSymbol() && !followsElements(symbol) && followsElements(value))
    return false;
  for (auto &[name, expr] : state.replaced)
    expr = expr.substitute({{*id, value}});
  state.replaced[*id] = value;
  return true;
}

Symbols::Outcome Symbols::assumeEqual(const Expr &first, const Expr &second, const std::string &who) {
  const Expr a = current(first), b = current(second);
  const auto equal = proveEqual(a, b, state.known);
  if (equal)
    return *equal ? Outcome::Holds : Outcome::Impossible;
  if (usesRun(a) || usesRun(b))
    return Outcome::Open;
  if (!a.asSymbol() && b.constant())
    return assumeConstant(a, *b.constant(), who);
  if (!b.asSymbol() && a.constant())
    return assumeConstant(b, *a.constant(), who);
  record(a, graph::Relation::Equal, b, who);
  useMinimum(a - b);
  // One of two symbols gives way; any symbol to what is no symbol.
  const auto left = a.asSymbol(), right = b.asSymbol();
  const bool replaceLeft = left && right ? givesWay(*left, *right) : left.has_value();
  if (replaceLeft ? !replace(a, b) : !replace(b, a))
    replace(replaceLeft ? b : a, replaceLeft ? a : b);
  return Outcome::Holds;
}

/// `e` is 0 from now on: where it is min(s, c) less a number that number says what s is, or that s is at least c.
/// Cutting the first of so many places off and putting another in front gives s - min(s, 1) + 1, which has to be s.
void Symbols::useMinimum(const Expr &e) {
  if (e.terms().size() != 1 || std::abs(e.terms()[0].coefficient) != 1 || e.terms()[0].factors.size() != 1)
    return;
  const auto &[atom, power] = e.terms()[0].factors[0];
  if (power != 1 || atom->kind() != Atom::Kind::Min)
    return;
  const int64_t value = -e.offset() * e.terms()[0].coefficient;
  for (const auto &[x, c] : {std::pair(atom->lhs(), atom->rhs()), std::pair(atom->rhs(), atom->lhs())})
    if (x.asSymbol() && c.constant()) {
      if (value < *c.constant())
        replace(x, Expr(value));
      else
        raiseLow(x - c);
      return;
    }
}

/// 4 * s == 44 says what s is, and 4 * s == 45 that no s will do.
Symbols::Outcome Symbols::assumeConstant(const Expr &e, int64_t value, const std::string &who) {
  SymbolValues solved;
  const auto symbol = solveDim(e, value, solved);
  if (symbol && e.evaluate(solved) != value)
    return Outcome::Impossible;
  record(e, graph::Relation::Equal, Expr(value), who);
  if (symbol)
    replace(Expr::symbol(*symbol), Expr(solved[*symbol]));
  else
    useMinimum(e - Expr(value));
  return Outcome::Holds;
}

Symbols::Outcome Symbols::assumeLessEqual(const Expr &first, const Expr &second, const std::string &who) {
  const Expr a = current(first), b = current(second);
  const auto holds = proveLessEqual(a, b, state.known);
  if (holds)
    return *holds ? Outcome::Holds : Outcome::Impossible;
  if (usesRun(a) || usesRun(b))
    return Outcome::Open;
  record(a, graph::Relation::LessEqual, b, who);
  const auto symbol = a.asSymbol();
  if (symbol && b.constant())
    state.known[*symbol].hi = b;
  raiseLow(b - a);
  return Outcome::Holds;
}

/// `e` >= 0 from now on: where it grows with one symbol, that is a bound of the symbol.
void Symbols::raiseLow(const Expr &e) {
  const std::set<std::string> symbols = e.symbols();
  if (symbols.size() != 1 || !growsWith(e, *symbols.begin()))
    return;
  const std::string &symbol = *symbols.begin();
  std::optional<Expr> &low = state.known[symbol].lo;
  if (!low && e.evaluate({{symbol, -1}}).value_or(0) >= 0)
    return; // the least value is none of those that leastValue tries
  if (const auto least = leastValue(e, symbol, low && low->constant() ? *low->constant() : 0))
    low = Expr(*least);
}

Symbols::Outcome Symbols::assumeBroadcast(const Expr &a, const Expr &b, const std::string &who) {
  if (usesRun(a) || usesRun(b))
    return Outcome::Open;
  record(current(a), graph::Relation::Broadcast, current(b), who);
  return Outcome::Holds;
}

std::string Symbols::nameOf(const std::string &id) const {
  graph::SymbolOp op = state.ops.at(id);
  return cast<NameLoc>(op.getLoc()).getName().str();
}

std::string Symbols::describe(const Expr &expr) const {
  if (const auto id = expr.asSymbol())
    return state.origins.at(*id);
  std::string text = expr.text(), where;
  for (const std::string &id : expr.symbols())
    where += (where.empty() ? " (" : ", ") + id + " is " + state.origins.at(id);
  return where.empty() ? text : text + where + ")";
}

void Symbols::finish() {
  for (auto &[id, op] : state.ops) {
    if (const auto &hi = state.known[id].hi; hi && hi->constant())
      op.setMax(*hi->constant());
    if (const auto &lo = state.known[id].lo; lo && lo->constant())
      op.setMin(*lo->constant());
  }
}

} // namespace cupola::onnx_import

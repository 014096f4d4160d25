//===- lib/Import/Onnx/LoopBody.cpp - a graph.loop and what is in it -------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/LoopBody.h"

#include "dialects/Graph/Control.h"

using namespace mlir;

namespace cupola::onnx_import {

/// The last number that an iteration can have, if something says how many there are at most.
static std::optional<Expr> lastIteration(const OpBinder &op, const LoopBounds &bounds) {
  if (!bounds.limit)
    return std::nullopt;
  return simplify(max(*bounds.limit, Expr(1)) - 1, op.b.ranges()); // without iterations the body is read, not run
}

LoopBody::LoopBody(OpBinder &op, std::vector<Value> initial, LoopBounds limits, bool hasCondition,
                   std::vector<Type> elements)
    : op(op), initial(std::move(initial)), bounds(std::move(limits)), elements(std::move(elements)),
      hasCondition(hasCondition), outside(op.b.facts().runSymbols()),
      index(op.b.facts().createRun("the iteration of " + op.b.label(), lastIteration(op, bounds))) {
  for (Value value : this->initial) {
    shapes.push_back(op.b.shape(value));
    if (this->elements.size() < shapes.size())
      this->elements.push_back(op.b.element(value));
  }
}

static bool isTrue(const Tensor tensor) {
  return tensor->known && tensor->known->isScalarLike() && tensor->known->elements[0].intConstant() == 1;
}

void LoopBody::make(Iteration iteration) {
  constexpr int mostRounds = 8; // each names extents that change; most loops take one or two
  auto makeBlock = [&](Block &block) {
    std::vector<Tensor> carried;
    op.bodies().scopes.current().iteration = index;
    for (auto [value, shape, element] : llvm::zip_equal(initial, shapes, elements))
      carried.push_back(op.ofValue(block.addArgument(op.b.type(shape, op.b.element(value)), value.getLoc()), element));
    return iteration(index, carried);
  };
  auto isDropped = [&](size_t output, Tensor tensor) { return hasCondition && output == 0 && isTrue(tensor); };
  for (int round = 0; round < mostRounds; ++round) {
    const std::function<void()> takeBack = op.bodies().remember();
    const int64_t before = op.bodies().importedNodes();
    body = op.bodies().asRegion(makeBlock, isDropped);
    if (!findChanges())
      return;
    body = Body();
    takeBack();
    nameChanges();
    if (const int64_t again = op.bodies().countAgain(before); again > op.limits.bodyNodes) // loops in loops
      op.b.fail(exceeds(op.limits, &Limits::bodyNodes,
                        std::to_string(again) + " nodes, imported again to find what shapes loops carry,"),
                ErrorKind::Limit);
  }
  op.unsupported("the shapes of its carried values change in more than " + std::to_string(mostRounds) + " ways");
}

bool LoopBody::isChanging(const Expr &extent) const {
  const auto symbol = extent.asSymbol();
  return symbol && last.count(*symbol);
}

bool LoopBody::findChanges() {
  changes.clear();
  for (size_t i = 0; i < initial.size(); ++i) {
    shapes[i] = op.b.facts().current(shapes[i]); // of which the body may have assumed something
    const Exprs after = op.b.shape(next()[i]);
    const std::string what = "carried value " + std::to_string(i);
    if (elementOf(i) != elements[i])
      op.bad(what + " has elements of " + typeText(elements[i]) + " before an iteration and " + typeText(elementOf(i)) +
             " after it, expected one type");
    if (after.size() != shapes[i].size())
      op.unsupported(what + " has the shape " + shapeText(shapes[i]) + " before an iteration and " + shapeText(after) +
                     " after it, supported are equal ranks");
    for (size_t d = 0; d < after.size(); ++d)
      if (!isChanging(shapes[i][d]) && proveEqual(after[d], shapes[i][d], op.b.ranges()) != true)
        changes[{shapes[i][d].text(), after[d].text()}].push_back({i, d});
  }
  return !changes.empty();
}

/// Extents that begin and grow alike are one.
void LoopBody::nameChanges() {
  for (const auto &[extents, places] : changes) {
    const Expr symbol = op.b.facts().createRun("an extent that " + op.b.label() + " carries");
    last[*symbol.asSymbol()] = op.b.facts().createRun("an extent of what " + op.b.label() + " gives");
    for (auto [value, dimension] : places)
      shapes[value][dimension] = symbol;
  }
}

Type LoopBody::lastType(size_t carried) {
  Exprs dims = op.b.facts().current(shapes[carried]);
  for (Expr &extent : dims)
    if (isChanging(extent))
      extent = last.at(*extent.asSymbol());
  return op.b.type(dims, op.b.element(initial[carried]));
}

bool LoopBody::isKnownOutside(const Expr &extent) const {
  return llvm::none_of(extent.symbols(),
                       [&](const std::string &id) { return op.b.facts().isRun(id) && !outside.count(id); });
}

/// Rows have one shape, which may be known only when the loop is done.
Type LoopBody::rowsType(Value row, const Expr &count) {
  Exprs dims{count};
  for (const Expr &extent : op.b.shape(row)) {
    if (isKnownOutside(extent)) {
      dims.push_back(extent);
      continue;
    }
    auto [symbol, isNew] = rowExtents.try_emplace(extent.text());
    if (isNew)
      symbol->second = op.b.facts().createRun("an extent of the rows of " + op.b.label());
    dims.push_back(symbol->second);
  }
  return op.b.type(dims, op.b.element(row));
}

std::vector<Value> LoopBody::create() {
  if (!bounds.limit && !bounds.trip && !proceeds())
    op.unsupported("it never ends: it has no trip count, and its condition is always true");
  OpBuilder &ops = op.bodies().ops;
  const auto refs = [&](const std::string &id) { return FlatSymbolRefAttr::get(ops.getContext(), id); };
  // How many there are is asked only where rows are stacked.
  const bool isCounted = bounds.limit && !bounds.trip && !bounds.condition && !proceeds();
  const bool isAsked = !isCounted && next().size() > initial.size();
  const Expr count = isAsked ? op.b.facts().createRun("the number of iterations of " + op.b.label())
                             : op.b.facts().current(max(bounds.limit.value_or(Expr(0)), Expr(0)));
  Value trip = bounds.trip;
  if (trip && isAsked) // the count is never negative
    trip = op.b.binary(graph::BinaryKind::Max, trip, op.b.intScalar(0, op.b.element(trip)));
  SmallVector<Type> types;
  for (size_t i = 0; i < initial.size(); ++i)
    types.push_back(lastType(i));
  for (Value row : next().drop_front(initial.size()))
    types.push_back(rowsType(row, count));
  std::vector<std::string> symbols; // in pairs
  const auto addPair = [&](const std::string &inner, const Expr &outer) {
    symbols.push_back(inner);
    symbols.push_back(*outer.asSymbol());
  };
  for (const auto &[inner, outer] : last)
    addPair(inner, outer);
  for (const auto &[inside, extent] : rowExtents)
    addPair(*op.b.facts().createRun("an extent of a row of " + op.b.label()).asSymbol(), extent);
  auto loop = graph::LoopOp::create(
      ops, op.b.location(), types, trip, bounds.condition, initial, body.captures,
      bounds.limit ? graph::ExprAttr::get(ops.getContext(), *bounds.limit) : graph::ExprAttr(), proceeds(),
      refs(*index.asSymbol()), isAsked ? refs(*count.asSymbol()) : FlatSymbolRefAttr(),
      graph::symbolRefs(ops.getContext(), symbols));
  op.bodies().finish(body, loop.getBody(), op.b.location());
  return {loop.getResults().begin(), loop.getResults().end()};
}

} // namespace cupola::onnx_import

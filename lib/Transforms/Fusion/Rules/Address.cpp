//===- lib/Transforms/Fusion/Rules/Address.cpp - where addresses grow too long ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;
using namespace cupola;
using graph::Exprs;

namespace {

/// Terms and atoms of one address. What reads the value adds to them, so this is well below
/// Expr::maxNodes.
constexpr size_t longest = 192;
/// Places in memory that are followed through an op with several operands, the longest ones.
constexpr size_t mostPlaces = 4;

/// Where an element of a value lies: the row-major position in `memory`, over the value's own
/// d0, d1, ..
struct Place {
  Value memory;
  Expr position;
};

class Addresses {
public:
  Addresses(const Ranges &ranges) : ranges(ranges) {}

  void visit(Operation &op) {
    if (fusion::isView(&op) && !isa<graph::JoinOp>(op))
      return visitView(op);
    if (fusion::classOf(&op) != graph::FusionClass::Pointwise)
      return;
    SmallVector<Place> places;
    for (Value operand : op.getOperands())
      for (const Place &place : placesOf(operand))
        add(places, place);
    if (!places.empty())
      known[op.getResult(0)] = std::move(places);
  }

  SetVector<Operation *> stored;

private:
  static Exprs variables(Value value) {
    Exprs index;
    for (auto [i, extent] : llvm::enumerate(graph::shapeOf(value)))
      index.push_back(extent.isConstant(1) ? Expr(0) : Expr::symbol("d" + std::to_string(i)));
    return index;
  }

  static Expr position(Value value) { return graph::linearize(variables(value), graph::shapeOf(value)); }

  SmallVector<Place> placesOf(Value value) {
    auto found = known.find(value);
    return found != known.end() ? found->second : SmallVector<Place>{{value, position(value)}};
  }

  static void add(SmallVector<Place> &places, const Place &place) {
    auto same = [&](const Place &other) { return other.memory == place.memory && other.position == place.position; };
    if (llvm::any_of(places, same))
      return;
    places.push_back(place);
    llvm::sort(places, [](const Place &a, const Place &b) { return a.position.nodes() > b.position.nodes(); });
    if (places.size() > mostPlaces)
      places.pop_back();
  }

  void visitView(Operation &op) {
    Value result = op.getResult(0);
    Ranges scope = ranges;
    for (auto [i, extent] : llvm::enumerate(graph::shapeOf(result)))
      scope["d" + std::to_string(i)] = {Expr(0), extent - 1};
    SmallVector<Place> places;
    for (unsigned i = 0; i < op.getNumOperands(); ++i) {
      Value operand = op.getOperand(i);
      SmallVector<Place> composed = compose(op, i, scope);
      auto isLong = [](const Place &place) { return place.position.nodes() > longest; };
      if (known.count(operand) && llvm::any_of(composed, isLong)) {
        stored.insert(operand.getDefiningOp());
        known.erase(operand);
        composed = compose(op, i, scope);
      }
      for (const Place &place : composed)
        add(places, place);
    }
    known[result] = std::move(places);
  }

  /// The places that operand `i` has for the elements of the result.
  SmallVector<Place> compose(Operation &op, unsigned i, const Ranges &scope) {
    Value operand = op.getOperand(i), result = op.getResult(0);
    // A reshape of memory keeps positions.
    if (isa<graph::ReshapeOp>(op) && !known.count(operand))
      return {{operand, position(result)}};
    const Exprs at = cast<graph::IndexingInterface>(op).mapIndex(i, variables(result), scope).index;
    std::map<std::string, Expr> values;
    for (auto [axis, index] : llvm::enumerate(at))
      values["d" + std::to_string(axis)] = index;
    SmallVector<Place> places = placesOf(operand);
    for (Place &place : places)
      place.position = simplify(place.position.substitute(values), scope);
    return places;
  }

  const Ranges &ranges;
  llvm::DenseMap<Value, SmallVector<Place>> known; ///< of values that lie nowhere themselves
};

} // namespace

namespace cupola::fusion {

/// Views compose into addresses, and a run of reshapes between unrelated extents doubles an
/// address with every step, up to expressions that no kernel should compute and `Expr` refuses.
void storeLongAddresses(Formation &kernels, llvm::StringRef rule) {
  Addresses addresses(kernels.ranges);
  for (Operation &op : kernels.body)
    addresses.visit(op);
  for (Operation *op : addresses.stored)
    kernels.store(op, {rule, "with it, the address of an element would be too long an expression"});
}

} // namespace cupola::fusion

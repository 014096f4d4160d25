//===- lib/Transforms/Fusion/Rules/Epilogue.cpp - heroes and what follows them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"
#include "lib/Transforms/Match.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;
using graph::Exprs;

/// A symbol per dimension, whose range is added to `scope`.
static Exprs pointOf(Value value, Ranges &scope) {
  Exprs point;
  for (auto [i, extent] : llvm::enumerate(graph::shapeOf(value))) {
    std::string name = "d" + std::to_string(i);
    scope[name] = {Expr(0), extent - 1};
    point.push_back(extent.isConstant(1) ? Expr(0) : Expr::symbol(name));
  }
  return point;
}

Exprs cupola::fusion::placeOf(Value value, const llvm::SetVector<Operation *> &taken, Ranges &scope) {
  Operation *op = value.getDefiningOp();
  if (isHero(op))
    return pointOf(value, scope);
  const auto inside = llvm::find_if(op->getOperands(), [&](Value operand) {
    return operand.getDefiningOp() && taken.contains(operand.getDefiningOp());
  });
  Exprs place = placeOf(*inside, taken, scope);
  return match::isBijectiveView(op) ? *cast<graph::IndexingInterface>(op).mapIndexForward(place, scope) : place;
}

namespace {

bool usesDivision(const Expr &expr) {
  for (const Term &term : expr.terms())
    for (const Factor &factor : term.factors)
      if (factor.atom->kind() != Atom::Kind::Symbol)
        return true;
  return false;
}

using Ops = llvm::SetVector<Operation *>;

/// Values of `ops` that something outside reads, in the order of the ops.
SmallVector<Value> openValues(const Ops &ops) {
  SmallVector<Value> open;
  for (Operation *op : ops)
    if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !ops.contains(user); }))
      open.push_back(op->getResult(0));
  return open;
}

class Epilogue {
public:
  Epilogue(Formation &kernels, Group &group)
      : kernels(kernels), group(group), ops(group.ops),
        earliest(kernels.positionOf(group.core.empty() ? group.hero : group.core.front())),
        mostResults(isJoint(group) ? group.core.size() : 1) {
    for (const auto &other : kernels.allKernels())
      if (isJoint(*other))
        earliest = std::min(earliest, kernels.positionOf(other->core.front()));
  }

  /// Extends the group whenever what it has taken leaves no more values to read outside than it may have results.
  void grow() {
    while (ops.size() < maxOps) {
      SmallVector<Value> open = openValues(ops);
      if (open.empty())
        return;
      bool pays = true;
      if (Operation *next = nextOp(ops, open))
        ops.insert(next);
      else if (open.size() > mostResults || !addViewsOf(open, pays))
        return;
      if (!pays)
        continue;
      if (SmallVector<Value> left = openValues(ops); !left.empty() && left.size() <= mostResults)
        extend(left);
    }
  }

private:
  void extend(MutableArrayRef<Value> results) {
    llvm::sort(results, [&](Value a, Value b) {
      return kernels.positionOf(a.getDefiningOp()) < kernels.positionOf(b.getDefiningOp());
    });
    kernels.extend(group, ops, results.back());
    if (mostResults > 1)
      group.kept.assign(results.begin(), results.end() - 1);
  }

  /// `value` is computed from something in `taken`, through ops outside of it. A kernel of several results needs all
  /// that it reads for any of them.
  bool dependsOn(Value value, const Ops &taken) {
    SmallVector<Value> work{value};
    DenseSet<Operation *> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      if (taken.contains(op))
        return true;
      for (Group *other : kernels.kernelsOf(op))
        if (other != &group && isJoint(*other))
          for (Operation *part : other->ops)
            llvm::append_range(work, part->getOperands());
      if (kernels.positionOf(op) >= earliest)
        llvm::append_range(work, op->getOperands());
    }
    return false;
  }

  /// A thread has one element of each value: what meets has to be of one place.
  bool meetInPlace(Operation *op, const Ops &taken) {
    if (mostResults == 1)
      return true;
    std::optional<Exprs> place;
    for (Value operand : op->getOperands()) {
      if (!operand.getDefiningOp() || !taken.contains(operand.getDefiningOp()))
        continue;
      Ranges scope = kernels.ranges;
      const Exprs own = placeOf(operand, taken, scope);
      if (place && *place != own)
        return false;
      place = own;
    }
    return true;
  }

  bool canJoin(Operation *op, const Ops &taken) {
    if (kernels.isComputed(op) || classOf(op) != graph::FusionClass::Pointwise)
      return false;
    for (Value operand : op->getOperands())
      if (!(operand.getDefiningOp() && taken.contains(operand.getDefiningOp())) && dependsOn(operand, taken))
        return false;
    return meetInPlace(op, taken);
  }

  /// The reader of an open value that comes first and can join, if any.
  Operation *nextOp(const Ops &taken, ArrayRef<Value> open) {
    Operation *best = nullptr;
    for (Value value : open)
      for (Operation *user : value.getUsers())
        if (!taken.contains(user) && (!best || kernels.positionOf(user) < kernels.positionOf(best)) &&
            canJoin(user, taken))
          best = user;
    return best;
  }

  bool addViewsOf(ArrayRef<Value> values, bool &pays) {
    return llvm::any_of(values, [&](Value value) { return addViews(value, pays); });
  }

  /// Takes the longest run of bijective views after `value` that keeps the place of an
  /// element free of division. Views that are returned are always taken: a kernel that
  /// only copies would cost more. Views before arithmetic that can join are taken, too,
  /// for a division costs less than another pass over the tensor; they pay only once the
  /// arithmetic has joined.
  bool addViews(Value value, bool &pays) {
    Ranges scope = kernels.ranges;
    Exprs index = pointOf(value, scope);
    SmallVector<Operation *> run;
    size_t keep = 0;
    while (value.hasOneUse()) {
      Operation *user = *value.getUsers().begin();
      if (!match::isBijectiveView(user) || kernels.isComputed(user))
        break;
      run.push_back(user);
      index = *cast<graph::IndexingInterface>(user).mapIndexForward(index, scope);
      value = user->getResult(0);
      if (llvm::none_of(index, usesDivision))
        keep = run.size();
    }
    if (llvm::any_of(value.getUsers(), isOutside))
      keep = run.size();
    if (keep < run.size()) {
      Ops whole = ops;
      whole.insert(run.begin(), run.end());
      pays = !nextOp(whole, value);
      if (!pays)
        keep = run.size();
    }
    ops.insert(run.begin(), run.begin() + keep);
    return keep > 0;
  }

  Formation &kernels;
  Group &group;
  Ops ops;
  /// Place of what this kernel begins with, or one of several results: nothing before it depends on either.
  int64_t earliest;
  size_t mostResults; ///< one per hero where they are joint
};

} // namespace

namespace cupola::fusion {

/// Every hero that has no kernel starts one.
void growEpilogues(Formation &kernels, llvm::StringRef) {
  for (Operation &op : kernels.body) {
    if (!isHero(&op))
      continue;
    Group &group = kernels.isComputed(&op) ? *kernels.kernelsOf(&op).front() : kernels.start(&op, &op);
    if (group.hero == &op && kernels.options.epilogues)
      Epilogue(kernels, group).grow();
  }
}

std::optional<Decision> decideEpilogue(const Edge &edge) {
  if (!edge.isWithin || edge.makers.size() > 1)
    return std::nullopt;
  Operation *first = isJoint(*edge.from) ? edge.from->core.front() : edge.from->hero;
  if (!first || (edge.producer != first && edge.producer->isBeforeInBlock(first)))
    return std::nullopt;
  return Decision{true, "computed on the hero's result"};
}

} // namespace cupola::fusion

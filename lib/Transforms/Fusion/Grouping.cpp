//===- lib/Transforms/Fusion/Grouping.cpp - which ops become one kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Two sweeps. Forward: every hero takes an epilogue. Backward: every pointwise op and
// gather that is left joins the one group that consumes it, or starts a group.

#include "lib/Transforms/Fusion/Grouping.h"

#include "lib/Transforms/Fusion/LongAddresses.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;
using graph::Exprs;
using graph::FusionClass;
using graph::FusionRule;

namespace {

/// An epilogue or a prologue grows to at most this many ops: longer chains cost
/// registers and compile time and gain nothing over two kernels.
constexpr size_t maxOps = 64;
/// Ops that may be computed again for every element of a broadcast.
constexpr size_t maxRepeatedOps = 8;

bool isBijectiveView(Operation *op) { return isa<graph::ReshapeOp, graph::TransposeOp>(op); }

/// Reads the memory that a value was written to.
bool isOutside(Operation *user) { return isa<func::ReturnOp, graph::JoinOp>(user); }

bool usesDivision(const Expr &expr) {
  for (const Term &term : expr.terms())
    for (const Factor &factor : term.factors)
      if (factor.atom->kind() != Atom::Kind::Symbol)
        return true;
  return false;
}

/// Costs too much to compute once more per reader.
bool isCostly(Operation *op) {
  if (auto unary = dyn_cast<graph::UnaryOp>(op))
    switch (unary.getKind()) {
    case graph::UnaryKind::Neg:
    case graph::UnaryKind::Abs:
    case graph::UnaryKind::Relu:
    case graph::UnaryKind::Not:
    case graph::UnaryKind::IsNaN:
      return false;
    default:
      return true;
    }
  // What is looked up in positions only passes the check of an index.
  return classOf(op) == FusionClass::Gather && !isa_and_nonnull<graph::IotaOp>(op->getOperand(0).getDefiningOp());
}

/// The bytes that an op reads for each element of its result: of operands that are not one
/// value nor repeated. `computed` leaves out those that are in memory anyway.
int64_t bytesRead(Operation *op, bool computed) {
  int64_t bytes = 0;
  for (Value operand : op->getOperands()) {
    int64_t width = std::max<int64_t>(8, graph::elementOf(operand).getIntOrFloatBitWidth()) / 8;
    bool repeated = false;
    Operation *producer = operand.getDefiningOp();
    while (producer && isView(producer) && producer->getNumOperands() == 1) {
      repeated |= isa<graph::BroadcastOp>(producer);
      operand = producer->getOperand(0);
      producer = operand.getDefiningOp();
    }
    bool inMemory = !producer || classOf(producer) == FusionClass::Constant;
    if (!repeated && !(producer && isGenerator(producer)) && !(computed && inMemory))
      bytes += width;
  }
  return bytes;
}

/// Cheap enough to be computed in two kernels: together they move no more bytes than if one
/// stored it for both, and what they read instead takes no more memory than it.
bool isCheapTwice(Operation *op) {
  int64_t made = std::max<int64_t>(8, graph::elementOf(op->getResult(0)).getIntOrFloatBitWidth()) / 8;
  return !isCostly(op) && bytesRead(op, false) <= 3 * made && bytesRead(op, true) <= made;
}

bool hasWindow(Operation *hero) {
  auto conv = dyn_cast_or_null<graph::ConvOp>(hero);
  return conv && conv.hasWindow();
}

/// `op` scales the left operand of a contraction of one tap, which reads it by `use`, with
/// something that repeats. Two of the widest tiles have all columns: the multiplications
/// repeated for each cost less than a pass over the tensor.
bool isGate(Operation *op, Operation *hero, OpOperand &use) {
  constexpr int64_t mostColumns = 256;
  auto product = dyn_cast<graph::BinaryOp>(op);
  if (!product || product.getKind() != graph::BinaryKind::Mul || use.getOperandNumber() != 0)
    return false;
  auto repeats = [](Value value) { return isa_and_nonnull<graph::BroadcastOp>(value.getDefiningOp()); };
  if (llvm::none_of(op->getOperands(), repeats))
    return false;
  Exprs weights = graph::shapeOf(hero->getOperand(1));
  if (auto conv = dyn_cast<graph::ConvOp>(hero); conv && (conv.getGroups() != 1 || conv.hasWindow()))
    return false;
  return weights.back().constant() && *weights.back().constant() <= mostColumns;
}

class GroupFormer {
public:
  GroupFormer(func::FuncOp func, const Options &options)
      : func(func), options(options), ranges(graph::symbolRanges(func->getParentOfType<ModuleOp>())) {
    int64_t position = 0;
    for (Operation &op : func.getBody().front())
      order[&op] = position++;
  }

  Grouping run() {
    for (Operation *op : longAddresses(func, ranges)) {
      refusals[op] = {FusionRule::Address, "with it, the address of an element would be too long an expression"};
      startGroup(nullptr, op);
    }
    for (Operation &op : func.getBody().front())
      if (isHero(&op))
        growEpilogue(startGroup(&op, &op));
    addCopies();
    for (Operation &op : llvm::reverse(func.getBody().front()))
      if (groupsOf.count(&op))
        continue;
      else if (isInlinable(&op))
        place(&op);
      else if (auto concat = dyn_cast<graph::ConcatOp>(op); concat && joinsParts(concat))
        startGroup(nullptr, concat);
    llvm::sort(result.groups, [&](const auto &a, const auto &b) {
      return order.lookup(a->output.getDefiningOp()) < order.lookup(b->output.getDefiningOp());
    });
    explainEdges();
    return std::move(result);
  }

private:
  static bool isHero(Operation *op) {
    FusionClass c = classOf(op);
    return c == FusionClass::Contraction || c == FusionClass::RowNormal || c == FusionClass::Reduction;
  }
  static bool isInlinable(Operation *op) {
    FusionClass c = classOf(op);
    return c == FusionClass::Pointwise || c == FusionClass::Gather;
  }

  Group &startGroup(Operation *hero, Operation *output) {
    auto group = std::make_unique<Group>();
    group->hero = hero;
    group->output = output->getResult(0);
    group->ops.insert(output);
    groupsOf[output] = {group.get()};
    result.groups.push_back(std::move(group));
    return *result.groups.back();
  }

  //===--- Epilogues ---===//

  /// Values of `ops` that something outside reads.
  static SmallVector<Value> openValues(const llvm::SetVector<Operation *> &ops) {
    SmallVector<Value> open;
    for (Operation *op : ops)
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !ops.contains(user); }))
        open.push_back(op->getResult(0));
    return open;
  }

  /// `value` is computed from something in `ops`, through ops outside of it.
  bool dependsOn(Value value, const llvm::SetVector<Operation *> &ops, int64_t heroOrder) {
    SmallVector<Value> work{value};
    DenseSet<Operation *> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || order.lookup(op) < heroOrder || !seen.insert(op).second)
        continue;
      if (ops.contains(op))
        return true;
      llvm::append_range(work, op->getOperands());
    }
    return false;
  }

  bool canJoinEpilogue(Operation *op, const llvm::SetVector<Operation *> &ops, Operation *hero) {
    if (groupsOf.count(op) || classOf(op) != FusionClass::Pointwise)
      return false;
    for (Value operand : op->getOperands())
      if (!(operand.getDefiningOp() && ops.contains(operand.getDefiningOp())) &&
          dependsOn(operand, ops, order.lookup(hero)))
        return false;
    return true;
  }

  /// The reader of an open value that comes first and can join, if any.
  Operation *nextInEpilogue(const llvm::SetVector<Operation *> &ops, ArrayRef<Value> open, Operation *hero) {
    Operation *best = nullptr;
    for (Value value : open)
      for (Operation *user : value.getUsers())
        if (!ops.contains(user) && (!best || order.lookup(user) < order.lookup(best)) &&
            canJoinEpilogue(user, ops, hero))
          best = user;
    return best;
  }

  void commit(Group &group, const llvm::SetVector<Operation *> &ops) {
    for (Operation *op : ops) {
      group.ops.insert(op);
      groupsOf[op] = {&group};
    }
    group.output = openValues(ops).front();
  }

  void growEpilogue(Group &group) {
    if (!options.epilogues)
      return;
    llvm::SetVector<Operation *> ops = group.ops;
    while (ops.size() < maxOps) {
      SmallVector<Value> open = openValues(ops);
      if (open.empty())
        return;
      bool pays = true;
      if (Operation *next = nextInEpilogue(ops, open, group.hero))
        ops.insert(next);
      else if (open.size() != 1 || !addViews(ops, open.front(), group.hero, pays))
        return;
      if (pays && openValues(ops).size() == 1)
        commit(group, ops);
    }
  }

  /// Takes the longest run of bijective views after `value` that keeps the place of an
  /// element free of division. Views that are returned are always taken: a kernel that
  /// only copies would cost more. Views before arithmetic that can join are taken, too,
  /// for a division costs less than another pass over the tensor; they pay only once the
  /// arithmetic has joined.
  bool addViews(llvm::SetVector<Operation *> &ops, Value value, Operation *hero, bool &pays) {
    Exprs index;
    Ranges scope = ranges;
    for (auto [i, extent] : llvm::enumerate(graph::shapeOf(value))) {
      std::string name = "d" + std::to_string(i);
      scope[name] = {Expr(0), extent - 1};
      index.push_back(extent.isConstant(1) ? Expr(0) : Expr::symbol(name));
    }
    SmallVector<Operation *> run;
    size_t keep = 0;
    while (value.hasOneUse()) {
      Operation *user = *value.getUsers().begin();
      if (!isBijectiveView(user) || groupsOf.count(user))
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
      llvm::SetVector<Operation *> whole = ops;
      whole.insert(run.begin(), run.end());
      pays = !nextInEpilogue(whole, value, hero);
      if (!pays)
        keep = run.size();
    }
    ops.insert(run.begin(), run.begin() + keep);
    return keep > 0;
  }

  //===--- Copies ---===//

  /// A result of the function, or a part of a joined tensor, that no kernel writes yet gets
  /// one that copies.
  void addCopies() {
    for (Operation &user : func.getBody().front())
      if (isOutside(&user))
        for (Value operand : user.getOperands())
          if (Operation *op = operand.getDefiningOp(); op && isView(op) && !groupsOf.count(op))
            startGroup(nullptr, op);
  }

  //===--- Concats ---===//

  /// Pointwise ops whose results reach `value` through views; false where some of it
  /// comes from memory.
  bool collectParts(Value value, SetVector<Operation *> &parts) {
    Operation *op = value.getDefiningOp();
    if (!op || groupsOf.count(op))
      return false;
    if (classOf(op) == FusionClass::Pointwise)
      return parts.insert(op), true;
    return isView(op) && llvm::all_of(op->getOperands(), [&](Value operand) { return collectParts(operand, parts); });
  }

  SetVector<Group *> readersOf(Operation *op) {
    SetVector<Group *> readers;
    SmallVector<OpOperand *> uses;
    bool broadcast = false;
    collectReaders(op, readers, broadcast, uses);
    return readers;
  }

  /// A contraction that reads several computed parts would have each of them written by
  /// a kernel of its own: one kernel writes the joined tensor. So it does for a window, which
  /// would choose among the parts again for every tap.
  bool joinsParts(graph::ConcatOp op) {
    SetVector<Group *> readers = readersOf(op);
    SetVector<Operation *> parts;
    if (llvm::any_of(readers, [](Group *group) { return group && hasWindow(group->hero); }))
      return true;
    if (!options.prologues || !collectParts(op.getResult(), parts) || parts.size() < 2)
      return false;
    return llvm::all_of(parts, [&](Operation *part) { return readersOf(part) == readers; }) &&
           llvm::any_of(readers, [](Group *group) {
             return group && group->hero && classOf(group->hero) == FusionClass::Contraction;
           });
  }

  //===--- Prologues and pointwise groups ---===//

  /// Groups that read `op`, directly or through views; null stands for the function's
  /// results and joins. `broadcast` tells whether a reader sees elements several times.
  void collectReaders(Operation *op, SetVector<Group *> &readers, bool &broadcast, SmallVectorImpl<OpOperand *> &uses) {
    for (OpOperand &use : op->getResult(0).getUses()) {
      Operation *user = use.getOwner();
      auto found = groupsOf.find(user);
      if (found != groupsOf.end()) {
        readers.insert(found->second.begin(), found->second.end());
        uses.push_back(&use);
      } else if (isView(user)) {
        broadcast |= isa<graph::BroadcastOp>(user);
        collectReaders(user, readers, broadcast, uses);
      } else if (isOutside(user)) {
        readers.insert(nullptr);
      }
    }
  }

  struct Refusal {
    FusionRule rule;
    StringRef reason;
  };
  static constexpr Refusal severalReaders() { return {FusionRule::SeveralReaders, "more than one kernel reads it"}; }

  /// Why `op` is not computed inside its readers; none if it may be.
  std::optional<Refusal> refuse(Operation *op, ArrayRef<Group *> readers, bool broadcast, ArrayRef<OpOperand *> uses) {
    if (readers.size() == 1 && !readers.front())
      return Refusal{FusionRule::Result, "it is a result of the model, or a part of a joined tensor"};
    if (readers.size() > 2 || (readers.size() == 2 && (llvm::is_contained(readers, nullptr) || !isCheapTwice(op))))
      return severalReaders();
    for (Group *group : readers)
      if (std::optional<Refusal> refusal = refuse(op, *group, broadcast, uses))
        return readers.size() > 1 ? severalReaders() : refusal;
    return std::nullopt;
  }

  std::optional<Refusal> refuse(Operation *op, Group &group, bool broadcast, ArrayRef<OpOperand *> uses) {
    if (!options.prologues)
      return Refusal{FusionRule::Disabled, "prologues are switched off"};
    if (group.ops.size() >= maxOps)
      return Refusal{FusionRule::Size, "the kernel has its limit of ops"};
    if (group.hero && classOf(group.hero) == FusionClass::Contraction)
      for (OpOperand *use : uses)
        if (gates.contains(use->getOwner()) || (use->getOwner() == group.hero && !isGate(op, group.hero, *use)))
          return Refusal{FusionRule::ContractionOperand,
                         "an operand of a contraction would be computed again for every tile"};
    if (broadcast && (isCostly(op) || repeatedOps(op) > maxRepeatedOps))
      return Refusal{FusionRule::Broadcast, "it would be computed again for every element of a broadcast"};
    return std::nullopt;
  }

  size_t repeatedOps(Operation *op) {
    auto found = inlinedBehind.find(op);
    return found == inlinedBehind.end() ? 1 : found->second;
  }

  void place(Operation *op) {
    SetVector<Group *> readers;
    SmallVector<OpOperand *> uses;
    bool broadcast = false;
    collectReaders(op, readers, broadcast, uses);
    if (readers.empty() || (isGenerator(op) && !readers.contains(nullptr)))
      return; // dead, or made wherever it is read
    if (std::optional<Refusal> refusal = refuse(op, readers.getArrayRef(), broadcast, uses)) {
      refusals[op] = *refusal;
      startGroup(nullptr, op);
      return;
    }
    for (Group *group : readers) {
      auto isOperand = [&](OpOperand *use) { return use->getOwner() == group->hero; };
      if (group->hero && classOf(group->hero) == FusionClass::Contraction && llvm::any_of(uses, isOperand))
        gates.insert(op);
      group->ops.insert(op);
      groupsOf[op].push_back(group);
    }
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        inlinedBehind[producer] = std::max(inlinedBehind[producer], repeatedOps(op) + 1);
  }

  //===--- Verdicts ---===//

  void explainEdges() {
    for (Operation &op : func.getBody().front())
      for (OpOperand &operand : op.getOpOperands())
        if (Operation *producer = operand.get().getDefiningOp(); producer && !isa<func::ReturnOp>(op)) {
          explainEdge(producer, &op, {});
          explainBehindViews(producer, &op);
        }
  }

  /// The edge from what computes `view`, through views, to `consumer`, which computes.
  /// With several inputs (concat) a view has several.
  void explainBehindViews(Operation *view, Operation *consumer) {
    if (!isView(view) || isView(consumer))
      return;
    SmallVector<std::pair<Operation *, SmallVector<Operation *>>> work{{view, {view}}};
    DenseSet<Operation *> seen;
    while (!work.empty()) {
      auto [op, views] = work.pop_back_val();
      for (Value operand : op->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || classOf(producer) == FusionClass::Constant || !seen.insert(producer).second)
          continue;
        if (!isView(producer)) {
          explainEdge(producer, consumer, SmallVector<Operation *>(llvm::reverse(views)));
          continue;
        }
        work.push_back({producer, views});
        work.back().second.push_back(producer);
      }
    }
  }

  void explainEdge(Operation *producer, Operation *consumer, ArrayRef<Operation *> views) {
    auto add = [&](bool fused, FusionRule rule, StringRef reason) {
      result.verdicts.push_back({producer, consumer, fused, rule, reason.str(), SmallVector<Operation *>(views)});
    };
    if (classOf(producer) == FusionClass::Constant || (isGenerator(producer) && !groupsOf.count(producer)))
      return add(true, FusionRule::Constant, "a constant is no kernel");
    if (isa<graph::JoinOp>(consumer))
      return add(true, FusionRule::Join, "written where it stands in the joined tensor");
    if (isa<graph::JoinOp>(producer))
      return add(false, FusionRule::Join, "a joined tensor lies in memory");
    SmallVector<Group *, 1> makers = groupsOf.lookup(producer), takers = groupsOf.lookup(consumer);
    Group *from = makers.empty() ? nullptr : makers.front(), *to = takers.empty() ? nullptr : takers.front();
    if (to && llvm::is_contained(makers, to)) {
      if (makers.size() > 1)
        return add(true, FusionRule::Prologue, "computed in both kernels that read it");
      return from->hero && isAfterHero(producer, *from)
                 ? add(true, FusionRule::Epilogue, "computed on the hero's result")
                 : add(true, FusionRule::Prologue, "computed where its only reader is");
    }
    auto found = refusals.find(producer);
    bool isStored = isView(producer) && found != refusals.end();
    if (!isStored && (isView(producer) || isView(consumer)))
      return add(true, FusionRule::View, "composes into addresses");
    if (auto norm = dyn_cast<graph::NormalizeOp>(consumer);
        norm && norm.getTwoStages() && isa<graph::MomentsOp>(producer))
      return add(false, FusionRule::TwoStages, norm.getTwoStages()->getText());
    if (found != refusals.end())
      return add(false, found->second.rule, found->second.reason);
    bool hasTwoHeroes = from && to && from->hero && to->hero && producer->getResult(0).hasOneUse();
    if (isHero(consumer) || hasTwoHeroes)
      return add(false, FusionRule::Hero, "a kernel has one hero");
    return add(false, FusionRule::SeveralReaders, "its result has readers outside of the kernel");
  }

  static bool isAfterHero(Operation *op, Group &group) { return op == group.hero || !op->isBeforeInBlock(group.hero); }

  func::FuncOp func;
  Options options;
  Ranges ranges;
  Grouping result;
  DenseMap<Operation *, int64_t> order;
  DenseMap<Operation *, SmallVector<Group *, 1>> groupsOf;
  DenseSet<Operation *> gates;                 ///< computed for the tiles of a contraction
  DenseMap<Operation *, size_t> inlinedBehind; ///< length of the inlined chain that reads an op
  DenseMap<Operation *, Refusal> refusals;
};

} // namespace

FusionClass fusion::classOf(Operation *op) {
  if (auto classed = dyn_cast<graph::ClassInterface>(op))
    return classed.getFusionClass();
  return FusionClass::Constant; // func.return and the like take no part
}

bool fusion::isGenerator(Operation *op) { return isa<graph::IotaOp, graph::DimsOp>(op); }

bool fusion::isView(Operation *op) { return classOf(op) == FusionClass::View; }

Grouping fusion::formGroups(func::FuncOp func, const Options &options) { return GroupFormer(func, options).run(); }

//===- lib/Transforms/Fusion/Formation.cpp - kernels while rules form them ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Formation.h"

#include "dialects/Graph/Control.h"

#include <functional>

#include <numeric>

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;
using graph::FusionClass;

bool fusion::isOutside(Operation *user) { return isa<graph::JoinOp>(user) || graph::leavesBody(user); }

bool fusion::isHero(Operation *op) {
  FusionClass c = classOf(op);
  return c == FusionClass::Contraction || c == FusionClass::RowNormal || c == FusionClass::Reduction;
}

Value fusion::reshaped(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

unsigned fusion::gathersIn(Value value, unsigned most) {
  llvm::SetVector<Operation *> ops;
  const auto add = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp())
      ops.insert(op);
  };
  add(value);
  unsigned gathers = 0;
  for (size_t i = 0; i < ops.size() && gathers < most; ++i) {
    const FusionClass kind = classOf(ops[i]);
    if (kind == FusionClass::Gather)
      ++gathers;
    else if (kind == FusionClass::Pointwise || kind == FusionClass::View)
      llvm::for_each(ops[i]->getOperands(), add);
  }
  return gathers;
}

bool fusion::isInterpolated(Value value) { return gathersIn(value, 2) == 2; }

bool fusion::hasContraction(const Group &group) {
  return group.hero && classOf(group.hero) == FusionClass::Contraction;
}

bool fusion::isAttention(const Group &group) {
  return llvm::any_of(group.core, [](Operation *op) { return isa<graph::SoftmaxOp>(op); });
}

bool fusion::isTileOperand(const Group &group, OpOperand &use) {
  Operation *user = use.getOwner();
  if (group.core.empty())
    return hasContraction(group) && user == group.hero;
  const bool areQueries = isAttention(group) && user == group.core.front() && use.getOperandNumber() == 0;
  const bool readsRows = classOf(user) == FusionClass::Contraction || isa<graph::LayerNormOp>(user);
  return group.core.contains(user) && readsRows && !areQueries;
}

Formation::Formation(Block &body, const Options &options)
    : body(body), options(options), ranges(graph::symbolRanges(body.getParentOp()->getParentOfType<ModuleOp>())) {
  int64_t position = 0;
  for (Operation &op : body)
    positions[&op] = position++;
}

//===--- What there is ---===//

ArrayRef<Group *> Formation::kernelsOf(Operation *op) const {
  auto found = computed.find(op);
  return found == computed.end() ? ArrayRef<Group *>() : ArrayRef<Group *>(found->second);
}

const Refusal *Formation::refusalOf(Operation *op) const {
  auto found = refusals.find(op);
  return found == refusals.end() ? nullptr : &found->second;
}

size_t Formation::chainFrom(Operation *op) const {
  auto found = chains.find(op);
  return found == chains.end() ? 1 : found->second;
}

Reads Formation::readsOf(Operation *op) const {
  Reads reads;
  collectReads(op, reads);
  return reads;
}

/// Windows that have elements in common: some place of one is the first of another.
static bool overlaps(Operation *view) {
  auto window = dyn_cast<graph::WindowOp>(view);
  if (!window)
    return false;
  for (auto [size, stride, dilation] : llvm::zip_equal(window.getSizes(), window.getStrides(), window.getDilations()))
    if ((size - 1) * dilation >= std::lcm(stride, dilation))
      return true;
  return false;
}

void Formation::collectReads(Operation *op, Reads &reads) const {
  for (OpOperand &use : op->getResult(0).getUses()) {
    Operation *user = use.getOwner();
    ArrayRef<Group *> kernels = kernelsOf(user);
    if (!kernels.empty()) {
      reads.kernels.insert(kernels.begin(), kernels.end());
      reads.uses.push_back(&use);
      reads.windows |= inWindows.contains(user);
    } else if (isView(user)) {
      reads.broadcast |= isa<graph::BroadcastOp>(user);
      reads.windows |= overlaps(user);
      collectReads(user, reads);
    } else if (isOutside(user)) {
      reads.kernels.insert(nullptr);
    }
  }
}

//===--- What comes to be ---===//

Group &Formation::start(Operation *hero, Operation *output) {
  auto group = std::make_unique<Group>();
  group->hero = hero;
  group->output = output->getResult(0);
  group->ops.insert(output);
  computed[output] = {group.get()};
  groups.push_back(std::move(group));
  return *groups.back();
}

Group &Formation::startCore(const SetVector<Operation *> &core, Operation *hero) {
  Group &group = start(hero, core.back());
  group.core = core;
  extend(group, core, group.output);
  return group;
}

void Formation::store(Operation *op, const Refusal &refusal) {
  refusals.insert({op, refusal});
  start(nullptr, op);
}

void Formation::extend(Group &group, const SetVector<Operation *> &ops, Value output) {
  for (Operation *op : ops) {
    group.ops.insert(op);
    computed[op] = {&group};
  }
  group.output = output;
}

void Formation::cut(Group &group, ArrayRef<Operation *> ops, Value output, const Refusal &refusal) {
  for (Operation *op : ops) {
    group.ops.remove(op);
    computed.erase(op);
  }
  refusals.insert({output.getDefiningOp(), refusal});
  group.output = output;
}

void Formation::keep(Group &group, Value value) {
  Operation *op = value.getDefiningOp();
  group.ops.insert(op);
  group.kept.push_back(value);
  computed[op] = {&group};
}

void Formation::computeInside(Operation *op, const Reads &reads) {
  for (Group *group : reads.kernels) {
    auto isOperand = [&](OpOperand *use) { return isTileOperand(*group, *use); };
    if (llvm::any_of(reads.uses, isOperand))
      inTiles.insert(op);
    group->ops.insert(op);
    computed[op].push_back(group);
  }
  if (reads.windows)
    inWindows.insert(op);
  const size_t chain = chainFrom(op) + 1;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      chains[producer] = std::max(chains[producer], chain);
}

SetVector<Group *> Formation::groupsReadBy(const Group &group) const {
  SetVector<Group *> read;
  SmallVector<Operation *> work(group.ops.begin(), group.ops.end());
  DenseSet<Operation *> seen(work.begin(), work.end());
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      if (isComputed(op))
        read.insert_range(kernelsOf(op));
      else
        work.push_back(op); // a view
    }
  return read;
}

std::vector<std::unique_ptr<Group>> Formation::takeGroups() {
  llvm::sort(groups, [&](const auto &a, const auto &b) {
    return positionOf(a->output.getDefiningOp()) < positionOf(b->output.getDefiningOp());
  });
  DenseMap<Group *, std::unique_ptr<Group> *> owners;
  for (auto &group : groups)
    owners[group.get()] = &group;
  std::vector<std::unique_ptr<Group>> ordered;
  std::function<void(Group *)> take = [&](Group *group) {
    std::unique_ptr<Group> own = std::move(*owners.lookup(group));
    if (!own)
      return;
    for (Group *before : groupsReadBy(*own))
      take(before);
    ordered.push_back(std::move(own));
  };
  for (Group *group : llvm::map_to_vector(groups, [](const auto &group) { return group.get(); }))
    take(group);
  return ordered;
}

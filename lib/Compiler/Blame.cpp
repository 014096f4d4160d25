//===- lib/Compiler/Blame.cpp - what 16 bits cost, op by op ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The graph in f32 is computed once by lib/Reference. Beside every op its narrowed twin is
// computed twice: on the operands of f32, rounded to how they lie in memory (local error), and on
// what its narrowed producers gave (accumulated error). So the work is in proportion to the ops,
// and nothing is searched for.

#include "lib/Compiler/Blame.h"

#include "dialects/Graph/Provenance.h"
#include "lib/Compiler/Arrays.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;

namespace cupola::compiler {

namespace {

using reference::Tensor;

format::DType dtypeOf(Value value) { return graph::dtypeOf(graph::elementOf(value)); }
bool isFloat(Value value) { return isa<FloatType>(graph::elementOf(value)); }

} // namespace

/// Of `found`, relative to the largest element of `expected`; what is not finite there does not count.
Blame::Error Blame::errorOf(const Tensor &found, const Tensor &expected) {
  Error error;
  double largest = 0, difference = 0;
  std::vector<double> piece;
  expected.forPieces([&](int64_t begin, ArrayRef<double> numbers) {
    piece.resize(numbers.size());
    found.read(begin, static_cast<int64_t>(numbers.size()), piece.data());
    for (auto [a, b] : llvm::zip_equal(piece, numbers)) {
      if (!std::isfinite(b))
        continue;
      error.overflow |= !std::isfinite(a);
      largest = std::max(largest, std::fabs(b));
      difference = std::isfinite(a) ? std::max(difference, std::fabs(a - b)) : difference;
    }
  });
  error.relative = difference == 0 ? 0 : difference / std::max(largest, 1e-30);
  return error;
}

Blame::Blame(ModuleOp graph, const PipelineOptions &options) : wide(graph) {
  IRMapping twins;
  narrow = cast<ModuleOp>(wide->clone(twins));
  status = runPrecisionPass(*narrow, options);
  if (status.failed())
    return;
  DenseSet<Operation *> left; // casts of what has 16 bits anyway are gone
  narrow->walk([&](Operation *op) { left.insert(op); });
  wide->walk([&](Operation *op) {
    if (Operation *twin = twins.lookupOrNull(op); twin && left.contains(twin)) {
      twinOf[op] = twin;
      isTwin.insert(twin);
    }
  });
  findLastUses();
}

/// What the narrowed values are needed for, so that they are kept no longer.
void Blame::findLastUses() {
  DenseMap<Value, Operation *> last;
  for (Operation &op : mainOf(*narrow).getBody().front())
    if (isTwin.contains(&op) || op.hasTrait<OpTrait::IsTerminator>())
      for (Value operand : op.getOperands())
        last[wayOf(operand).back()] = &op;
  for (auto [value, op] : last)
    dying[op].push_back(value);
}

func::FuncOp Blame::mainOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

/// `value` and what it is a cast of, up to what an op of the model computes.
SmallVector<Value> Blame::wayOf(Value value) const {
  SmallVector<Value> way{value};
  while (Operation *op = way.back().getDefiningOp()) {
    if (isTwin.contains(op) || !isa<graph::CastOp>(op))
      break;
    way.push_back(op->getOperand(0));
  }
  return way;
}

/// `tensor`, a value of the last of `way`, as the first of it.
Result<Tensor> Blame::along(ArrayRef<Value> way, const Tensor &tensor) {
  Result<Tensor> result = tensor;
  for (Value value : llvm::reverse(way))
    if (result.isOk() && isFloat(value))
      result = rounded(*result, dtypeOf(value));
  return result;
}

Status Blame::run(ArrayRef<Tensor> inputs, reference::Strings &strings) {
  CUPOLA_TRY(status);
  for (auto [argument, input] : llvm::zip_equal(mainOf(*narrow).getArguments(), inputs)) {
    CUPOLA_ASSIGN(carried[argument], along({argument}, input));
  }
  const auto look = [&](const reference::Step &step) {
    if (status.isOk())
      status = compare(step);
  };
  auto results = reference::interpret(wide, inputs, look, &strings);
  CUPOLA_TRY(results.status());
  CUPOLA_TRY(status);
  Operation *end = mainOf(*narrow).getBody().front().getTerminator();
  for (auto [operand, expected] : llvm::zip_equal(end->getOperands(), *results)) {
    const SmallVector<Value> way = wayOf(operand);
    const auto base = carried.find(way.back());
    if (base == carried.end() || !isFloat(operand))
      continue; // of a branch or loop, or no number that can be off
    CUPOLA_ASSIGN(Tensor found, along(way, base->second));
    const Error error = errorOf(found, expected);
    outputError = std::max(outputError, error.overflow ? INFINITY : error.relative);
  }
  return {};
}

Status Blame::compare(const reference::Step &step) {
  Operation *twin = twinOf.lookup(step.op);
  if (!twin)
    return {};
  std::vector<Tensor> exact, off;
  bool isRounded = false;
  for (auto [i, operand] : llvm::enumerate(twin->getOperands())) {
    const SmallVector<Value> way = wayOf(operand);
    isRounded |= llvm::any_of(way, [](Value value) { return isFloat(value) && !graph::elementOf(value).isF32(); });
    CUPOLA_ASSIGN(Tensor local, along(way, step.operands[i]));
    exact.push_back(std::move(local));
    const auto known = carried.find(way.back());
    const bool isExact = known == carried.end() || way.back().getDefiningOp<graph::ConstantOp>();
    CUPOLA_ASSIGN(Tensor reached, isExact ? Result<Tensor>(exact.back()) : along(way, known->second));
    off.push_back(std::move(reached));
  }
  CUPOLA_ASSIGN(Tensor accumulated, reference::evaluate(twin, off, step.symbols));
  if (isFloat(twin->getResult(0)) && !isa<graph::ConstantOp>(twin)) {
    Result<Tensor> local = step.result;
    if (isRounded || dtypeOf(twin->getResult(0)) != step.result.dtype())
      local = reference::evaluate(twin, exact, step.symbols);
    CUPOLA_TRY(local.status());
    CUPOLA_TRY(note(step, twin, *local, accumulated));
  }
  if (twin->getBlock() == &mainOf(*narrow).getBody().front())
    carried[twin->getResult(0)] = std::move(accumulated);
  for (Value value : dying.lookup(twin))
    carried.erase(value);
  return {};
}

/// Of a body, which is computed several times, the largest errors.
Status Blame::note(const reference::Step &step, Operation *twin, const Tensor &local, const Tensor &accumulated) {
  const Error here = errorOf(local, step.result), there = errorOf(accumulated, step.result);
  auto [place, isNew] = places.try_emplace(twin, nodes.size());
  if (isNew)
    nodes.push_back({twin, {}});
  NodeError &error = nodes[place->second].second;
  error.local = std::max(error.local, here.relative);
  error.accumulated = std::max(error.accumulated, there.relative);
  error.overflow |= here.overflow;
  if (isNew || error.local == here.relative) {
    CUPOLA_ASSIGN(Tensor stored, rounded(step.result, dtypeOf(twin->getResult(0))));
    error.blamed = blamedFor(twin, here, errorOf(stored, step.result));
  }
  return {};
}

static void addNames(Operation *op, std::vector<std::string> &names) {
  for (const graph::NodeRef &node : graph::nodesOf(op->getLoc()))
    if (!llvm::is_contained(names, node.name.str()))
      names.push_back(node.name.str());
}

/// Where storing the exact result would not be off like this, its operands are to blame, too: those who
/// computed them with 16 bits.
std::vector<std::string> Blame::blamedFor(Operation *twin, const Error &error, const Error &stored) const {
  std::vector<std::string> names;
  addNames(twin, names);
  if (stored.overflow || error.relative <= 4 * stored.relative)
    return names;
  SmallVector<Value> pending(twin->getOperands());
  while (!pending.empty()) {
    const SmallVector<Value> way = wayOf(pending.pop_back_val());
    Operation *producer = way.back().getDefiningOp();
    if (!producer || isa<graph::ConstantOp>(producer) || !isa<graph::ClassInterface>(producer) || !isFloat(way.back()))
      continue;
    addNames(producer, names);
    if (cast<graph::ClassInterface>(producer).getFusionClass() == graph::FusionClass::View)
      llvm::append_range(pending, producer->getOperands());
  }
  return names;
}

std::vector<NodeError> Blame::worstFirst() const {
  std::vector<std::pair<size_t, NodeError>> found; // with their places in the order of computation
  for (const auto &[op, error] : nodes) {
    const SmallVector<graph::NodeRef> names = graph::nodesOf(op->getLoc());
    if (names.empty() || (error.local == 0 && !error.overflow))
      continue;
    found.emplace_back(found.size(), error);
    found.back().second.node = names.front().name.str();
    found.back().second.op = names.front().op.str();
  }
  // An overflow comes from the first op that has it; those behind read it.
  auto key = [](const std::pair<size_t, NodeError> &entry) {
    const auto &[place, error] = entry;
    return std::make_tuple(!error.overflow, error.overflow ? 0 : -error.local, place);
  };
  llvm::sort(found, [&](const auto &a, const auto &b) { return key(a) < key(b); });
  std::vector<NodeError> sorted;
  for (auto &[place, error] : found)
    sorted.push_back(std::move(error));
  return sorted;
}

} // namespace cupola::compiler

//===- lib/Transforms/Fusion/Rules/FewRows.cpp - products that wait for their weights ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A product of few rows reads its weights once and does little else: a launch costs as much as what it computes. So
// two products of the same rows whose results meet, as gate and up of a feed-forward layer, are one kernel, and the
// norm of a single row is computed by every block of the only kernel that reads it.

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;
using namespace cupola;
using namespace cupola::fusion;

namespace {

using Ops = llvm::SetVector<Operation *>;

bool isProduct(Operation *op) { return isa<graph::MatMulOp>(op); }

/// A matrix of at most so many rows by weights that lie as they are read, added up in f32.
bool hasFewRows(graph::MatMulOp product, int64_t mostRows) {
  const graph::Exprs shape = graph::shapeOf(product.getResult());
  Operation *weights = product.getRhs().getDefiningOp();
  return shape.size() == 2 && graph::accumulatorOf(graph::elementOf(product.getResult())).isF32() &&
         shape[0].constant().value_or(mostRows + 1) <= mostRows &&
         (!weights || (!isView(weights) && !isGenerator(weights)));
}

/// The pointwise ops that compute with `value`, up to `most`.
Ops computedWith(Value value, size_t most) {
  Ops ops;
  SmallVector<Value> work{value};
  while (!work.empty() && ops.size() < most)
    for (Operation *user : work.pop_back_val().getUsers())
      if (classOf(user) == graph::FusionClass::Pointwise && ops.insert(user))
        work.push_back(user->getResult(0));
  return ops;
}

/// What is computed on both results until they meet in one that alone is read outside; none if they do not.
Ops meet(graph::MatMulOp a, graph::MatMulOp b) {
  constexpr size_t most = 8;
  const Ops first = computedWith(a.getResult(), most), second = computedWith(b.getResult(), most);
  Operation *last = nullptr;
  for (Operation *op : second)
    if (first.contains(op) && (!last || op->isBeforeInBlock(last)))
      last = op;
  if (!last)
    return {};
  Ops taken;
  taken.insert(a);
  taken.insert(b);
  for (const Ops *ops : {&first, &second})
    for (Operation *op : *ops)
      if (op == last || op->isBeforeInBlock(last))
        taken.insert(op);
  auto isTaken = [&](Operation *op) { return taken.contains(op); };
  if (isTaken(b.getRhs().getDefiningOp()))
    return {};
  for (Operation *op : taken)
    if (op != last && !llvm::all_of(op->getUsers(), isTaken))
      return {};
  SmallVector<Operation *> ordered = taken.takeVector();
  llvm::sort(ordered, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  return Ops(ordered.begin(), ordered.end());
}

/// The norm of one row of `depth` elements that `value` is computed from, each element from one of it, with what lies
/// between.
bool findNorm(Value value, int64_t depth, Ops &path) {
  Operation *op = value.getDefiningOp();
  if (!op || path.size() == maxOps)
    return false;
  bool found = false;
  if (auto norm = dyn_cast<graph::LayerNormOp>(op)) {
    const int64_t last = int64_t(graph::rankOf(norm.getInput())) - 1;
    found = norm.getAxes().size() == 1 && norm.getAxes().front() == last &&
            graph::elementCount(norm.getInput()).isConstant(depth) &&
            graph::extentOf(norm.getInput(), last).isConstant(depth);
  } else if (classOf(op) == graph::FusionClass::Pointwise || isa<graph::ReshapeOp>(op)) {
    found = llvm::any_of(op->getOperands(),
                         [&](Value operand) { return operand.hasOneUse() && findNorm(operand, depth, path); });
  }
  if (found)
    path.insert(op);
  return found;
}

/// The products that read the rows of `product` and meet it, with what is computed until then.
Ops productsWith(graph::MatMulOp product, int64_t mostRows) {
  for (Operation *user : product.getLhs().getUsers()) {
    auto other = dyn_cast<graph::MatMulOp>(user);
    if (!other || !product->isBeforeInBlock(other) || other.getLhs() != product.getLhs() ||
        other.getType() != product.getType() || !hasFewRows(other, mostRows) || other.getRhs() == other.getLhs())
      continue;
    if (Ops ops = meet(product, other); !ops.empty())
      return ops;
  }
  return {};
}

/// What one kernel computes that begins with `product`, besides what follows it: from the norm of its row on; nothing
/// where that is the product alone.
Ops coreOf(graph::MatMulOp product, const Options &options) {
  Ops products = options.epilogues ? productsWith(product, options.fewRows) : Ops();
  if (products.empty())
    products.insert(product);
  const std::optional<int64_t> depth = graph::shapeOf(product.getLhs()).back().constant();
  auto isOfCore = [&](Operation *user) { return products.contains(user); };
  Ops core;
  const bool isSingleRow = graph::shapeOf(product.getResult())[0].isConstant(1);
  if (options.prologues && isSingleRow && depth && llvm::all_of(product.getLhs().getUsers(), isOfCore) &&
      !findNorm(product.getLhs(), *depth, core))
    core.clear();
  core.insert(products.begin(), products.end());
  return core.size() > 1 ? core : Ops();
}

} // namespace

namespace cupola::fusion {

void formFewRows(Formation &kernels, llvm::StringRef) {
  if (!kernels.options.fewRows)
    return;
  for (auto product : kernels.body.getOps<graph::MatMulOp>()) {
    if (kernels.isComputed(product) || !hasFewRows(product, kernels.options.fewRows))
      continue;
    const Ops core = coreOf(product, kernels.options);
    auto isComputed = [&](Operation *op) { return kernels.isComputed(op); };
    if (core.empty() || llvm::any_of(core, isComputed))
      continue;
    kernels.startCore(core, *llvm::find_if(llvm::reverse(core), isProduct));
  }
}

std::optional<Decision> decideFewRows(const Edge &edge) {
  if (!edge.isWithin || isAttention(*edge.to) || !edge.to->core.contains(edge.producer) ||
      !edge.to->core.contains(edge.consumer))
    return std::nullopt;
  Operation *first = *llvm::find_if(edge.to->core, isProduct);
  const bool isBefore = edge.producer->isBeforeInBlock(first);
  return Decision{true, isBefore ? "every block of the product computes the norm of its only row"
                                 : "products of the same few rows are one kernel"};
}

} // namespace cupola::fusion

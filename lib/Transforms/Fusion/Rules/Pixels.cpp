//===- lib/Transforms/Fusion/Rules/Pixels.cpp - images of which pixels are gathered ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Where pixels are found by indices, as in regions of an image, vectors of channels have an index and what it is
// computed of in common. Channels that are outward, before or behind, would make each lane find its own.

#include "lib/Transforms/Fusion/Rules/Rule.h"

using namespace mlir;

namespace cupola::fusion {
namespace {

/// Rows of [pixels, channels], perhaps of several images.
bool findsPixels(Operation *op) {
  auto gather = dyn_cast_or_null<graph::GatherOp>(op);
  return gather && gather.getAxis() == gather.getBatchDims() &&
         graph::rankOf(gather.getData()) == static_cast<int64_t>(gather.getAxis()) + 2 &&
         graph::rankOf(gather.getIndices()) > 1;
}

/// Elements, where what is not known has a usual size.
double estimated(const Expr &count) {
  constexpr int64_t usual = 256;
  std::map<std::string, int64_t> sizes;
  for (const std::string &symbol : count.symbols())
    sizes[symbol] = usual;
  return static_cast<double>(count.evaluate(sizes).value_or(usual));
}

/// As many pixels are looked up as there are; with fewer, all channels are not worth turning.
bool readsMost(ArrayRef<graph::GatherOp> gathers) {
  double found = 0;
  for (graph::GatherOp gather : gathers)
    found += estimated(graph::elementCount(gather.getIndices()));
  graph::Exprs pixels = graph::shapeOf(gathers.front()->getOperand(0));
  pixels.pop_back();
  return found >= estimated(graph::product(pixels));
}

bool keepsPlaces(Operation *op) { return classOf(op) == graph::FusionClass::Pointwise || isa<graph::ReshapeOp>(op); }

/// Whether several pixels become one: what one alone is copied of may lie anyway.
bool areMixed(ArrayRef<graph::GatherOp> gathers) {
  if (gathers.size() > 1)
    return true;
  SmallVector<Operation *> work{gathers.front()};
  DenseSet<Operation *> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (isa<graph::ReduceOp>(user))
        return true;
      if (keepsPlaces(user) && seen.insert(user).second)
        work.push_back(user);
    }
  return false;
}

/// Whether the value is made of the result of such an op, by arithmetic and reshapes alone.
bool isMadeOf(Value value, llvm::function_ref<bool(Operation *)> isSuch) {
  SmallVector<Value> work{value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isSuch(op))
      return true;
    if (keepsPlaces(op))
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

bool reducesPixels(Operation *op) {
  return isa<graph::ReduceOp>(op) &&
         (isMadeOf(op->getOperand(0), findsPixels) || isMadeOf(op->getOperand(0), reducesPixels));
}

} // namespace

void storePixels(Formation &kernels, StringRef rule) {
  if (kernels.options.mixedChannels == 0)
    return;
  llvm::MapVector<Operation *, SmallVector<graph::GatherOp>> images;
  for (Operation &op : kernels.body) {
    if (findsPixels(&op))
      if (auto transpose = reshaped(op.getOperand(0)).getDefiningOp<graph::TransposeOp>())
        images[transpose].push_back(cast<graph::GatherOp>(op));
    auto transpose = dyn_cast<graph::TransposeOp>(op);
    if (transpose && !kernels.isComputed(transpose) && turnsChannels(kernels, transpose) &&
        isMadeOf(transpose.getInput(), reducesPixels))
      kernels.store(transpose, {rule, "what is found of pixels has vectors along the channels, and is turned behind"});
  }
  for (auto &[op, gathers] : images) {
    if (movesLast(cast<graph::TransposeOp>(op)) && !kernels.isComputed(op) && readsMost(gathers) && areMixed(gathers) &&
        hasChannels(kernels, gathers.front().getData()))
      kernels.store(op, {rule, "each lane would find pixels of channels that lie apart"});
  }
}

} // namespace cupola::fusion

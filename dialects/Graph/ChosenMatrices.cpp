//===- dialects/Graph/ChosenMatrices.cpp - matrices that an index chooses --===//
// SPDX-License-Identifier: Apache-2.0
#include "dialects/Graph/ChosenMatrices.h"

#include <set>

using namespace mlir;

namespace cupola::graph {

/// Coordinates in a matrix; no model or kernel names others so.
static constexpr const char *inMatrix[] = {"matrixRow", "matrixColumn"};

static bool isInMatrix(const Expr &coordinate) {
  return llvm::any_of(coordinate.symbols(), [](const std::string &name) { return llvm::is_contained(inMatrix, name); });
}

Exprs indicesAt(GatherOp gather, ArrayRef<Expr> index) {
  const int64_t axis = gather.getAxis(), batch = gather.getBatchDims();
  Exprs at(index.take_front(batch));
  llvm::append_range(at, index.slice(axis, rankOf(gather.getIndices()) - batch));
  return at;
}

namespace {

class Collector {
public:
  explicit Collector(const Ranges &known) : known(known) {}

  /// False where an element of a matrix has an index of its own.
  bool collect(Value value, const Exprs &index) {
    Operation *op = value.getDefiningOp();
    if (!op || !isNew(op, index))
      return true;
    if (auto gather = dyn_cast<GatherOp>(op)) {
      found.push_back({gather, indicesAt(gather, index)});
      return llvm::none_of(found.back().at, isInMatrix);
    }
    if (isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp>(op))
      return collect(op->getOperand(0), cast<IndexingInterface>(op).mapIndex(0, index, known).index);
    auto kind = dyn_cast<ClassInterface>(op);
    return !kind || kind.getFusionClass() != FusionClass::Pointwise ||
           llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, index); });
  }

  ChosenMatrices found;

private:
  /// What several ops read is looked at once.
  bool isNew(Operation *op, const Exprs &index) {
    std::string text;
    for (const Expr &i : index)
      text += i.text() + ';';
    return seen.insert({op, text}).second;
  }

  const Ranges &known;
  std::set<std::pair<Operation *, std::string>> seen;
};

} // namespace

std::optional<ChosenMatrices> chosenMatrices(Value operand, ArrayRef<Expr> batch, const Ranges &ranges) {
  if (rankOf(operand) != batch.size() + 2)
    return std::nullopt;
  const Exprs shape = shapeOf(operand);
  Ranges known = ranges;
  Exprs index(batch);
  for (auto [name, extent] : llvm::zip_equal(inMatrix, ArrayRef(shape).take_back(2))) {
    known[name] = {Expr(0), extent - 1};
    index.push_back(Expr::symbol(name));
  }
  Collector collector(known);
  return collector.collect(operand, index) ? std::optional(std::move(collector.found)) : std::nullopt;
}

std::optional<ChosenMatrices> chosenMatrices(Value operand, const Ranges &ranges) {
  const Exprs shape = shapeOf(operand);
  Ranges known = ranges;
  Exprs batch;
  for (size_t i = 0; i + 2 < shape.size(); ++i) {
    const std::string name = "matrix" + std::to_string(i);
    known[name] = {Expr(0), shape[i] - 1};
    batch.push_back(Expr::symbol(name));
  }
  return chosenMatrices(operand, batch, known);
}

} // namespace cupola::graph

//===- dialects/Graph/Recurrence.cpp - loops over states that are computed element by element ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Recurrence.h"

#include "dialects/Graph/Constants.h"
#include "dialects/Graph/Indexing.h"

using namespace mlir;

namespace cupola::graph {

Exprs Recurrence::inMatrix(Value matrix, const Expr &direction, const Expr &row, const Expr &column) {
  return rankOf(matrix) == 2 ? Exprs{row, column} : Exprs{direction, row, column};
}

namespace {

/// Follows one element of what an iteration makes to all that it is made of.
class Reader {
public:
  Reader(const Recurrence &of, LoopOp loop)
      : of(of), loop(loop), ranges(symbolRanges(loop->getParentOfType<ModuleOp>())), body(loop.getBody().front()) {
    direction = variable("d", of.directions);
    row = variable("r", of.rows);
    column = variable("c", of.width);
  }

  /// All that is yielded, and the operands of all products.
  bool readsOwn(Recurrence &found) {
    for (auto product : body.getOps<MatMulOp>()) {
      if (!isProduct(product))
        return false;
      found.products.push_back(product);
    }
    return llvm::all_of(body.getTerminator()->getOperands(),
                        [&](Value value) { return reads(Kind::Any, value, own()); });
  }

private:
  Expr variable(const std::string &name, const Expr &extent) {
    if (extent.isConstant(1))
      return 0;
    ranges[name] = {Expr(0), extent - 1};
    return Expr::symbol(name);
  }
  Exprs own() const { return {direction, row, column}; }

  bool isProduct(MatMulOp product) {
    const Exprs shape = shapeOf(product.getResult()), left = shapeOf(product.getLhs());
    const Exprs wanted = Recurrence::inMatrix(product.getResult(), of.directions, of.rows, shape.back());
    const int64_t all = shape.back().constant().value_or(0);
    if (shape != wanted || (shape.size() == 2 && !of.directions.isConstant(1)) || left.size() != shape.size() ||
        rankOf(product.getRhs()) != static_cast<int64_t>(shape.size()) || left.back() != of.width || all <= 0 ||
        all % *of.width.constant() != 0)
      return false;
    const Expr depth = variable("k", of.width), columns = variable("n", shape.back());
    return reads(Kind::Any, product.getLhs(), Recurrence::inMatrix(product.getLhs(), direction, row, column)) &&
           reads(Kind::Fixed, product.getRhs(), Recurrence::inMatrix(product.getRhs(), direction, depth, columns));
  }

  /// What an element may be made of.
  enum class Kind {
    Any,   ///< own elements of states and of products for them, and anything that is no state
    Fixed, ///< what is no state, and the same in all iterations
  };

  bool reads(Kind kind, Value value, const Exprs &index) {
    std::string at = kind == Kind::Fixed ? "fixed;" : "";
    for (const Expr &i : index)
      at += i.text() + ';';
    if (!seen.insert({value.getAsOpaquePointer(), at}).second)
      return true; // whoever saw it first says no where it is wrong
    if (kind == Kind::Fixed && usesStep(index))
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getArgNumber() < loop.getCaptures().size() || (kind == Kind::Any && isOwn(index, of.width));
    Operation *op = value.getDefiningOp();
    if (isa<MatMulOp>(op))
      return kind == Kind::Any && isOwn(index, shapeOf(value).back());
    if (auto constant = dyn_cast<ConstantOp>(op))
      return kind == Kind::Fixed || isSplat(constant.getValue());
    if (auto dims = dyn_cast<DimsOp>(op))
      return kind == Kind::Any || !usesStep(exprsOf(dims.getExprs()));
    if (isa<IotaOp>(op))
      return true;
    return readsOperands(kind, op, index);
  }

  bool readsOperands(Kind kind, Operation *op, const Exprs &index) {
    if (classOf(op) != FusionClass::View)
      return classOf(op) == FusionClass::Pointwise &&
             llvm::all_of(op->getOperands(), [&](Value operand) { return reads(kind, operand, index); });
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      const OperandIndex at = cast<IndexingInterface>(op).mapIndex(i, index, ranges);
      if ((kind == Kind::Fixed && usesStep(at.mask)) || !reads(kind, operand, at.index))
        return false;
    }
    return true;
  }

  bool usesStep(ArrayRef<Expr> exprs) {
    const std::optional<StringRef> step = loop.getIndex();
    return step && llvm::any_of(exprs, [&](const Expr &e) { return e.uses(step->str()); });
  }

  static FusionClass classOf(Operation *op) {
    auto classed = dyn_cast<ClassInterface>(op);
    return classed ? classed.getFusionClass() : FusionClass::Control;
  }

  /// Of a matrix with so many columns, the element's own one or one that lies multiples of the width behind it.
  bool isOwn(const Exprs &index, const Expr &columns) const {
    auto behind = [&](const Expr &at, const Expr &from) { return simplify(at - from, ranges).constant(); };
    const std::optional<int64_t> at = behind(index.back(), column);
    return (index.size() == 2 || behind(index[0], direction) == 0) && behind(index[index.size() - 2], row) == 0 && at &&
           *at % *of.width.constant() == 0 && *at >= 0 && *at < *columns.constant();
  }

  const Recurrence &of;
  LoopOp loop;
  Ranges ranges;
  Block &body;
  Expr direction, row, column;
  std::set<std::pair<void *, std::string>> seen;
};

} // namespace

bool Recurrence::carriesStates(LoopOp loop) {
  const bool isCounted =
      loop.getLimit() && !loop.getTrip() && !loop.getCondition() && !loop.getProceeds() && !loop.givesSymbols();
  if (!isCounted || loop.getCarried().empty())
    return false;
  const Exprs shape = shapeOf(loop.getCarried().front());
  auto isState = [&](Value value) { return shapeOf(value) == shape; };
  return shape.size() == 3 && shape[0].constant() && shape[2].constant().value_or(0) != 0 &&
         llvm::all_of(loop.getCarried(), isState) &&
         llvm::all_of(loop.getBody().front().getTerminator()->getOperands(), isState);
}

std::optional<Recurrence> Recurrence::of(LoopOp loop) {
  if (!carriesStates(loop))
    return std::nullopt;
  const Exprs shape = shapeOf(loop.getCarried().front());
  Recurrence found{loop, shape[0], shape[1], shape[2], {}};
  if (!Reader(found, loop).readsOwn(found) || found.products.empty())
    return std::nullopt;
  return found;
}

} // namespace cupola::graph

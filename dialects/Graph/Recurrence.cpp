//===- dialects/Graph/Recurrence.cpp - loops over states that are computed element by element ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Graph/Recurrence.h"

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
    return llvm::all_of(body.getTerminator()->getOperands(), [&](Value value) { return reads(value, own()); });
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
    const Exprs shape = shapeOf(product.getResult());
    if (shape.size() < 2 || shape.size() > 3 || (shape.size() == 2 && !of.directions.isConstant(1)) ||
        (shape.size() == 3 && shape[0] != of.directions) || shape[shape.size() - 2] != of.rows ||
        !mod(shape.back(), of.width).isConstant(0) || rankOf(product.getLhs()) != shape.size() ||
        rankOf(product.getRhs()) != shape.size() || shapeOf(product.getLhs()).back() != of.width)
      return false;
    const Expr depth = variable("k", of.width), columns = variable("n", shape.back());
    return reads(product.getLhs(), Recurrence::inMatrix(product.getLhs(), direction, row, column)) &&
           isFixed(product.getRhs(), Recurrence::inMatrix(product.getRhs(), direction, depth, columns));
  }

  /// The element is made of own elements of states, of products for them, and of anything that is no state.
  bool reads(Value value, const Exprs &index) {
    std::string at;
    for (const Expr &i : index)
      at += i.text() + ';';
    if (!seen.insert({value.getAsOpaquePointer(), at}).second)
      return true; // whoever saw it first says no where it is wrong
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getArgNumber() < captures() || isOwn(index, of.width);
    if (auto product = value.getDefiningOp<MatMulOp>())
      return isOwn(index, shapeOf(value).back());
    return readsOperands(value.getDefiningOp(), index,
                         [&](Value operand, const Exprs &place) { return reads(operand, place); });
  }

  /// The element is made of no state, and is the same in all iterations.
  bool isFixed(Value value, const Exprs &index) {
    const std::optional<StringRef> step = loop.getIndex();
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getArgNumber() < captures() &&
             llvm::none_of(index, [&](const Expr &e) { return step && e.uses(step->str()); });
    Operation *op = value.getDefiningOp();
    return isa<ConstantOp>(op) ||
           readsOperands(op, index, [&](Value operand, const Exprs &at) { return isFixed(operand, at); });
  }

  template <class Read> bool readsOperands(Operation *op, const Exprs &index, Read read) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      return isSplat(constant);
    if (isa<DimsOp, IotaOp>(op))
      return true;
    if (classOf(op) == FusionClass::View) {
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (!read(operand, cast<IndexingInterface>(op).mapIndex(i, index, ranges).index))
          return false;
      return true;
    }
    return classOf(op) == FusionClass::Pointwise &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return read(operand, index); });
  }

  static bool isSplat(ConstantOp constant) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
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

  unsigned captures() const { return LoopOp(loop).getCaptures().size(); }

  const Recurrence &of;
  LoopOp loop;
  Ranges ranges;
  Block &body;
  Expr direction, row, column;
  std::set<std::pair<void *, std::string>> seen; ///< by reads()
};

} // namespace

bool Recurrence::isCounted(LoopOp loop) {
  return loop.getLimit() && !loop.getTrip() && !loop.getCondition() && !loop.getProceeds() && !loop.givesSymbols();
}

std::optional<Recurrence> Recurrence::of(LoopOp loop) {
  if (!isCounted(loop) || loop.getCarried().empty())
    return std::nullopt;
  const Exprs shape = shapeOf(loop.getCarried().front());
  ValueRange yielded = loop.getBody().front().getTerminator()->getOperands();
  auto isState = [&](Value value) { return shapeOf(value) == shape; };
  if (shape.size() != 3 || !shape[0].constant() || !shape[2].constant() || *shape[2].constant() == 0 ||
      !llvm::all_of(loop.getCarried(), isState) || !llvm::all_of(yielded, isState))
    return std::nullopt;
  Recurrence found{loop, shape[0], shape[1], shape[2], {}};
  if (!Reader(found, loop).readsOwn(found) || found.products.empty())
    return std::nullopt;
  return found;
}

} // namespace cupola::graph

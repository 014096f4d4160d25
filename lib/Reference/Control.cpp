//===- lib/Reference/Control.cpp - branches and loops ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Reference/Interpreter.h"

#include "dialects/Graph/Provenance.h"

#include <limits>

using namespace mlir;

namespace cupola::reference {

/// The symbols of `names` that stand as extents in `type` get the extents of a tensor of that type.
static void bindExtents(Type type, const Tensor &tensor, ArrayAttr names, Symbols &symbols) {
  for (auto [extent, value] : llvm::zip_equal(graph::shapeOf(type), tensor.shape()))
    if (const auto symbol = extent.asSymbol())
      for (auto name : names.getAsRange<FlatSymbolRefAttr>())
        if (name.getValue() == *symbol)
          symbols[*symbol] = value;
}

static void bindResults(Operation *op, ArrayRef<Tensor> tensors, ArrayAttr names, Symbols &symbols) {
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(), tensors))
    bindExtents(result.getType(), tensor, names, symbols);
}

Result<std::vector<Tensor>> Interpreter::runIf(graph::IfOp op) {
  const std::vector<Tensor> operands = takeOperands(op);
  const bool condition = operands.front().at<int64_t>(0) != 0;
  auto results =
      runBlock((condition ? op.getThenRegion() : op.getElseRegion()).front(), ArrayRef(operands).drop_front());
  if (results.isOk())
    bindResults(op, *results, op.getSymbols(), symbols);
  return results;
}

namespace {

/// Rows one after the other.
Result<Tensor> stack(Type type, ArrayRef<Tensor> rows, const Symbols &symbols) {
  CUPOLA_ASSIGN(Shape shape, shapeFor(type, symbols));
  CUPOLA_ASSIGN(Tensor whole,
                Tensor::make(graph::dtypeOf(cast<RankedTensorType>(type).getElementType()), std::move(shape)));
  char *to = whole.mutableData();
  for (const Tensor &row : rows)
    to = std::copy_n(row.data(), row.bytes(), to);
  return whole;
}

/// The operands of a loop, and what its iterations have made so far.
struct LoopState {
  int64_t limit = std::numeric_limits<int64_t>::max(), count = 0;
  bool proceeds = true;
  std::vector<Tensor> captures, carried;
  std::vector<std::vector<Tensor>> rows;

  LoopState(graph::LoopOp op, ArrayRef<Tensor> operands, const Symbols &symbols) : rows(op.getYieldedRows().size()) {
    if (op.getLimitAttr())
      limit = op.getLimitAttr().getValue().evaluate(symbols).value_or(0);
    if (op.getTrip()) {
      limit = std::min(limit, operands.front().at<int64_t>(0));
      operands = operands.drop_front();
    }
    if (op.getCondition()) {
      proceeds = operands.front().at<int64_t>(0) != 0;
      operands = operands.drop_front();
    }
    carried = operands.take_front(op.getCarried().size()).vec();
    captures = operands.drop_front(op.getCarried().size()).vec();
  }

  bool goesOn() const { return count < limit && proceeds; }

  void take(graph::LoopOp op, ArrayRef<Tensor> yielded) {
    if (op.getProceeds()) {
      proceeds = yielded.front().at<int64_t>(0) != 0;
      yielded = yielded.drop_front();
    }
    carried = yielded.take_front(carried.size()).vec();
    for (auto [list, row] : llvm::zip_equal(rows, yielded.drop_front(carried.size())))
      list.push_back(row);
    ++count;
  }
};

/// The count is the limit as it is, which may be negative.
bool onlyCounts(graph::LoopOp op) {
  return !op.getCondition() && !op.getProceeds() && op.getResults().empty() &&
         op.getBody().front().without_terminator().empty();
}

} // namespace

Result<std::vector<Tensor>> Interpreter::runLoop(graph::LoopOp op) {
  LoopState state(op, takeOperands(op), symbols);
  if (onlyCounts(op))
    state.count = state.limit;
  while (state.goesOn()) {
    if (op.getIndex())
      symbols[op.getIndex()->str()] = state.count;
    for (auto [argument, tensor] : llvm::zip_equal(op.getCarriedArguments(), state.carried))
      bindExtents(argument.getType(), tensor, op.getSymbols(), symbols);
    std::vector<Tensor> arguments = state.captures;
    llvm::append_range(arguments, state.carried);
    CUPOLA_ASSIGN(auto yielded, runBlock(op.getBody().front(), arguments));
    state.take(op, yielded);
  }
  if (op.getCount())
    symbols[op.getCount()->str()] = state.count;
  std::vector<Tensor> results = state.carried;
  for (auto [result, tensor] : llvm::zip(op.getResults(), results))
    bindExtents(result.getType(), tensor, op.getSymbols(), symbols);
  for (auto [result, list] : llvm::zip_equal(op.getResults().drop_front(results.size()), state.rows)) {
    const Type row = graph::tensorType(ArrayRef(graph::shapeOf(result)).drop_front(), graph::elementOf(result));
    const Tensor none = Tensor::borrow({}, Shape(graph::rankOf(result) - 1), nullptr);
    bindExtents(row, list.empty() ? none : list.front(), op.getSymbols(), symbols);
    const std::string where = "node '" + graph::displayName(op.getLoc()) + "'";
    CUPOLA_ASSIGN(Tensor whole, stack(result.getType(), list, symbols).within(where));
    results.push_back(std::move(whole));
  }
  return results;
}

} // namespace cupola::reference

//===- lib/Conversion/GraphToPlan/ControlToPlan.cpp - branches and loops ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Conversion/GraphToPlan/BodyBuilder.h"

#include "dialects/Graph/Control.h"

using namespace mlir;

namespace cupola {

/// The steps of a region of the graph: its arguments are the body's first parameters, its results those at `results`.
static void buildRegion(ProgramBuilder &program, Region &region, Block &graphBlock, const std::set<std::string> &known,
                        ArrayRef<int64_t> results) {
  BodyBuilder body(program, region.emplaceBlock(), known);
  for (BlockArgument argument : graphBlock.getArguments())
    body.define(argument, body.addBuffer(plan::BufferKind::Parameter, argument.getArgNumber(), bytesOf(argument),
                                         argument.getLoc()));
  SmallVector<Value> buffers;
  for (auto [value, index] : llvm::zip_equal(graphBlock.getTerminator()->getOperands(), results))
    buffers.push_back(body.addBuffer(plan::BufferKind::Parameter, index, bytesOf(value), value.getLoc()));
  body.build(graphBlock.begin(), buffers);
}

void BodyBuilder::addIf(graph::IfOp op) {
  Value condition = bufferOf(op.getCondition());
  SmallVector<Value> captures = buffersOf(op.getCaptures()), results;
  for (Value result : op.getResults())
    results.push_back(resultBuffer(result));
  Block &thenBlock = op.getThenRegion().front(), &elseBlock = op.getElseRegion().front();
  auto valuesOf = [&](Block &block) {
    graph::Exprs values;
    for (auto symbol : op.getSymbols().getAsRange<FlatSymbolRefAttr>())
      values.push_back(graph::extentBehind(symbol.getValue(), op.getResults(), block.getTerminator()->getOperands()));
    return graph::exprArray(b.getContext(), values);
  };
  auto branch = plan::IfOp::create(b, op.getLoc(), condition, captures, results, op.getSymbols(), valuesOf(thenBlock),
                                   valuesOf(elseBlock));
  auto places = llvm::to_vector(llvm::seq<int64_t>(captures.size(), captures.size() + results.size()));
  buildRegion(program, branch.getThenRegion(), thenBlock, known, places);
  buildRegion(program, branch.getElseRegion(), elseBlock, known, places);
}

namespace {

/// Extents of carried values that change, and of rows that are known in the body: the pairs of the loop's symbols.
struct CarriedExtents {
  explicit CarriedExtents(graph::LoopOp op) {
    const std::vector<std::string> symbols = graph::symbolNames(op.getSymbols());
    for (size_t i = 0; i < symbols.size(); i += 2) {
      inner.push_back(symbols[i]);
      last.push_back(symbols[i + 1]);
      if (!addCarried(op) && !addRow(op))
        llvm_unreachable("the verifier has seen both symbols");
    }
  }

  bool addCarried(graph::LoopOp op) {
    for (auto [i, argument] : llvm::enumerate(op.getCarriedArguments()))
      for (auto [d, extent] : llvm::enumerate(graph::shapeOf(argument)))
        if (extent.asSymbol() == inner.back()) {
          first.push_back(graph::extentOf(op.getCarried()[i], d));
          next.push_back(graph::extentOf(op.getYieldedCarried()[i], d));
          return true;
        }
    return false;
  }

  bool addRow(graph::LoopOp op) {
    for (auto [row, rows] : llvm::zip_equal(op.getYieldedRows(), op.getResults().drop_front(op.getCarried().size())))
      for (auto [d, extent] : llvm::enumerate(graph::shapeOf(rows)))
        if (extent.asSymbol() == last.back()) {
          first.push_back(Expr(0)); // of rows that there are not
          next.push_back(graph::extentOf(row, d - 1));
          return true;
        }
    return false;
  }

  std::vector<std::string> inner, last;
  graph::Exprs first, next;
};

} // namespace

void BodyBuilder::addLoop(graph::LoopOp op) {
  const size_t carried = op.getCarried().size();
  Value trip = op.getTrip() ? bufferOf(op.getTrip()) : Value();
  Value condition = op.getCondition() ? bufferOf(op.getCondition()) : Value();
  Value proceed = op.getProceeds() ? addBuffer(plan::BufferKind::Arena, 0, Expr(1), op.getLoc()) : Value();
  SmallVector<Value> captures = buffersOf(op.getCaptures()), initial = buffersOf(op.getCarried());
  SmallVector<Value> results, spare, row, rows;
  for (Value result : op.getResults().take_front(carried)) {
    results.push_back(resultBuffer(result));
    spare.push_back(ownBuffer(result));
  }
  for (Value result : op.getResults().drop_front(carried))
    rows.push_back(resultBuffer(result));
  for (Value value : op.getYieldedRows())
    row.push_back(ownBuffer(value));

  const CarriedExtents extents(op);
  auto loop = plan::WhileOp::create(
      b, op.getLoc(), trip, condition, proceed, captures, initial, results, spare, row, rows, op.getLimitAttr(),
      op.getIndexAttr(), op.getCountAttr(), graph::symbolRefs(b.getContext(), extents.inner),
      graph::exprArray(b.getContext(), extents.first), graph::exprArray(b.getContext(), extents.next),
      graph::symbolRefs(b.getContext(), extents.last));
  std::set<std::string> inside = known;
  inside.insert(extents.inner.begin(), extents.inner.end());
  if (op.getIndex())
    inside.insert(op.getIndex()->str());
  const int64_t first = captures.size() + carried; // of what an iteration writes
  auto places = llvm::to_vector(llvm::seq<int64_t>(first, first + carried + row.size()));
  if (op.getProceeds())
    places.insert(places.begin(), first + carried + row.size());
  buildRegion(program, loop.getBody(), op.getBody().front(), inside, places);
}

/// What follows `last` knows `after`, the symbols that have values then. It is handed what it reads, and `results`.
void BodyBuilder::addRest(Operation *last, std::set<std::string> after, ArrayRef<Value> results) {
  auto call = plan::CallOp::create(b, last->getLoc(), ValueRange(), ValueRange());
  b.setInsertionPoint(call); // what the rest is found to read
  after.insert(known.begin(), known.end());
  BodyBuilder rest(program, call.getBody().emplaceBlock(), after);
  SmallVector<Value> handed, parameters;
  for (auto [value, result] : llvm::zip_equal(last->getBlock()->getTerminator()->getOperands(), results)) {
    parameters.push_back(result ? rest.addBuffer(plan::BufferKind::Parameter, 0, bytesOf(value), value.getLoc())
                                : Value());
    if (result)
      handed.push_back(result);
  }
  rest.build(std::next(Block::iterator(last)), parameters);
  int64_t place = rest.captured.size();
  for (Value parameter : parameters)
    if (parameter)
      parameter.getDefiningOp<plan::BufferOp>().setIndex(place++);
  call.getCapturesMutable().assign(buffersOf(rest.captured.getArrayRef()));
  call.getResultsMutable().assign(handed);
  b.setInsertionPointToEnd(call->getBlock());
}

} // namespace cupola

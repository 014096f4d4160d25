//===- lib/Conversion/GraphToKernel/Recurrence.cpp - all iterations of a loop over states ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The grid has the directions. States are carried as tiles [rows, width]. Before a product its left operand is a map of
// its own, so that whoever has a part of the states knows what the others need of it.
//===----------------------------------------------------------------------===//

#include "dialects/Graph/Recurrence.h"

#include "lib/Conversion/GraphToKernel/Schedule.h"

using namespace mlir;

namespace cupola {
namespace {

class RecurrenceGenerator {
public:
  RecurrenceGenerator(Emitter &emitter, graph::LoopOp loop)
      : emitter(emitter), of(*graph::Recurrence::of(loop)), loop(loop), body(loop.getBody().front()) {
    direction = emitter.addGrid(of.directions);
    emitter.finishGrid();
  }

  void generate() {
    for (auto [argument, capture] : llvm::zip(body.getArguments(), loop.getCaptures()))
      emitter.setElements(argument, [this, capture = capture](Emitter::Index at) { return emitter.emit(capture, at); });
    const Expr steps = graph::exprOf(loop.getLimitAttr());
    const SmallVector<Value> last =
        emitter.steps(steps, loop.getIndex().value_or("").str(), initialStates(),
                      [&](const Expr &step, ValueRange states) { return iterate(step, states); });
    store(loop.getResults().take_front(last.size()), last, [&](const Emitter::Loop &each) { return at(each); });
  }

private:
  /// All elements keep their variables.
  Emitter::Loop elements() {
    const Emitter::Loop each = emitter.makeLoop({of.rows, of.width}, /*keepOnes=*/true);
    own = each.index;
    return each;
  }
  graph::Exprs at(const Emitter::Loop &each) const { return {direction, each.index[0], each.index[1]}; }

  SmallVector<Value> initialStates() {
    SmallVector<Value> tiles;
    for (Value initial : loop.getCarried()) {
      const Emitter::Loop each = elements();
      tiles.push_back(
          emitter.map(each, [&]() -> SmallVector<Value> { return {emitter.emitStored(initial, at(each))}; })[0]);
    }
    return tiles;
  }

  SmallVector<Value> iterate(const Expr &step, ValueRange states) {
    for (auto [argument, tile] : llvm::zip_equal(loop.getCarriedArguments(), states))
      setTile(argument, tile);
    for (graph::MatMulOp product : of.products)
      setTile(product.getResult(), multiply(product));
    const Emitter::Loop each = elements();
    const ValueRange yielded = body.getTerminator()->getOperands();
    const SmallVector<Value> made = emitter.map(each, [&] {
      return llvm::map_to_vector(yielded, [&](Value value) { return emitter.emitStored(value, at(each)); });
    });
    const size_t count = states.size();
    store(loop.getResults().drop_front(count), ArrayRef(made).drop_front(count), [&](const Emitter::Loop &each) {
      graph::Exprs index = at(each);
      index.insert(index.begin(), step);
      return index;
    });
    return SmallVector<Value>(ArrayRef(made).take_front(count));
  }

  /// From here on elements of `value` are those of the tile of its direction: the own one, or columns behind it. They
  /// are said by the loop's variables, also where an index is known to be 0.
  void setTile(Value value, Value tile) {
    const Type type = graph::accumulatorOf(graph::elementOf(value));
    emitter.setElements(value, [this, tile, type](Emitter::Index index) {
      const Expr first = of.width.isConstant(1) ? Expr(0) : own[1];
      const Expr behind = simplify(index.back() - first, emitter.ranges());
      return emitter.convert(emitter.extract(tile, {own[0], own[1] + behind}), type);
    });
  }

  Value multiply(graph::MatMulOp product) {
    const Emitter::Loop each = elements();
    const Value rows = emitter.map(each, [&]() -> SmallVector<Value> {
      return {emitter.emitStored(product.getLhs(), in(product.getLhs(), each.index[0], each.index[1]))};
    })[0];
    const Expr columns = graph::shapeOf(product.getResult()).back();
    const Emitter::Loop mnk = emitter.makeLoop({of.rows, columns, of.width}, /*keepOnes=*/true);
    const Expr &m = mnk.index[0], &n = mnk.index[1], &k = mnk.index[2];
    const Type sum = graph::accumulatorOf(graph::elementOf(product.getResult()));
    return emitter.dot(
        mnk, sum, /*init=*/{}, [&] { return emitter.extract(rows, {m, k}); },
        [&] { return emitter.emitStored(product.getRhs(), in(product.getRhs(), k, n)); });
  }

  graph::Exprs in(Value matrix, const Expr &row, const Expr &column) const {
    return graph::Recurrence::inMatrix(matrix, direction, row, column);
  }

  /// Those of the loop's results that are the fusion's, too, each the elements of a tile.
  void store(ValueRange results, ArrayRef<Value> tiles, llvm::function_ref<graph::Exprs(const Emitter::Loop &)> index) {
    const ValueRange yielded = emitter.fusion().getBody().front().getTerminator()->getOperands();
    if (llvm::none_of(results, [&](Value result) { return llvm::is_contained(yielded, result); }))
      return;
    const Emitter::Loop each = elements();
    emitter.foreach (each, [&] {
      for (auto [result, tile] : llvm::zip_equal(results, tiles))
        for (auto [i, value] : llvm::enumerate(yielded))
          if (value == result)
            emitter.store(i, index(each), emitter.extract(tile, each));
    });
  }

  Emitter &emitter;
  graph::Recurrence of;
  graph::LoopOp loop;
  Block &body;
  Expr direction;
  graph::Exprs own; ///< row and column of the loop that was begun last
};

} // namespace

void generateRecurrence(Emitter &emitter, Operation *hero) {
  RecurrenceGenerator(emitter, cast<graph::LoopOp>(hero)).generate();
}

} // namespace cupola

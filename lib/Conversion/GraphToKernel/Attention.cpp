//===- lib/Conversion/GraphToKernel/Attention.cpp - softmax(q k + ..) v without its scores ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows meet the keys block by block. What is carried of a row is the largest score so far,
// the sum of exp(score - largest), and the sum of the values weighted with it; both are
// scaled whenever a larger score comes (Milakov and Gimelshein, Online normalizer calculation
// for softmax, 2018; Dao, FlashAttention-2, 2023).
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GraphToKernel/Schedule.h"
#include "lib/Conversion/GraphToKernel/VisibleKeys.h"

#include <limits>

using namespace mlir;
using cupola::graph::BinaryKind;
using cupola::graph::ReduceKind;
using cupola::graph::SoftmaxGuard;
using cupola::graph::UnaryKind;

namespace cupola {
namespace {

/// Keys that a row meets at once. Fewer where there are no more, and where heads are large: a
/// GPU's thread holds its part of the scores and of the result in registers.
int64_t keysAtOnce(const Expr &keys, int64_t columns) {
  constexpr int64_t few = 32, many = 64;
  return columns > 128 || keys.constant().value_or(many) <= few ? few : many;
}

class Attention {
public:
  Attention(Emitter &emitter, graph::MatMulOp result) : emitter(emitter), b(emitter.builder()), result(result) {
    Block &body = emitter.fusion().getBody().front();
    scores = *body.getOps<graph::MatMulOp>().begin();
    softmax = *body.getOps<graph::SoftmaxOp>().begin();
    graph::Exprs dims = graph::shapeOf(result.getResult());
    columns = dims.pop_back_val();
    rows = dims.pop_back_val();
    llvm::erase_if(dims, [](const Expr &extent) { return extent.isConstant(1); });
    if (!dims.empty()) {
      sharers = headsPerKeys(dims.back());
      dims.back() = floorDiv(dims.back(), sharers);
      rows = rows * sharers;
    }
    for (const Expr &extent : dims)
      batch.push_back(emitter.addGrid(extent));
    emitter.finishGrid();
    keys = graph::shapeOf(scores.getResult()).back();
    depth = graph::shapeOf(scores.getLhs()).back();
    atOnce = keysAtOnce(keys, *columns.constant());
  }

  void generate() {
    Value low = fill({rows}, -std::numeric_limits<double>::infinity()), zero = fill({rows}, 0);
    State first{low, zero, fill({rows, columns}, 0)};
    const State last = State::of(emitter.steps(
        ceilDiv(keys, atOnce), first.values(),
        [&](const Expr &step, ValueRange carried) {
          block = step * atOnce;
          return advance(State::of(carried)).values();
        },
        [&](ValueRange before, ValueRange behind) { return meet(State::of(before), State::of(behind)).values(); }));
    markVisibleSteps(last.sum.getDefiningOp<kernel::ForOp>(), masked, atOnce);
    finish(last);
    keep(scores.getRhs(), {keys, depth},
         [&](const Expr &key, const Expr &k) { return inShared(scores.getRhs(), k, key); });
    keep(result.getRhs(), {keys, columns},
         [&](const Expr &key, const Expr &column) { return inShared(result.getRhs(), key, column); });
  }

private:
  /// Of a row, of all keys so far; tiles over rows, and rows and columns.
  struct State {
    Value largest, sum, result;

    static State of(ValueRange carried) { return {carried[0], carried[1], carried[2]}; }
    SmallVector<Value> values() const { return {largest, sum, result}; }
  };

  Value fill(ArrayRef<Expr> extents, double number) {
    return emitter.map(loop(extents), [&]() -> SmallVector<Value> { return {real(number)}; })[0];
  }
  Value real(double number) { return emitter.constant(b.getF32Type(), number); }
  /// All extents keep their variables.
  Emitter::Loop loop(ArrayRef<Expr> extents) { return emitter.makeLoop(extents, /*keepOnes=*/true); }
  Value at(Value tile, const Emitter::Loop &space) { return emitter.extract(tile, space); }
  /// How many heads, of the innermost extent of the batch, have the same keys and values.
  int64_t headsPerKeys(const Expr &heads) {
    for (int64_t each = heads.constant().value_or(1); each > 1; --each)
      if (*heads.constant() % each == 0 && isRepeated(scores.getRhs(), heads, each) &&
          isRepeated(result.getRhs(), heads, each))
        return each;
    return 1;
  }
  /// Whether, through views, so many heads in a row read the same elements.
  bool isRepeated(Value matrices, const Expr &heads, int64_t each) {
    graph::Exprs index;
    Ranges known = emitter.ranges();
    known["g"] = {Expr(0), floorDiv(heads, each) - 1};
    known["r"] = {Expr(0), Expr(each - 1)};
    size_t innermost = 0;
    const graph::Exprs dims = graph::shapeOf(matrices);
    for (const Expr &extent : dims) {
      const std::string axis = "d" + std::to_string(index.size());
      known[axis] = {Expr(0), extent - 1};
      if (index.size() + 2 < dims.size() && !extent.isConstant(1))
        innermost = index.size();
      index.push_back(Expr::symbol(axis));
    }
    index[innermost] = Expr::symbol("g") * each + Expr::symbol("r");
    for (Operation *op = matrices.getDefiningOp();
         isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp, graph::CastOp, graph::BroadcastOp, graph::SliceOp>(op);
         op = op->getOperand(0).getDefiningOp())
      index = cast<graph::IndexingInterface>(op).mapIndex(0, index, known).index;
    return llvm::none_of(index, [&](const Expr &e) { return simplify(e, known).uses("r"); });
  }

  /// The index in one of the matrices; their batches differ in extents of 1 alone. `head` of those that share keys.
  graph::Exprs in(Value matrices, const Expr &head, const Expr &row, const Expr &column) const {
    graph::Exprs index, dims = graph::shapeOf(matrices);
    size_t next = 0;
    for (const Expr &extent : ArrayRef<Expr>(dims).drop_back(2)) {
      index.push_back(extent.isConstant(1) ? Expr(0) : batch[next++]);
      if (!extent.isConstant(1) && next == batch.size())
        index.back() = index.back() * sharers + head;
    }
    index.append({row, column});
    return index;
  }
  /// Of queries, scores or the result: heads that share keys are neighbouring rows, which are as near to the diagonal.
  graph::Exprs inRow(Value matrices, const Expr &row, const Expr &column) const {
    return in(matrices, mod(row, sharers), floorDiv(row, sharers), column);
  }
  /// Of keys and values.
  graph::Exprs inShared(Value matrices, const Expr &row, const Expr &column) const {
    return in(matrices, 0, row, column);
  }
  /// An element as a product multiplies it; 0 where a condition fails.
  Value read(Value matrices, const graph::Exprs &index, const graph::Exprs &conditions = {}) {
    return emitter.emitStoredInside(matrices, index, conditions);
  }
  /// What fails for keys beyond the last; nothing where there are none.
  graph::Exprs inside(const Expr &key) const {
    Expr condition = keys - 1 - (block + key);
    return proveLessEqual(0, condition, emitter.ranges()) == true ? graph::Exprs() : graph::Exprs{condition};
  }

  State advance(const State &before) {
    Value tile = score();
    SmallVector<Value> ofRow = rescale(tile, before.largest);
    Value largest = ofRow[0], shift = ofRow[1], factor = ofRow[2];
    Emitter::Loop each = loop({rows, atOnce});
    Value weights = emitter.map(each, [&]() -> SmallVector<Value> {
      Value x = emitter.binary(BinaryKind::Sub, at(tile, each), atRow(shift, each));
      return {emitter.unary(UnaryKind::Exp, x, /*coarse=*/isNarrow())};
    })[0];
    Emitter::Loop row = loop({rows});
    Value sum = emitter.map(row, [&]() -> SmallVector<Value> {
      Value scaled = emitter.binary(BinaryKind::Mul, at(before.sum, row), at(factor, row));
      return {emitter.binary(BinaryKind::Add, scaled, reduce(ReduceKind::Sum, weights, row))};
    })[0];
    Emitter::Loop out = loop({rows, columns});
    Value scaled = emitter.map(out, [&]() -> SmallVector<Value> {
      return {emitter.binary(BinaryKind::Mul, at(before.result, out), atRow(factor, out))};
    })[0];
    return {largest, sum, weigh(weights, scaled)};
  }

  /// Scores of a block of keys as the softmax reads them; -inf beyond the last key.
  Value score() {
    Emitter::Loop mnk = loop({rows, atOnce, depth});
    const Expr &m = mnk.index[0], &n = mnk.index[1], &k = mnk.index[2];
    Value dots = emitter.dot(
        mnk, b.getF32Type(), /*init=*/{}, [&] { return read(scores.getLhs(), inRow(scores.getLhs(), m, k)); },
        [&] { return read(scores.getRhs(), inShared(scores.getRhs(), k, block + n), inside(n)); });
    Emitter::Loop each = loop({rows, atOnce});
    Value tile = emitter.map(each, [&]() -> SmallVector<Value> {
      const Expr &key = each.index[1];
      emitter.setHero(scores.getResult(), inRow(scores.getResult(), each.index[0], block + key), at(dots, each));
      Value x = emitter.emitAfterHero(softmax.getInput(), inside(key));
      return {emitter.selectInside(inside(key), x, real(-std::numeric_limits<double>::infinity()))};
    })[0];
    masked = tile.getDefiningOp<kernel::MapOp>();
    return tile;
  }

  /// The largest scores now; what exponents are relative to; what the sums so far are scaled by.
  SmallVector<Value> rescale(Value tile, Value before) {
    Emitter::Loop row = loop({rows});
    return emitter.map(row, [&]() -> SmallVector<Value> {
      Value largest = emitter.binary(BinaryKind::Max, at(before, row), reduce(ReduceKind::Max, tile, row));
      Value shift = shiftOf(largest);
      return {largest, shift, factorOf(at(before, row), shift)};
    });
  }
  /// 0 where all scores are -inf, so that no difference of infinities arises.
  Value shiftOf(Value largest) {
    Value isEmpty = emitter.binary(BinaryKind::Equal, largest, real(-std::numeric_limits<double>::infinity()));
    return emitter.select(isEmpty, real(0), largest);
  }
  Value factorOf(Value largest, Value shift) {
    return emitter.unary(UnaryKind::Exp, emitter.binary(BinaryKind::Sub, largest, shift));
  }

  /// Of two parts of the keys: sums of both, scaled to the larger of the largest scores.
  State meet(const State &before, const State &behind) {
    Emitter::Loop row = loop({rows});
    SmallVector<Value> ofRow = emitter.map(row, [&]() -> SmallVector<Value> {
      Value largest = emitter.binary(BinaryKind::Max, at(before.largest, row), at(behind.largest, row));
      Value shift = shiftOf(largest);
      return {largest, factorOf(at(before.largest, row), shift), factorOf(at(behind.largest, row), shift)};
    });
    auto both = [&](const Emitter::Loop &space, Value a, Value b) {
      return emitter.map(space, [&]() -> SmallVector<Value> {
        Value x = emitter.binary(BinaryKind::Mul, at(a, space), atRow(ofRow[1], space));
        Value y = emitter.binary(BinaryKind::Mul, at(b, space), atRow(ofRow[2], space));
        return {emitter.binary(BinaryKind::Add, x, y)};
      })[0];
    };
    return {ofRow[0], both(row, before.sum, behind.sum), both(loop({rows, columns}), before.result, behind.result)};
  }

  /// init + the values of the block, weighted.
  Value weigh(Value weights, Value init) {
    Emitter::Loop mnk = loop({rows, columns, atOnce});
    const Expr &m = mnk.index[0], &n = mnk.index[1], &k = mnk.index[2];
    Type stored = graph::elementOf(result.getLhs());
    return emitter.dot(
        mnk, b.getF32Type(), init, [&] { return emitter.convert(emitter.extract(weights, {m, k}), stored); },
        [&] { return read(result.getRhs(), inShared(result.getRhs(), block + k, n), inside(k)); });
  }

  void finish(const State &last) {
    Emitter::Loop row = loop({rows}), out = loop({rows, columns});
    Value inverse;
    if (isNarrow())
      inverse = emitter.map(row, [&]() -> SmallVector<Value> {
        return {emitter.binary(BinaryKind::Div, real(1), divisorOf(at(last.sum, row)))};
      })[0];
    emitter.foreach (out, [&] {
      Value sum = atRow(last.sum, out), x = at(last.result, out);
      x = inverse ? emitter.binary(BinaryKind::Mul, x, atRow(inverse, out))
                  : emitter.binary(BinaryKind::Div, x, divisorOf(sum));
      if (softmax.getGuard() == SoftmaxGuard::NaN)
        x = emitter.select(emitter.unary(UnaryKind::IsNaN, sum), real(0), x);
      if (proveLess(0, keys, emitter.ranges()) != true) // a product without depth
        x = emitter.selectInside({keys - 1}, x, real(0));
      emitter.setHero(result.getResult(), inRow(result.getResult(), out.index[0], out.index[1]), x);
      emitter.storeResults();
    });
  }

  /// Rows of -inf are 0 where the model says so, not NaN.
  Value divisorOf(Value sum) {
    if (softmax.getGuard() == SoftmaxGuard::None)
      return sum;
    return emitter.select(emitter.binary(BinaryKind::Equal, sum, real(0)), real(1), sum);
  }

  /// Weights have no more than 16 bits: exponentials may be coarse, a reciprocal will do for a row.
  bool isNarrow() { return graph::elementOf(result.getLhs()).getIntOrFloatBitWidth() <= 16; }

  /// Writes an operand that is views of a further result.
  void keep(Value operand, ArrayRef<Expr> extents, function_ref<graph::Exprs(const Expr &, const Expr &)> index) {
    if (!emitter.isViewOfResult(operand))
      return;
    Emitter::Loop each = loop(extents);
    emitter.foreach (each, [&] { emitter.storeOrigin(operand, index(each.index[0], each.index[1])); });
  }

  /// Over the block's keys of the row.
  Value reduce(ReduceKind kind, Value tile, const Emitter::Loop &row) {
    Emitter::Loop over = loop({atOnce});
    return emitter.reduce(over, kind, [&] { return emitter.extract(tile, {row.index[0], over.index[0]}); });
  }
  Value atRow(Value tile, const Emitter::Loop &space) { return emitter.extract(tile, {space.index[0]}); }

  Emitter &emitter;
  OpBuilder &b;
  graph::MatMulOp scores, result;
  graph::SoftmaxOp softmax;
  graph::Exprs batch;              ///< the point of the grid
  int64_t sharers = 1;             ///< heads that share keys and values
  Expr rows, keys, depth, columns; ///< of q of all of these, of k and v, of heads of q and k, of heads of v
  int64_t atOnce;                  ///< keys of a block
  Expr block;                      ///< where it begins
  kernel::MapOp masked;            ///< what makes its scores
};

} // namespace

void generateAttention(Emitter &emitter, Operation *hero) {
  Attention(emitter, cast<graph::MatMulOp>(hero)).generate();
}

} // namespace cupola

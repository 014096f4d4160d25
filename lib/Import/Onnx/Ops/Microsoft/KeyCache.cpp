//===- lib/Import/Onnx/Ops/Microsoft/KeyCache.cpp - keys and values of earlier steps ------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Microsoft/KeyCache.h"

#include "lib/Import/Onnx/Ops/Microsoft/Attend.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

Value minimum(OpBinder &op, Value lhs, Value rhs) { return op.b.binary(BinaryKind::Min, lhs, rhs); }
Value maximum(OpBinder &op, Value lhs, Value rhs) { return op.b.binary(BinaryKind::Max, lhs, rhs); }
Value sum(OpBinder &op, Value lhs, Value rhs) { return op.b.binary(BinaryKind::Add, lhs, rhs); }
Value difference(OpBinder &op, Value lhs, Value rhs) { return op.b.binary(BinaryKind::Sub, lhs, rhs); }
Value number(OpBinder &op, int64_t value) { return op.b.intScalar(value, op.b.int64()); }
/// Of rows of a batch, beside positions.
Value ofEach(OpBinder &op, Value perRow) { return op.b.unsqueeze(perRow, {1}); }

/// Operand `index`, whose rows are like those of this step.
Value cacheOf(OpBinder &op, size_t index, StringRef name, Value fresh) {
  const Exprs shape = op.b.shape(fresh), has = op.shape(index, name);
  if (has.size() != 4)
    op.bad("input " + std::to_string(index) + " (" + name.str() + ") has the shape " + shapeText(has) +
           ", expected rank 4");
  op.b.sameShape(has, {shape[0], shape[1], has[2], shape[3]}, "the shapes of the cache and of new rows");
  return op.value(index, name);
}

/// Those of the operands, then those of this step.
KeysAndValues bothRows(OpBinder &op, const KeysAndValues &fresh) {
  return {op.b.concat({cacheOf(op, 3, "past_key", fresh.k), fresh.k}, 2),
          op.b.concat({cacheOf(op, 4, "past_value", fresh.v), fresh.v}, 2)};
}

//===--- A cache that grows ---===//

/// Row i is that of the cache, or of this step once those of the cache are over.
Value lengthenedBy(OpBinder &op, const Tokens &tokens, size_t index, StringRef name, Value fresh) {
  Value place = positionsOfKeys(op, tokens.most), before = ofEach(op, tokens.before);
  Value last = op.b.integer(tokens.length - 1);
  Value at = maximum(op, minimum(op, difference(op, place, before), last), number(op, 0));
  Value rows = op.b.gather(fresh, at, 2, /*batchDims=*/1);
  if (!op.has(index))
    return rows;
  Value cache = cacheOf(op, index, name, fresh);
  cache = lengthened(op, cache, 2, tokens.most - op.b.shape(cache)[2]);
  Value isOld = op.b.unsqueeze(op.b.binary(BinaryKind::Less, place, before), {1, 3});
  return op.b.select(isOld, cache, rows);
}

//===--- A cache of a window ---===//

/// A cache of `capacity` rows has the last ones in order from row 0 on; where it is full, it drops `dropped` of them.
struct Window {
  Expr capacity, dropped;
};

/// How many of so many tokens are in the cache: a function of their number alone.
Value resident(OpBinder &op, const Window &window, Value tokens) {
  Value drops = op.b.integer(window.dropped);
  Value over = maximum(op, difference(op, tokens, op.b.integer(window.capacity)), number(op, 0));
  Value times = op.b.binary(BinaryKind::Div, sum(op, over, op.b.integer(window.dropped - 1)), drops);
  return difference(op, tokens, op.b.binary(BinaryKind::Mul, times, drops));
}

/// int64 [batch, capacity]: which row of the old cache, or behind those of this step, each row of the new one is.
Value rowsKept(OpBinder &op, const Window &window, const Tokens &tokens) {
  Value first = difference(op, tokens.all, resident(op, window, tokens.all));
  Value token = sum(op, positionsOfKeys(op, window.capacity), ofEach(op, first));
  Value fresh = difference(op, token, ofEach(op, tokens.before)); // below 0: an old one
  Value old = sum(op, fresh, ofEach(op, resident(op, window, tokens.before)));
  Value isOld = op.b.binary(BinaryKind::Less, fresh, number(op, 0));
  Value row = op.b.select(isOld, old, sum(op, fresh, op.b.integer(window.capacity)));
  Value last = op.b.integer(window.capacity + tokens.length - 1);
  return maximum(op, minimum(op, row, last), number(op, 0)); // rows that are none are any
}

Value placesOf(OpBinder &op, const Window &window, const Tokens &tokens) {
  Value before = ofEach(op, tokens.before), count = ofEach(op, resident(op, window, tokens.before));
  Value row = positionsOfKeys(op, window.capacity);
  Value isOld = op.b.binary(BinaryKind::Less, row, count);
  Value none = number(op, std::numeric_limits<int64_t>::max());
  Value old = op.b.select(isOld, sum(op, row, difference(op, before, count)), none);
  return op.b.concat({old, placesOfStep(op, tokens)}, 1);
}

} // namespace

Value placesOfStep(OpBinder &op, const Tokens &tokens) {
  return sum(op, positionsOfKeys(op, tokens.length), ofEach(op, tokens.before));
}

KeyCache appended(OpBinder &op, const Tokens &tokens, const KeysAndValues &fresh) {
  // A cache that has room for more tokens than there are is not read behind them.
  const auto counting = [&](Value rows) {
    Exprs sizes = op.b.shape(rows);
    sizes[2] = tokens.total;
    return sizes[2] == tokens.most ? rows : op.b.slice(rows, Exprs(4, Expr(0)), Ints(4, 1), sizes);
  };
  const KeysAndValues all{lengthenedBy(op, tokens, 3, "past_key", fresh.k),
                          lengthenedBy(op, tokens, 4, "past_value", fresh.v)};
  return {{counting(all.k), counting(all.v)}, all, positionsOfKeys(op, tokens.total)};
}

bool staysInPlace(OpBinder &op) {
  return (op.sharesMemory(1, 3) || op.sharesMemory(2, 4)) && op.intAttribute("sliding_window_cache", 0) == 0;
}

KeyCache joined(OpBinder &op, const Tokens &tokens, const KeysAndValues &fresh) {
  const KeysAndValues all = bothRows(op, fresh);
  return {all, all, positionsOfKeys(op, tokens.total)};
}

Value exactly(OpBinder &op, Value before, const Expr &rows) {
  // What is found at any other index than 0 of one number is an error: -1 is that number again.
  Value off = op.b.binary(BinaryKind::Mul, difference(op, before, op.b.integer(rows)), number(op, 2));
  return op.b.gather(op.b.reshape(op.b.integer(rows), {Expr(1)}), off, 0);
}

KeyCache windowed(OpBinder &op, const Tokens &tokens, const KeysAndValues &fresh, int64_t size) {
  if (!op.has(3))
    op.bad("input 3 (past_key) is missing, expected one, as attribute 'sliding_window_cache' is 1");
  const Expr capacity = op.shape(3, "past_key")[2];
  op.b.atMost(Expr(size), capacity, "attribute 'local_window_size' and the rows of input 3 (past_key)");
  const Window window{capacity, simplify(max(capacity - size + 1, Expr(1)), op.b.ranges())};
  const KeysAndValues read = bothRows(op, fresh);
  Value kept = rowsKept(op, window, tokens);
  return {read,
          {op.b.gather(read.k, kept, 2, /*batchDims=*/1), op.b.gather(read.v, kept, 2, /*batchDims=*/1)},
          placesOf(op, window, tokens)};
}

} // namespace cupola::onnx_import::microsoft

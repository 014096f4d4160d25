//===- lib/Import/Onnx/Ops/Microsoft/ExpertGroups.cpp - tokens of one expert side by side ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The choices of all tokens are ordered by expert, and the first one of each expert begins a
// group. All is integers of the size of the choices; the rows themselves are read once, by a
// gather.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Microsoft/ExpertGroups.h"
#include "lib/Import/Onnx/Cumulative.h"
#include "lib/Import/Onnx/Ops/Sort.h"

using namespace mlir;

namespace cupola::onnx_import::microsoft {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;

class Grouping {
public:
  Grouping(OpBinder &op, Value chosen, const Expr &experts, int64_t rows)
      : op(op), b(op.b), shape(b.shape(chosen)), experts(experts), all(shape[0] * shape[1]), size(rows),
        rows(number(rows)), flat(b.reshape(chosen, {all})), order(orderedPositions(op, flat, all, /*largest=*/false)) {
    // Of all experts: how many choices and groups there are of each, and of those before it.
    sizes = countWhere(b.binary(BinaryKind::Equal, b.unsqueeze(flat, {0}), b.iota({experts, Expr(1)}, 0)));
    first = before(sizes);
    Value most = b.binary(BinaryKind::Add, sizes, number(rows - 1));
    groups = b.binary(BinaryKind::Div, most, this->rows);
    firstGroup = before(groups);
  }

  /// Of a group: the last expert that does not begin behind it.
  ExpertGroups run() {
    // An expert of n choices has at most (n + rows - 1) / rows groups, and no more than n.
    const Expr most = floorDiv(all + experts * Expr(size - 1), Expr(size));
    const Expr count = simplify(min(all, most), b.ranges());
    Value group = b.iota({count, Expr(1)}, 0), end = add(firstGroup, groups);
    Value expert = countWhere(b.binary(BinaryKind::LessEqual, b.unsqueeze(end, {0}), group));
    expert = b.binary(BinaryKind::Min, expert, b.integer(experts - Expr(1)));
    Value row = b.binary(BinaryKind::Sub, b.iota({count}, 0), of(firstGroup, expert));
    row = add(b.binary(BinaryKind::Mul, row, rows), of(first, expert));
    row = add(b.unsqueeze(row, {1}), b.iota({Expr(1), Expr(size)}, 1));
    row = b.binary(BinaryKind::Min, row, b.integer(all - Expr(1)));
    return {expert, b.binary(BinaryKind::Div, of(order, row), b.integer(shape[1])), b.reshape(places(), shape)};
  }

private:
  Value number(int64_t value) { return b.intScalar(value, b.int64()); }
  Value add(Value x, Value y) { return b.binary(BinaryKind::Add, x, y); }
  Value of(Value list, Value index) { return b.gather(list, index, 0, /*batchDims=*/0, /*isInRange=*/true); }
  /// Along the last of two dimensions.
  Value countWhere(Value flags) { return b.squeeze(b.reduce(ReduceKind::Sum, b.cast(flags, b.int64()), {1}), {1}); }
  Value before(Value list) { return cumulated(b, ReduceKind::Sum, list, 0, {.exclusive = true}); }

  /// Where the order has a choice, from its expert's first group on.
  Value places() {
    Value place = orderedPositions(op, order, all, /*largest=*/false);
    place = b.binary(BinaryKind::Sub, place, of(first, flat));
    return add(place, b.binary(BinaryKind::Mul, of(firstGroup, flat), rows));
  }

  OpBinder &op;
  GraphBuilder &b;
  const Exprs shape;
  const Expr experts, all;
  const int64_t size; ///< rows of a group
  Value rows, flat, order, sizes, first, groups, firstGroup;
};

} // namespace

ExpertGroups groupedByExpert(OpBinder &op, Value chosen, const Expr &experts, int64_t rows) {
  return Grouping(op, chosen, experts, rows).run();
}

} // namespace cupola::onnx_import::microsoft

//===- lib/Import/Onnx/Ops/NonMaxSuppression.cpp - boxes that do not overlap ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Greedy, for all batches and classes at once: an iteration takes the best box of each that is left and drops those
// that overlap it. The loop ends when nothing is left. A processor takes one box after the other, by their scores, and
// looks whether one that was taken overlaps it (graph.host).
// (https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html)
//===----------------------------------------------------------------------===//
#include "dialects/Graph/ElementTypes.h"
#include "lib/Import/Onnx/LoopBody.h"
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/Sized.h"

#include <limits>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Top, left, bottom and right of boxes, and their area.
struct Boxes {
  Value edges[4], area;
};

class Suppression {
public:
  explicit Suppression(OpBinder &op) : op(op), b(op.b), i64(IntegerType::get(b.context(), 64)) {}

  void run() {
    readOperands();
    LoopBody body(op, {isCandidate}, {std::nullopt, most, Value()}, /*hasCondition=*/true);
    body.make([&](const Expr &, ArrayRef<Tensor> carried) { return takeBest(op.materialize(carried[0])); });
    const std::vector<Value> results = body.create();
    select(results[1], results[2]);
  }

private:
  //===--- Operands ---===//

  void readOperands() {
    op.requireFloat(0, "boxes");
    op.requireFloat(1, "scores");
    Value boxes = op.value(0, "boxes");
    scores = op.value(1, "scores");
    const Exprs of = b.shape(boxes), dims = b.shape(scores);
    if (of.size() != 3 || dims.size() != 3)
      op.bad("boxes and scores have the shapes " + shapeText(of) + " and " + shapeText(dims) +
             ", expected rank 3 each");
    b.sameExtent(of[0], dims[0], "batches of boxes and scores");
    b.sameExtent(of[1], dims[2], "numbers of boxes and scores");
    b.sameExtent(of[2], Expr(4), "the last extent of boxes and 4");
    all = readBoxes(boxes, op.intAttribute("center_point_box", 0) != 0);
    overlap = number(3, "iou_threshold");
    most = mostBoxes();
    isCandidate = candidates();
    for (Value value : {scores, overlap, all.edges[0], all.edges[1], all.edges[2], all.edges[3], all.area})
      captured.push_back(op.ofValue(value));
  }

  /// A float, 0 where it is missing.
  Value number(size_t index, StringRef name) {
    return op.has(index) ? b.cast(b.reshape(op.scalar(index, name), {}), b.element(scores)) : zero();
  }

  /// As many as there are boxes at most; none where the operand is missing.
  Value mostBoxes() {
    if (!op.has(2))
      return b.intScalar(0, i64);
    op.requireIndex(2, "max_output_boxes_per_class");
    Value most = b.cast(b.reshape(op.scalar(2, "max_output_boxes_per_class"), {}), i64);
    return b.binary(BinaryKind::Min, most, b.dims({b.shape(scores)[2]}, {}, i64));
  }

  /// [batch, classes, boxes] of bools.
  Value candidates() {
    const Exprs dims = b.shape(scores);
    if (op.has(4))
      return b.binary(BinaryKind::Greater, scores, number(4, "score_threshold"));
    return b.broadcast(b.intScalar(1, IntegerType::get(b.context(), 1), dims.size()), dims);
  }

  /// Each [batch, 1, boxes].
  Boxes readBoxes(Value boxes, bool hasCentres) {
    const Exprs dims = b.shape(boxes);
    const auto column = [&](int64_t i) {
      Value part = b.slice(boxes, {Expr(0), Expr(0), Expr(i)}, {1, 1, 1}, {dims[0], dims[1], Expr(1)});
      return b.cast(b.reshape(part, {dims[0], Expr(1), dims[1]}), b.element(scores));
    };
    Boxes result;
    for (int64_t axis = 0; axis < 2; ++axis) {
      Value first = column(axis), second = column(axis + 2);
      if (hasCentres) { // x, y, width, height
        Value half = b.binary(BinaryKind::Mul, second, b.scalar(0.5, b.element(scores)));
        second = b.binary(BinaryKind::Add, first, half);
        first = subtract(first, half);
      }
      result.edges[axis] = b.binary(BinaryKind::Min, first, second);
      result.edges[axis + 2] = b.binary(BinaryKind::Max, first, second);
    }
    result.area = areaOf(result);
    return result;
  }

  //===--- An iteration ---===//

  /// A value from around the loop: the scores, the threshold, then the boxes' edges and areas.
  Value here(size_t index) { return op.materialize(op.bodies().scopes.here(captured[index])); }

  /// Whether to go on, what is left, and of each class the box that was taken and whether there was one. Without boxes
  /// there is no iteration.
  std::vector<Tensor> takeBest(Value left) {
    Value own = here(0);
    const Exprs dims = b.shape(own), one{dims[0], dims[1], Expr(1)};
    Value least = b.scalar(-std::numeric_limits<double>::infinity(), b.element(own));
    Value place = b.argReduce(ReduceKind::Max, b.select(left, own, least), 2, /*last=*/false, /*isRead=*/false);
    Value isThere = anyOf(left, {2});
    const Boxes others = boxesHere();
    Boxes best;
    const auto pick = [&](Value value) { return b.gatherElements(b.broadcast(value, dims), place, 2, false); };
    for (int64_t i = 0; i < 4; ++i)
      best.edges[i] = pick(others.edges[i]);
    best.area = pick(others.area);
    Value isBest = b.binary(BinaryKind::Equal, b.iota({Expr(1), Expr(1), dims[2]}, 2), place);
    Value isDropped = b.binary(BinaryKind::Or, isBest, overlaps(others, best));
    Value next = b.binary(BinaryKind::And, left, b.unary(UnaryKind::Not, isDropped));
    std::vector<Tensor> outputs;
    for (Value value : {b.reshape(anyOf(next, {0, 1, 2}), {}), next, b.reshape(place, {dims[0], dims[1]}),
                        b.reshape(isThere, {dims[0], dims[1]})})
      outputs.push_back(op.ofValue(value));
    return outputs;
  }

  Boxes boxesHere() {
    Boxes result;
    for (size_t i = 0; i < 4; ++i)
      result.edges[i] = here(2 + i);
    result.area = here(6);
    return result;
  }

  /// [batch, classes, boxes]: whether what a box shares with the best one is too large a part of both.
  Value overlaps(const Boxes &boxes, const Boxes &best) {
    Boxes common;
    for (int64_t i = 0; i < 4; ++i)
      common.edges[i] = b.binary(i < 2 ? BinaryKind::Max : BinaryKind::Min, boxes.edges[i], best.edges[i]);
    Value shared = b.binary(BinaryKind::Mul, positive(subtract(common.edges[2], common.edges[0])),
                            positive(subtract(common.edges[3], common.edges[1])));
    Value both = subtract(b.binary(BinaryKind::Add, boxes.area, best.area), shared);
    // Boxes without an area share nothing with any.
    Value isShared = b.binary(BinaryKind::Greater, shared, zero());
    Value part = b.binary(BinaryKind::Div, shared, b.select(isShared, both, b.scalar(1, b.element(both))));
    return b.binary(BinaryKind::And, isShared, b.binary(BinaryKind::Greater, part, here(1)));
  }

  //===--- All iterations ---===//

  /// [selected, 3]: batch, class and box, in the order of both and of the iterations.
  void select(Value places, Value isThere) {
    const Exprs dims = b.shape(places); // [iterations, batch, classes]
    const Exprs order{dims[1], dims[2], dims[0]};
    const auto inOrder = [&](Value value) { return b.reshape(b.transpose(value, {1, 2, 0}), {graph::product(order)}); };
    Value flags = inOrder(isThere), picks = picksOfHost();
    const auto counted = [&] { return countOf(op, flags); };
    Value total = picks ? b.hostOr("box_pick_count", {}, {picks}, {}, i64, steps(), counted) : counted();
    const Expr count = readCount(op, total, "the number of selected boxes");
    const auto listed = [&] {
      Value chosen = placesOf(op, flags, count);
      const std::vector<Value> coordinates = coordinatesOf(op, chosen, order);
      Value box = b.gather(inOrder(places), chosen, 0, /*batchDims=*/0, /*isInRange=*/true);
      return b.concat({b.unsqueeze(coordinates[0], {1}), b.unsqueeze(coordinates[1], {1}), b.unsqueeze(box, {1})}, 1);
    };
    if (!picks)
      return op.result(listed());
    Value extents = b.dims(b.shape(picks), {3}, i64);
    op.result(b.hostOr("box_pick_list", {}, {picks, extents}, {count, Expr(3)}, i64, steps(), listed));
  }

  //===--- By the host ---===//

  /// Of the iterations that there are at most. A GPU's end far earlier: what they are at most is no reason to leave it.
  Expr steps() const {
    constexpr int64_t launches = 1024; ///< of an iteration, in steps
    const Exprs dims = b.shape(scores);
    return min(dims[2] * (graph::product(dims) + launches), Expr(int64_t(1) << 30));
  }

  /// [batch, classes, as many as may be taken]: the boxes in the order in which they are taken, then -1. Null for types
  /// that the host has no code for.
  Value picksOfHost() {
    const Type type = b.element(scores);
    if (!type.isF32())
      return {};
    const Exprs dims = b.shape(scores);
    const Known *known = op.has(2) ? op.known(2) : nullptr;
    const auto limit = known ? known->elements[0].intConstant() : std::nullopt;
    const Expr longest = simplify(limit ? min(dims[2], Expr(std::max<int64_t>(*limit, 0))) : dims[2], b.ranges());
    Value extents = b.dims({dims[0], dims[1], dims[2], longest}, {4}, i64);
    Value allowed = b.reshape(b.binary(BinaryKind::Max, most, b.intScalar(0, i64)), {Expr(1)});
    return b.host(
        "box_picks", {format::dtypeName(graph::dtypeOf(type))},
        {b.concat(all.edges, 1), scores, b.reshape(overlap, {Expr(1)}), isCandidate, b.concat({extents, allowed}, 0)},
        {dims[0], dims[1], longest}, i64, Value());
  }

  //===--- Short forms ---===//

  Value zero() { return b.scalar(0, b.element(scores)); }
  Value positive(Value value) { return b.binary(BinaryKind::Max, value, zero()); }
  Value subtract(Value x, Value y) { return b.binary(BinaryKind::Sub, x, y); }
  Value areaOf(const Boxes &boxes) {
    return b.binary(BinaryKind::Mul, subtract(boxes.edges[2], boxes.edges[0]),
                    subtract(boxes.edges[3], boxes.edges[1]));
  }
  Value anyOf(Value flags, ArrayRef<int64_t> axes) {
    const Type byte = IntegerType::get(b.context(), 8, IntegerType::Unsigned);
    return b.cast(b.reduce(ReduceKind::Max, b.cast(flags, byte), axes), IntegerType::get(b.context(), 1));
  }

  OpBinder &op;
  GraphBuilder &b;
  const Type i64;
  Boxes all;
  Value scores, overlap, most, isCandidate;
  std::vector<Tensor> captured;
};

} // namespace

void importNonMaxSuppression(OpBinder &op) { Suppression(op).run(); }

} // namespace cupola::onnx_import

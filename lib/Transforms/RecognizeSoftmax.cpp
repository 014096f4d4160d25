//===- lib/Transforms/RecognizeSoftmax.cpp - guarded and written-out softmax ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Match.h"
#include "lib/Transforms/Passes.h"

#include <limits>

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_RECOGNIZESOFTMAX
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using graph::BinaryKind;
using graph::UnaryKind;

/// The reduction that `value` is or repeats, if it is over one axis.
graph::ReduceOp rowReduction(Value value) {
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getInput();
  auto reduce = value.getDefiningOp<graph::ReduceOp>();
  return reduce && reduce.getAxes().size() == 1 ? reduce : nullptr;
}
graph::ReduceOp rowReduction(Value value, graph::ReduceKind kind) {
  auto reduce = rowReduction(value);
  return reduce && reduce.getKind() == kind ? reduce : nullptr;
}

/// What a truth value was before it was negated (`isNegated` changes then), cast to
/// integers and back, and repeated.
Value throughTruth(Value value, bool &isNegated) {
  for (;;) {
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) {
      value = broadcast.getInput();
      continue;
    }
    if (auto cast = value.getDefiningOp<graph::CastOp>(); cast && !isa<FloatType>(graph::elementOf(cast.getInput()))) {
      value = cast.getInput();
      continue;
    }
    Value positive = inputOf(value, UnaryKind::Not);
    for (Pair pair : operandsOf(value, BinaryKind::Equal))
      if (splatOf(pair.second) == 0.0 && isa<IntegerType>(graph::elementOf(pair.first)))
        positive = pair.first;
    if (!positive)
      return value;
    value = positive;
    isNegated = !isNegated;
  }
}

/// `condition`, or its contrary, = all(x == -inf) along `axis`: by the least of truth
/// values, or as none of the contrary by their largest or sum.
bool isHiddenRow(Value condition, bool isNegated, Value x, int64_t axis) {
  bool isContrary = false;
  auto reduce = rowReduction(throughTruth(condition, isNegated));
  if (!reduce || reduce.getAxes().front() != axis || isa<FloatType>(graph::elementOf(reduce.getInput())))
    return false;
  bool isLeast = reduce.getKind() == graph::ReduceKind::Min;
  if (isNegated == isLeast ||
      (!isLeast && reduce.getKind() != graph::ReduceKind::Max && reduce.getKind() != graph::ReduceKind::Sum))
    return false;
  Value element = throughTruth(reduce.getInput(), isContrary);
  for (Pair pair : operandsOf(element, BinaryKind::Equal))
    if (isSameButForCasts(pair.first, x) && splatOf(pair.second) == -std::numeric_limits<double>::infinity())
      return isContrary != isLeast;
  return false;
}

/// By them, or by casts between float types that nothing else reads.
bool isReadOnlyBy(Value value, ArrayRef<Operation *> readers) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    bool isCast = isa<graph::CastOp>(user) && isSameButForCasts(user->getResult(0), value);
    return llvm::is_contained(readers, user) || (isCast && isReadOnlyBy(user->getResult(0), readers));
  });
}

/// isnan(s) ? 0 : s, and all(x == -inf) ? 0 : s for s = softmax(x), also with the
/// condition negated.
LogicalResult recognizeGuardedSoftmax(graph::SelectOp op, PatternRewriter &rewriter) {
  Value condition = op.getCondition(), guarded = op.getRhs(), zero = op.getLhs();
  bool isNegated = splatOf(zero) != 0.0;
  if (isNegated)
    std::swap(guarded, zero);
  auto softmax = withoutCasts(guarded).getDefiningOp<graph::SoftmaxOp>();
  if (!softmax || softmax.getLog() || splatOf(zero) != 0.0)
    return failure();
  Value question = isNegated ? inputOf(condition, UnaryKind::Not) : condition;
  Value asked = question ? inputOf(question, UnaryKind::IsNaN) : Value();
  graph::SoftmaxGuard guard = graph::SoftmaxGuard::Hidden;
  if (asked && isSameButForCasts(asked, guarded))
    guard = graph::SoftmaxGuard::NaN;
  else if (!isHiddenRow(condition, isNegated, softmax.getInput(), softmax.getAxis()))
    return failure();
  if (!isReadOnlyBy(softmax.getResult(), {op, question ? question.getDefiningOp() : nullptr}))
    return failure();
  Value input = softmax.getInput();
  auto loc = locationOf(rewriter, op, {input});
  Value whole = graph::SoftmaxOp::create(rewriter, loc, input, softmax.getAxis(), guard, false);
  rewriter.replaceOp(op, castTo(rewriter, loc, whole, graph::elementOf(op.getResult())));
  return success();
}

/// x where value = x - max(x) along an axis.
struct Lowered {
  Value x;
  int64_t axis;
};
std::optional<Lowered> loweredOf(Value value) {
  for (Pair pair : operandsOf(value, BinaryKind::Sub)) {
    graph::ReduceOp max = rowReduction(pair.second, graph::ReduceKind::Max);
    if (max && max.getInput() == pair.first)
      return Lowered{pair.first, max.getAxes().front()};
  }
  return std::nullopt;
}

/// Numerators and divisors, also of products with a reciprocal.
SmallVector<Pair, 2> quotientsOf(graph::BinaryOp op) {
  SmallVector<Pair, 2> result = operandsOf(op.getResult(), BinaryKind::Div);
  for (Pair product : operandsOf(op.getResult(), BinaryKind::Mul)) {
    auto broadcast = product.second.getDefiningOp<graph::BroadcastOp>();
    if (Value divisor = broadcast ? inputOf(broadcast.getInput(), UnaryKind::Reciprocal) : Value())
      result.push_back({product.first, divisor});
  }
  return result;
}

/// sum = sum(exp(argument)), argument = x - max(x), along one axis.
std::optional<Lowered> summedBy(Value sum, Value argument) {
  auto reduce = rowReduction(sum, graph::ReduceKind::Sum);
  auto lowered = loweredOf(argument);
  if (reduce && lowered && reduce.getAxes().front() == lowered->axis &&
      inputOf(reduce.getInput(), UnaryKind::Exp) == argument)
    return lowered;
  return std::nullopt;
}

LogicalResult replace(PatternRewriter &rewriter, graph::BinaryOp op, const Lowered &lowered, bool log) {
  auto loc = locationOf(rewriter, op, {lowered.x});
  rewriter.replaceOp(op,
                     graph::SoftmaxOp::create(rewriter, loc, lowered.x, lowered.axis, graph::SoftmaxGuard::None, log));
  return success();
}

/// exp(x - max(x)) / sum(exp(x - max(x))), and the logarithm of it.
LogicalResult recognizeWrittenSoftmax(graph::BinaryOp op, PatternRewriter &rewriter) {
  for (Pair quotient : quotientsOf(op))
    if (Value argument = inputOf(quotient.first, UnaryKind::Exp))
      if (auto lowered = summedBy(quotient.second, argument))
        return replace(rewriter, op, *lowered, false);
  for (Pair difference : operandsOf(op.getResult(), BinaryKind::Sub)) {
    auto broadcast = difference.second.getDefiningOp<graph::BroadcastOp>();
    Value sum = broadcast ? inputOf(broadcast.getInput(), UnaryKind::Log) : Value();
    if (auto lowered = sum ? summedBy(sum, difference.first) : std::nullopt)
      return replace(rewriter, op, *lowered, true);
  }
  return failure();
}

class RecognizeSoftmax : public impl::RecognizeSoftmaxBase<RecognizeSoftmax> {
public:
  void runOnOperation() override {
    if (failed(rewriteAll(getOperation(), "the search for softmax", recognizeGuardedSoftmax, recognizeWrittenSoftmax)))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola

//===- lib/Transforms/RecognizeLayerNorm.cpp - written-out layer and RMS norm ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Norm.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace cupola {
#define GEN_PASS_DEF_RECOGNIZELAYERNORM
#include "lib/Transforms/Passes.h.inc"

namespace {
using namespace cupola::match;
using namespace cupola::norm;
using graph::BinaryKind;

/// What a norm is taken of, and how.
struct Norm {
  Value input;
  InverseRoot root;
  bool rms;
};

/// Builds what replaces `op`: the norm, then the factors and terms that are left.
class Replacement {
public:
  Replacement(PatternRewriter &rewriter, Operation *op, const Norm &norm, ArrayRef<Value> left)
      : b(rewriter), type(graph::typeOf(op->getResult(0))), norm(norm) {
    SmallVector<Value> stop{norm.input, withoutCasts(norm.input)};
    stop.append(left.begin(), left.end());
    loc = locationOf(rewriter, op, stop);
  }

  /// In the wider of the types of input and result: half precision is what the norm
  /// reads and writes, never what it sums up in.
  Value normalized() {
    Type of = graph::elementOf(norm.input), to = type.getElementType();
    Value input = castTo(b, loc, norm.input, of.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth() ? of : to);
    Value result = graph::LayerNormOp::create(b, loc, input, norm.root.axes, APFloat(norm.root.epsilon), norm.rms);
    return castTo(b, loc, result, to);
  }

  Value times(Value value, Value factor) { return combine(BinaryKind::Mul, value, factor); }
  Value combine(BinaryKind kind, Value value, Value other) {
    other = castTo(b, loc, other, type.getElementType());
    if (other.getType() != type)
      other = graph::BroadcastOp::create(b, loc, type, other);
    return graph::BinaryOp::create(b, loc, kind, value, other);
  }

private:
  PatternRewriter &b;
  RankedTensorType type;
  Location loc = UnknownLoc::get(b.getContext());
  Norm norm;
};

std::optional<Norm> normOf(Value factor, const InverseRoot &root) {
  auto centred = centredOf(factor, root.axes);
  if (centred && !centred->isNegative && root.centre && isSameButForCasts(centred->x, root.centre))
    return Norm{centred->x, root, false};
  if (root.y && isSameButForCasts(factor, root.y))
    return Norm{factor, root, true};
  return std::nullopt;
}

/// d / sqrt(mean(d^2) + epsilon), where d may be x - mean(x), times anything.
LogicalResult recognizeNormProduct(graph::BinaryOp op, PatternRewriter &rewriter) {
  if (op.getKind() != BinaryKind::Mul && op.getKind() != BinaryKind::Div)
    return failure();
  Parts product = partsOf(op.getResult());
  if (product.roots.size() != 1 || product.isNegative)
    return failure();
  for (size_t i = 0; i < product.factors.size(); ++i) {
    auto norm = normOf(product.factors[i], product.roots.front());
    if (!norm || graph::shapeOf(norm->input) != graph::shapeOf(op.getResult()))
      continue;
    SmallVector<Value> left = product.factors;
    left.erase(left.begin() + i);
    Replacement replacement(rewriter, op, *norm, left);
    Value value = replacement.normalized();
    for (Value factor : left)
      value = replacement.times(value, factor);
    rewriter.replaceOp(op, value);
    return success();
  }
  return failure();
}

struct Term {
  Value value;
  bool isNegative;
  Parts product;
};

void collect(Value value, bool isNegative, unsigned depth, SmallVectorImpl<Term> &terms) {
  constexpr unsigned maxDepth = 2;
  auto op = rowsOf(value).getDefiningOp<graph::BinaryOp>();
  if (op && (op.getKind() == BinaryKind::Add || op.getKind() == BinaryKind::Sub) && depth < maxDepth) {
    collect(op.getLhs(), isNegative, depth + 1, terms);
    return collect(op.getRhs(), isNegative != (op.getKind() == BinaryKind::Sub), depth + 1, terms);
  }
  terms.push_back({value, isNegative, partsOf(value)});
}

/// Both products, of which the second has x in place of its mean, have the same factors.
bool areSame(ArrayRef<Value> factors, SmallVector<Value> others, Value x) {
  int64_t centres = 0;
  for (Value factor : factors) {
    auto *same = llvm::find_if(others, [&](Value other) { return rowsOf(other) == rowsOf(factor); });
    if (same == others.end())
      return false;
    others.erase(same);
    centres += isSameButForCasts(factor, x);
  }
  return others.empty() && centres == 1;
}

/// Where the terms are x * s and -mean(x) * s: the norm, whose factors beside x are
/// those of `term`.
std::optional<Norm> normOf(const Term &term, const Term &negative) {
  const Parts &product = term.product, &shift = negative.product;
  if (product.roots.size() != 1 || shift.roots.size() != 1 || term.isNegative != product.isNegative ||
      negative.isNegative == shift.isNegative)
    return std::nullopt;
  const InverseRoot &root = product.roots.front(), &other = shift.roots.front();
  if (!root.centre || !(root == other))
    return std::nullopt;
  SmallVector<Value> left;
  for (Value factor : shift.factors) {
    auto mean = meanOf(factor);
    if (mean && mean->axes == root.axes && isSameButForCasts(mean->input, root.centre))
      left.push_back(mean->input);
    else
      left.push_back(factor);
  }
  return areSame(product.factors, left, root.centre) ? std::optional(Norm{root.centre, root, false}) : std::nullopt;
}

Value rebuilt(PatternRewriter &rewriter, Operation *op, const Norm &norm, ArrayRef<Term> terms, size_t i, size_t j) {
  SmallVector<Value> factors, left;
  for (Value factor : terms[i].product.factors)
    if (!isSameButForCasts(factor, norm.input))
      factors.push_back(factor);
  left = factors;
  for (size_t k = 0; k < terms.size(); ++k)
    if (k != i && k != j)
      left.push_back(terms[k].value);
  Replacement replacement(rewriter, op, norm, left);
  Value value = replacement.normalized();
  for (Value factor : factors)
    value = replacement.times(value, factor);
  for (size_t k = 0; k < terms.size(); ++k)
    if (k != i && k != j)
      value = replacement.combine(terms[k].isNegative ? BinaryKind::Sub : BinaryKind::Add, value, terms[k].value);
  return value;
}

/// x * s + (.. - mean(x) * s) where s = 1 / sqrt(variance(x) + epsilon), times anything.
LogicalResult recognizeNormSum(graph::BinaryOp op, PatternRewriter &rewriter) {
  SmallVector<Term> terms;
  collect(op.getResult(), false, 0, terms);
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t j = 0; j < terms.size(); ++j)
      if (auto norm = normOf(terms[i], terms[j]);
          norm && graph::shapeOf(norm->input) == graph::shapeOf(op.getResult())) {
        rewriter.replaceOp(op, rebuilt(rewriter, op, *norm, terms, i, j));
        return success();
      }
  return failure();
}

class RecognizeLayerNorm : public impl::RecognizeLayerNormBase<RecognizeLayerNorm> {
public:
  void runOnOperation() override {
    if (failed(rewriteAll(getOperation(), "the search for norms", recognizeNormProduct, recognizeNormSum)))
      signalPassFailure();
  }
};

} // namespace
} // namespace cupola

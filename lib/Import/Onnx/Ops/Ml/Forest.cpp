//===- lib/Import/Onnx/Ops/Ml/Forest.cpp - every tree for every row at once ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The state is the record at which each row stands in each tree, [blocks, rows, trees]. A step reads it, compares, and
// goes on to the next one: no branch, so that a walk is one kernel, and nothing to check, for where records lead is
// known here. There are as many steps as the deepest of about equally deep trees has levels.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ml/ForestBlocks.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace cupola::onnx_import::ml {
namespace {

/// A bound on the kernels' length; trees of libraries have up to a few dozen levels.
constexpr int64_t kMaxDepth = 256;

/// Beside the number of the feature: the comparison is one of the negated value; it is ==; NaN makes it hold.
constexpr int64_t kNegated = 1 << 30, kEquality = 1 << 29, kNanHolds = 1 << 28;
constexpr int64_t kFeatures = kNanHolds - 1;
constexpr int64_t kRecordBytes = 16; ///< of either form of Records, which lies in one line of a cache

/// A record per place, in words of as many bits as a split: the split, the feature, the record that follows. Of 64
/// bits, the feature is the lower half of a word and what follows the upper one.
struct Records {
  Value words;        ///< [stride * places], integers
  int64_t stride = 0; ///< a record is called by its first word
  bool anyNegated = false, anyEquality = false, anyNanHolds = false;
};

int64_t featureWord(const Forest::Node &node) {
  return node.feature | (node.isNegated ? kNegated : 0) | (node.isEqual ? kEquality : 0) |
         (node.nanHolds ? kNanHolds : 0);
}

template <class Word, class Float> Records recordsOf(OpBinder &op, const ForestPlaces &forest) {
  constexpr bool isPaired = sizeof(Word) == 8;
  Records records;
  records.stride = kRecordBytes / sizeof(Word);
  std::vector<Word> words;
  for (const ForestPlaces::Place &place : forest.places) {
    const int64_t feature = featureWord(place.node), next = records.stride * place.next;
    const auto split = llvm::bit_cast<Word>(static_cast<Float>(place.node.split));
    if constexpr (isPaired)
      words.insert(words.end(), {split, feature | next << 32});
    else
      words.insert(words.end(), {split, static_cast<Word>(feature), static_cast<Word>(next), 0});
    records.anyNegated |= place.node.isNegated;
    records.anyEquality |= place.node.isEqual;
    records.anyNanHolds |= place.node.nanHolds;
  }
  const Type element = IntegerType::get(op.b.context(), 8 * sizeof(Word));
  records.words = op.b.constant(DenseElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(words.size())}, element), ArrayRef<Word>(words)));
  return records;
}

/// From the records at which the rows stand to the next ones.
class Step {
public:
  Step(OpBinder &op, const Records &records, Value x)
      : b(op.b), records(records), x(x), isPaired(b.element(x).isF64()) {}

  Value next(Value at) {
    Value feature = word(at, 1), following = isPaired ? upperHalf(feature) : word(at, 2);
    Value holds = compare(valueOf(feature), b.bitcast(word(at, 0), b.element(x)), feature);
    return b.binary(BinaryKind::Add, following, b.select(holds, number(records.stride), number(0)));
  }

private:
  Value number(int64_t value) { return b.intScalar(value, b.element(records.words)); }
  Value word(Value at, int64_t which) {
    Value place = which == 0 ? at : b.binary(BinaryKind::Add, at, number(which));
    return b.gather(records.words, place, 0, 0, /*isInRange=*/true);
  }
  Value upperHalf(Value word) {
    const Type type = b.element(word), bits = IntegerType::get(b.context(), 64, IntegerType::Unsigned);
    return b.bitcast(b.binary(BinaryKind::ShiftRight, b.bitcast(word, bits), b.intScalar(32, bits)), type);
  }
  Value hasFlag(Value feature, int64_t flag) {
    return b.binary(BinaryKind::Equal, b.binary(BinaryKind::BitwiseAnd, feature, number(flag)), number(flag));
  }

  Value valueOf(Value feature) {
    const bool isAlone = !isPaired && !records.anyNegated && !records.anyEquality;
    Value place = isAlone ? feature : b.binary(BinaryKind::BitwiseAnd, feature, number(kFeatures));
    const auto features = static_cast<int64_t>(b.shape(x).size()) - 1;
    Value value = b.gather(x, place, features, features, /*isInRange=*/true);
    return records.anyNegated ? b.select(hasFlag(feature, kNegated), b.unary(UnaryKind::Neg, value), value) : value;
  }

  Value compare(Value value, Value split, Value feature) {
    Value holds = b.binary(BinaryKind::LessEqual, value, split);
    if (records.anyEquality)
      holds = b.select(hasFlag(feature, kEquality), b.binary(BinaryKind::Equal, value, split), holds);
    if (records.anyNanHolds)
      holds = b.select(b.unary(UnaryKind::IsNaN, value), hasFlag(feature, kNanHolds), holds);
    return holds;
  }

  GraphBuilder &b;
  const Records &records;
  Value x;
  const bool isPaired;
};

/// [blocks, rows, trees]: the places of the leaves that are found.
Value leavesOf(OpBinder &op, const ForestGroup &group, const Records &records, Value x) {
  const Type word = op.b.element(records.words);
  const graph::Exprs shape = op.b.shape(x);
  const Expr blocks(static_cast<int64_t>(group.roots.size()) / group.size), trees(group.size);
  Value at = op.b.reshape(list(op, group.roots), {blocks, Expr(1), trees});
  at = op.b.cast(op.b.broadcast(at, {blocks, shape[0], trees}), word);
  at = op.b.binary(BinaryKind::Mul, at, op.b.intScalar(records.stride, word));
  Step step(op, records, op.b.broadcast(op.b.unsqueeze(x, {0}), {blocks, shape[0], shape[1]}));
  for (int64_t i = 0; i < group.levels; ++i)
    at = step.next(at);
  return op.b.binary(BinaryKind::Div, at, op.b.intScalar(records.stride, word));
}

/// [places, targets], or [places] of blocks by target: what a leaf adds. `least`: what an empty tree does.
Value weightTable(OpBinder &op, const Forest &forest, const ForestPlaces &places, const ForestBlocks &blocks, Type type,
                  double least) {
  const auto count = static_cast<int64_t>(places.places.size());
  const int64_t columns = blocks.areByTarget ? 1 : forest.targets;
  if (count > std::numeric_limits<int32_t>::max() / 4 / columns)
    op.unsupported("the trees have " + std::to_string(count) + " nodes and " + std::to_string(forest.targets) +
                   " targets, supported are 2^29 weights");
  std::vector<int64_t> placeOf(forest.nodes.size(), 0);
  for (auto [i, place] : llvm::enumerate(places.places))
    if (place.origin >= 0)
      placeOf[place.origin] = static_cast<int64_t>(i);
  std::vector<double> values(count * columns);
  for (const Forest::Weight &weight : forest.weights)
    values[placeOf[weight.leaf] * columns + (blocks.areByTarget ? 0 : weight.target)] += weight.value;
  if (blocks.empty >= 0)
    std::fill_n(values.begin() + blocks.empty * columns, columns, least);
  return table(op, values, blocks.areByTarget ? Ints{count} : Ints{count, columns}, type);
}

/// [rows, targets]: of the sums of blocks, [blocks, rows], each those of its target.
Value byTarget(OpBinder &op, const Forest &forest, const ForestGroup &group, Value sums) {
  std::vector<double> isOf(group.targets.size() * forest.targets);
  for (auto [block, target] : llvm::enumerate(group.targets))
    isOf[block * forest.targets + target] = 1;
  const Ints shape{static_cast<int64_t>(group.targets.size()), forest.targets};
  return op.b.matmul(op.b.transpose(sums, {1, 0}), table(op, isOf, shape, op.b.element(sums)));
}

/// A least or a greatest weight of no weight at all would be infinite.
void requireWeights(OpBinder &op, const Forest &forest) {
  std::vector<bool> isSet(forest.nodes.size() * forest.targets);
  for (const Forest::Weight &weight : forest.weights)
    isSet[weight.leaf * forest.targets + weight.target] = true;
  for (int64_t node = 0; node < static_cast<int64_t>(forest.nodes.size()); ++node)
    for (int64_t target = 0; target < forest.targets; ++target)
      if (forest.isLeaf(node) && !isSet[node * forest.targets + target])
        op.unsupported("a leaf has no weight for target " + std::to_string(target) +
                       ", with MIN or MAX supported are leaves with a weight for each target");
}

} // namespace

/// The number before a split, in the type that it is compared in.
static double before(double number, bool isFloat64) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  return isFloat64 ? std::nextafter(number, -infinity)
                   : std::nextafterf(static_cast<float>(number), -static_cast<float>(infinity));
}

Forest::Node Forest::inner(Compare compare, int64_t feature, double split, bool missingHolds, int64_t onTrue,
                           int64_t onFalse) const {
  const bool opposite = compare == Compare::GreaterEqual || compare == Compare::Greater || compare == Compare::NotEqual;
  Node node{false, false, missingHolds, feature, split, onTrue, onFalse};
  if (opposite) {
    std::swap(node.holds, node.fails);
    // NaN is not greater than anything, but it is not equal to anything either.
    node.nanHolds = compare != Compare::NotEqual && !missingHolds;
  }
  node.isEqual = compare == Compare::Equal || compare == Compare::NotEqual;
  constexpr double never = std::numeric_limits<double>::quiet_NaN();
  // x < split where x <= the number before it; nothing is before -inf.
  if (compare == Compare::Less || compare == Compare::GreaterEqual)
    node.split = before(split, isFloat64) == split ? never : before(split, isFloat64);
  // x > split where -x <= the number before -split, which NaN fails: so NaN goes where x <= split fails.
  if (!node.isEqual && node.nanHolds) {
    std::swap(node.holds, node.fails);
    node.isNegated = true, node.nanHolds = false;
    node.split = std::isnan(node.split) ? std::numeric_limits<double>::infinity() : before(-node.split, isFloat64);
  }
  return node;
}

static void checkForest(OpBinder &op, const Forest &forest, const ForestPlaces &places, Value x) {
  if (forest.roots.empty())
    op.bad("there is no tree, expected one or more");
  if (places.depths[0] > kMaxDepth)
    op.unsupported("a tree has " + std::to_string(places.depths[0]) + " levels, supported are " +
                   std::to_string(kMaxDepth));
  int64_t features = 0;
  for (const Forest::Node &node : forest.nodes)
    features = std::max(features, node.feature + 1);
  if (features > kFeatures)
    op.unsupported("the trees look at feature " + std::to_string(features - 1) + ", supported are numbers below 2^28");
  op.b.atMost(Expr(features), op.b.shape(x)[1], "the features that the trees look at, and those of input 0 (X)");
}

Value scoresOf(OpBinder &op, const Forest &forest, Aggregate aggregate, Value x) {
  ForestPlaces places = placesOf(op, forest);
  checkForest(op, forest, places, x);
  const bool isMin = aggregate == Aggregate::Min, isMax = aggregate == Aggregate::Max;
  if (isMin || isMax)
    requireWeights(op, forest);
  const Type type = op.b.element(x);
  const ForestBlocks blocks = blocksOf(forest, places, kRecordBytes);
  const Records records = type.isF64() ? recordsOf<int64_t, double>(op, places) : recordsOf<int32_t, float>(op, places);
  const Value weights = weightTable(op, forest, places, blocks, type, isMin ? INFINITY : isMax ? -INFINITY : 0);
  const ReduceKind kind = isMin ? ReduceKind::Min : isMax ? ReduceKind::Max : ReduceKind::Sum;
  const BinaryKind join = isMin ? BinaryKind::Min : isMax ? BinaryKind::Max : BinaryKind::Add;
  const auto reduced = [&](Value value, int64_t axis) {
    return op.b.squeeze(op.b.reduce(kind, value, {axis}), {axis});
  };
  Value scores;
  for (const ForestGroup &group : blocks.groups) {
    Value found = op.b.gather(weights, leavesOf(op, group, records, x), 0, 0, /*isInRange=*/true);
    Value sums = reduced(found, 2); // [blocks, rows], also of targets
    sums = blocks.areByTarget ? byTarget(op, forest, group, sums) : reduced(sums, 0);
    scores = scores ? op.b.binary(join, scores, sums) : sums;
  }
  return aggregate == Aggregate::Average
             ? op.b.binary(BinaryKind::Div, scores, op.b.scalar(static_cast<double>(places.roots.size()), type))
             : scores;
}

} // namespace cupola::onnx_import::ml

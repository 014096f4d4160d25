//===- lib/Import/Onnx/Ops/TfIdfVectorizer.cpp - counts of n-grams ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Of numbers, which strings are, too. All grams of a length are compared with all places of a row at once. Weights are
// those of grams, as ONNX's text and onnxruntime say; onnx's reference takes them for those of columns.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/Text.h"

#include <map>

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// Keeps lists of one entry per column, and terms per distance, small beside the model.
constexpr int64_t mostColumns = int64_t(1) << 24, mostSkips = 64;

/// The grams of one length and their numbers in the pool.
struct Grams {
  int64_t length;
  std::map<std::vector<int64_t>, size_t> numbers; ///< of two equal ones the last counts
};

struct Vocabulary {
  std::vector<Grams> grams;
  int64_t columns = 0, skips = 0;
  Ints columnOf; ///< of each gram of the pool
  std::string mode;
  std::vector<double> weights; ///< of columns; empty: all 1
};

/// Numbers, or the numbers of strings.
Ints poolOf(OpBinder &op) {
  if (!isString(op.element(0, "X")))
    return op.requiredInts("pool_int64s");
  const auto texts = op.stringsAttribute("pool_strings");
  if (!texts)
    op.bad("attribute 'pool_strings' is missing, expected a list of strings");
  Ints pool;
  for (const std::string &text : *texts)
    pool.push_back(op.b.strings().of(text));
  return pool;
}

/// The lengths that are asked for; entry i of ngram_counts is where grams of i + 1 numbers begin in the pool.
void readGrams(OpBinder &op, Vocabulary &vocabulary) {
  const Ints begins = op.requiredInts("ngram_counts"), pool = poolOf(op), indexes = op.requiredInts("ngram_indexes");
  const int64_t least = op.requiredInt("min_gram_length"), most = op.requiredInt("max_gram_length");
  if (least < 1 || most < least)
    op.bad("min_gram_length is " + std::to_string(least) + " and max_gram_length " + std::to_string(most) +
           ", expected 1 or more and no less than that");
  const auto all = static_cast<int64_t>(pool.size());
  size_t next = 0; // of ngram_indexes
  for (size_t i = 0; i < begins.size(); ++i) {
    const auto length = static_cast<int64_t>(i + 1);
    const int64_t begin = begins[i], end = i + 1 < begins.size() ? begins[i + 1] : all;
    if (begin < 0 || begin > end || end > all || (end - begin) % length != 0)
      op.bad("attribute 'ngram_counts' gives grams of " + std::to_string(length) + " the entries " +
             std::to_string(begin) + " to " + std::to_string(end) + " of a pool of " + std::to_string(all) +
             ", expected whole grams inside of it");
    Grams grams{length, {}};
    for (int64_t at = begin; at < end; at += length, ++next)
      if (next < indexes.size() && length >= least && length <= most)
        grams.numbers[{pool.begin() + at, pool.begin() + at + length}] = next;
    if (!grams.numbers.empty())
      vocabulary.grams.push_back(std::move(grams));
  }
  if (indexes.empty() || next != indexes.size() || *llvm::min_element(indexes) < 0)
    op.bad("attribute 'ngram_indexes' has " + std::to_string(indexes.size()) +
           " entries, expected one column for each of " + std::to_string(next) + " grams");
  if (*llvm::max_element(indexes) >= mostColumns)
    op.unsupported("the result has " + std::to_string(*llvm::max_element(indexes)) +
                   " columns and one, supported are " + std::to_string(mostColumns));
  vocabulary.columns = *llvm::max_element(indexes) + 1;
  vocabulary.columnOf = indexes;
}

void readWeights(OpBinder &op, Vocabulary &vocabulary) {
  const auto given = op.floatsAttribute("weights");
  if (!given || given->empty())
    return;
  const Ints &columnOf = vocabulary.columnOf;
  if (given->size() != columnOf.size())
    op.bad("attribute 'weights' has " + std::to_string(given->size()) + " entries, expected one for each of " +
           std::to_string(columnOf.size()) + " grams");
  vocabulary.weights.assign(vocabulary.columns, 1);
  std::vector<bool> isKnown(vocabulary.columns, false);
  for (auto [column, weight] : llvm::zip_equal(columnOf, *given)) {
    if (isKnown[column] && vocabulary.weights[column] != weight)
      op.unsupported("attribute 'ngram_indexes' gives column " + std::to_string(column) +
                     " grams of different weights, supported is one weight per column");
    isKnown[column] = true;
    vocabulary.weights[column] = weight;
  }
}

Vocabulary readVocabulary(OpBinder &op) {
  Vocabulary v;
  readGrams(op, v);
  v.skips = op.requiredInt("max_skip_count");
  if (v.skips < 0 || v.skips > mostSkips)
    op.unsupported("max_skip_count is " + std::to_string(v.skips) + ", supported is 0 to " + std::to_string(mostSkips));
  v.mode = op.stringAttribute("mode", "");
  if (v.mode != "TF" && v.mode != "IDF" && v.mode != "TFIDF")
    op.bad("attribute 'mode' is '" + printable(v.mode) + "', expected TF, IDF or TFIDF");
  readWeights(op, v);
  return v;
}

Value constantInts(OpBinder &op, const Ints &values, ArrayRef<int64_t> shape) {
  return op.b.constant(DenseElementsAttr::get(RankedTensorType::get(shape, op.b.int64()), ArrayRef<int64_t>(values)));
}

/// [rows, grams]: how often each gram stands in `text`, [rows, length], with its numbers `distance` apart. Null: never.
Value countGrams(OpBinder &op, Value text, const Grams &grams, int64_t distance) {
  const Exprs shape = op.b.shape(text);
  const Expr places = simplify(max(Expr(0), shape[1] - Expr((grams.length - 1) * distance)), op.b.ranges());
  if (places.isConstant(0))
    return Value();
  const auto count = static_cast<int64_t>(grams.numbers.size());
  Value hits;
  for (int64_t i = 0; i < grams.length; ++i) {
    Ints wanted;
    for (const auto &[gram, number] : grams.numbers)
      wanted.push_back(gram[i]);
    Value found = op.b.slice(text, {Expr(0), Expr(i * distance)}, {1, 1}, {shape[0], places});
    Value isEqual = op.b.binary(BinaryKind::Equal, op.b.unsqueeze(found, {1}), constantInts(op, wanted, {1, count, 1}));
    hits = hits ? op.b.binary(BinaryKind::And, hits, isEqual) : isEqual;
  }
  return op.b.squeeze(op.b.reduce(ReduceKind::Sum, op.b.cast(hits, op.b.int64()), {2}), {2});
}

/// Columns of the result, [rows, columns], of counts of grams that have these `targets`.
Value intoColumns(OpBinder &op, Value counts, const Ints &targets, int64_t columns) {
  const Exprs shape = op.b.shape(counts);
  const auto grams = static_cast<int64_t>(targets.size());
  Value padded = op.b.pad(counts, {Expr(0), Expr(0)}, {Expr(0), Expr(1)}, graph::PadMode::Constant,
                          Builder(op.b.context()).getI64IntegerAttr(0));
  std::vector<Ints> rounds; // several grams may share a column
  std::vector<size_t> used(columns, 0);
  for (int64_t gram = 0; gram < grams; ++gram) {
    const size_t round = used[targets[gram]]++;
    if (round == rounds.size())
      rounds.push_back(Ints(columns, grams)); // the padding
    rounds[round][targets[gram]] = gram;
  }
  Value sum;
  for (const Ints &round : rounds) {
    Value part = op.b.gather(padded, constantInts(op, round, {columns}), 1);
    sum = sum ? op.b.binary(BinaryKind::Add, sum, part) : part;
  }
  return sum;
}

/// [rows, columns], int64.
Value countColumns(OpBinder &op, Value text, const Vocabulary &vocabulary) {
  std::vector<Value> counts;
  Ints targets;
  for (const Grams &grams : vocabulary.grams) {
    Value sum;
    for (int64_t distance = 1; distance <= (grams.length == 1 ? 1 : vocabulary.skips + 1); ++distance)
      if (Value part = countGrams(op, text, grams, distance))
        sum = sum ? op.b.binary(BinaryKind::Add, sum, part) : part;
    if (!sum)
      continue;
    counts.push_back(sum);
    for (const auto &[gram, number] : grams.numbers)
      targets.push_back(vocabulary.columnOf[number]);
  }
  if (counts.empty())
    return op.b.broadcast(op.b.intScalar(0, op.b.int64()), {op.b.shape(text)[0], Expr(vocabulary.columns)});
  return intoColumns(op, op.b.concat(counts, 1), targets, vocabulary.columns);
}

Value weighted(OpBinder &op, Value counts, const Vocabulary &vocabulary) {
  const Type f32 = Float32Type::get(op.b.context());
  Value numbers = op.b.cast(counts, f32);
  if (vocabulary.mode == "IDF")
    numbers = op.b.cast(op.b.binary(BinaryKind::Greater, counts, op.b.intScalar(0, op.b.int64())), f32);
  if (vocabulary.mode == "TF" || vocabulary.weights.empty())
    return numbers;
  SmallVector<float> weights;
  for (int64_t i = 0; i < vocabulary.columns; ++i)
    weights.push_back(static_cast<float>(vocabulary.weights[i]));
  const auto type = RankedTensorType::get({1, vocabulary.columns}, f32);
  return op.b.binary(BinaryKind::Mul, numbers, op.b.constant(DenseElementsAttr::get(type, ArrayRef<float>(weights))));
}

} // namespace

void importTfIdfVectorizer(OpBinder &op) {
  if (!isString(op.element(0, "X")))
    op.requireIndex(0, "X");
  const Exprs shape = op.shape(0, "X");
  if (shape.empty() || shape.size() > 2)
    op.bad("input 0 (X) has the shape " + shapeText(shape) + ", expected rank 1 or 2");
  const Vocabulary vocabulary = readVocabulary(op);
  Value text = op.b.withRank(op.b.cast(op.value(0, "X"), op.b.int64()), 2);
  Value result = weighted(op, countColumns(op, text, vocabulary), vocabulary);
  op.result(shape.size() == 1 ? op.b.squeeze(result, {0}) : result);
}

} // namespace cupola::onnx_import

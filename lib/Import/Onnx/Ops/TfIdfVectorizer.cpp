//===- lib/Import/Onnx/Ops/TfIdfVectorizer.cpp - counts of n-grams ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Of numbers, which strings are, too. The gram that begins at a place is found number by number: each beginning of a
// gram has a number of its own, and so has each pair of one and what follows it. Weights are those of grams, as ONNX's
// text and onnxruntime say; onnx's reference takes them for those of columns.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"
#include "lib/Import/Onnx/SortedKeys.h"
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

/// Finds grams of one length in `text`, [rows, length].
class GramFinder {
public:
  GramFinder(OpBinder &op, Value text, const Vocabulary &vocabulary, const Grams &grams)
      : op(op), length(grams.length), rows(op.b.shape(text)[0]), places(op.b.shape(text)[1]) {
    std::map<int64_t, int64_t> numbers; // of words
    for (const auto &[gram, number] : grams.numbers)
      for (int64_t word : gram)
        numbers.try_emplace(word, static_cast<int64_t>(numbers.size()));
    count = static_cast<int64_t>(numbers.size());
    words = valueOf(op, numbers, /*otherwise=*/-1, text);
    readSteps(vocabulary, grams, numbers);
  }

  /// The column of the gram that begins at each place, with its numbers `distance` apart, or -1: [rows, places]. Null:
  /// there is no place for one.
  Value columnsAt(int64_t distance) const {
    const Expr begins = simplify(max(Expr(0), places - Expr((length - 1) * distance)), op.b.ranges());
    if (begins.isConstant(0))
      return Value();
    Value found; // the number of what begins at each place
    for (int64_t i = 0; i < length; ++i)
      found = valueOf(op, steps[i], /*otherwise=*/-1,
                      pairOf(found, op.b.slice(words, {Expr(0), Expr(i * distance)}, {1, 1}, {rows, begins})));
    return found;
  }

private:
  void readSteps(const Vocabulary &vocabulary, const Grams &grams, const std::map<int64_t, int64_t> &numbers) {
    std::map<std::vector<int64_t>, int64_t> beginnings{{{}, 0}};
    for (int64_t i = 0; i < length; ++i) {
      std::map<std::vector<int64_t>, int64_t> longer;
      std::map<int64_t, int64_t> &step = steps.emplace_back();
      for (const auto &[gram, number] : grams.numbers) {
        const std::vector<int64_t> begin(gram.begin(), gram.begin() + i), end(gram.begin(), gram.begin() + i + 1);
        const int64_t next = longer.try_emplace(end, static_cast<int64_t>(longer.size())).first->second;
        const bool isWhole = i + 1 == length;
        step[beginnings.at(begin) * count + numbers.at(gram[i])] = isWhole ? vocabulary.columnOf[number] : next;
      }
      beginnings = std::move(longer);
    }
  }

  /// Of what is no word, or begins no gram, there is none.
  Value pairOf(Value begin, Value word) const {
    const Value none = op.b.intScalar(-1, op.b.int64()), zero = op.b.intScalar(0, op.b.int64());
    Value pair = word;
    if (begin)
      pair = op.b.binary(BinaryKind::Add, op.b.binary(BinaryKind::Mul, begin, op.b.integer(count)), word);
    for (const Value part : {word, begin})
      if (part)
        pair = op.b.select(op.b.binary(BinaryKind::Less, part, zero), none, pair);
    return pair;
  }

  OpBinder &op;
  const int64_t length;
  const Expr rows, places;
  int64_t count = 0; ///< of words
  Value words;       ///< their numbers, or -1, as in the text
  /// By the number of a beginning and that of the next word: the number of both, and at last the column.
  std::vector<std::map<int64_t, int64_t>> steps;
};

/// [rows, columns], int64.
Value countColumns(OpBinder &op, Value text, const Vocabulary &vocabulary) {
  std::vector<Value> found;
  for (const Grams &grams : vocabulary.grams) {
    const GramFinder finder(op, text, vocabulary, grams);
    for (int64_t distance = 1; distance <= (grams.length == 1 ? 1 : vocabulary.skips + 1); ++distance)
      if (const Value columns = finder.columnsAt(distance))
        found.push_back(columns);
  }
  const Expr rows = op.b.shape(text)[0], columns(vocabulary.columns);
  const auto everywhere = [&](int64_t value, const Exprs &shape) {
    return op.b.broadcast(op.b.intScalar(value, op.b.int64()), shape);
  };
  if (found.empty())
    return everywhere(0, {rows, columns});
  const Value all = op.b.concat(found, 1);
  const Expr places = op.b.shape(all)[1];
  const auto byOps = [&] {
    const Value isColumn =
        op.b.binary(BinaryKind::Equal, op.b.unsqueeze(all, {1}), op.b.iota({Expr(1), columns, Expr(1)}, 1));
    return op.b.squeeze(op.b.reduce(ReduceKind::Sum, op.b.cast(isColumn, op.b.int64()), {2}), {2});
  };
  const Value extents = op.b.dims({rows, places, Expr(1), columns}, {4}, op.b.int64());
  return op.b.hostOr("scatter_reduce", {"i64", "add"},
                     {everywhere(0, {rows, columns}), all, everywhere(1, {rows, places}), extents}, {rows, columns},
                     op.b.int64(), rows * columns * places, byOps);
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

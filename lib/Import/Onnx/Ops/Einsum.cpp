//===- lib/Import/Onnx/Ops/Einsum.cpp - sums of products by labels ---------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Text.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

/// A tensor whose dimensions have labels. Letters are labels; the dimensions that
/// "..." stands for get labels of their own, which no letter is.
struct Labelled {
  Value value;
  std::string labels;
};

/// "bhqd, bhkd -> bhqk" as terms without blanks.
struct Equation {
  std::vector<std::string> terms;
  std::string result;
  bool hasResult = false;
};

Equation parseEquation(OpBinder &op) {
  Equation equation;
  std::string text;
  for (char c : op.stringAttribute("equation", ""))
    if (c != ' ')
      text += c;
  if (const size_t arrow = text.find("->"); arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
    equation.hasResult = true;
    text.resize(arrow);
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    equation.terms.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  if (equation.terms.size() != op.inputCount())
    op.bad("attribute 'equation' has " + std::to_string(equation.terms.size()) +
           " terms, expected one for each of the " + std::to_string(op.inputCount()) + " inputs");
  return equation;
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Of two dimensions with one label the diagonal is left, as the last one. False where no label repeats.
bool takeDiagonal(OpBinder &op, Labelled &entry) {
  const auto rank = static_cast<int64_t>(entry.labels.size());
  for (int64_t j = 1; j < rank; ++j) {
    const auto i = static_cast<int64_t>(entry.labels.find(entry.labels[j]));
    if (i == j)
      continue;
    Ints perm = sequence(0, rank);
    llvm::erase_if(perm, [&](int64_t axis) { return axis == i || axis == j; });
    perm.append({i, j});
    Exprs shape = op.b.shape(entry.value);
    const Expr extent = op.b.sameExtent(shape[i], shape[j], "extents of a label that repeats");
    if (!extent.constant())
      op.undecided({extent}, "a label that repeats has the extent " + extent.text() + ", supported are constants");
    Value square = op.b.transpose(entry.value, perm);
    Exprs flat = op.b.shape(square), starts(flat.size() - 1, Expr(0));
    flat.resize(flat.size() - 1);
    flat.back() = extent * extent;
    Ints steps(flat.size(), 1);
    steps.back() = *extent.constant() + 1;
    Value lines = op.b.reshape(square, flat);
    flat.back() = extent;
    entry.value = op.b.slice(lines, starts, steps, flat);
    const char label = entry.labels[i];
    entry.labels.erase(j, 1).erase(i, 1).push_back(label);
    return true;
  }
  return false;
}

/// One label per dimension: "..." becomes `extra` labels '0', '1'..., the last of
/// which is '9', so that they line up from the right as broadcasting does.
std::string expandTerm(OpBinder &op, const std::string &term, size_t extra) {
  std::string labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.compare(i, 3, "...") == 0) {
      for (size_t k = extra; k-- > 0;)
        labels += static_cast<char>('9' - k);
      i += 2;
    } else if (isLetter(term[i])) {
      labels += term[i];
    } else {
      op.bad("attribute 'equation' has the term '" + printable(term) + "', expected letters and at most one '...'");
    }
  }
  return labels;
}

Labelled operand(OpBinder &op, const std::string &term, size_t index, size_t &widest) {
  Value value = op.value(index, "Inputs");
  const size_t rank = op.b.shape(value).size();
  const size_t letters = static_cast<size_t>(llvm::count_if(term, isLetter));
  const bool open = term.find("...") != std::string::npos;
  if (open ? letters > rank : letters != rank)
    op.bad("the term '" + printable(term) + "' of attribute 'equation' has " + std::to_string(letters) +
           " labels for input " + std::to_string(index) + " of rank " + std::to_string(rank));
  const size_t extra = open ? rank - letters : 0;
  widest = std::max(widest, extra);
  Labelled result{value, expandTerm(op, term, extra)};
  while (takeDiagonal(op, result)) {
  }
  return result;
}

/// All of "..." first, then the letters that occur once, in alphabetical order.
std::string implicitResult(const std::vector<Labelled> &operands, size_t widest) {
  std::string labels, letters;
  for (size_t k = widest; k-- > 0;)
    labels += static_cast<char>('9' - k);
  std::map<char, int> seen;
  for (const Labelled &entry : operands)
    for (char label : entry.labels)
      ++seen[label];
  for (const auto &[label, count] : seen)
    if (isLetter(label) && count == 1)
      letters += label;
  return labels + letters;
}

/// Sums over the labels that `keep` does not name.
Labelled sumOthers(OpBinder &op, const Labelled &source, const std::string &keep) {
  Ints axes;
  std::string labels;
  for (size_t i = 0; i < source.labels.size(); ++i)
    if (keep.find(source.labels[i]) == std::string::npos)
      axes.push_back(static_cast<int64_t>(i));
    else
      labels += source.labels[i];
  if (axes.empty())
    return source;
  return {op.b.squeeze(op.b.reduce(ReduceKind::Sum, source.value, axes), axes), labels};
}

/// The dimensions in the order of `labels`, which may name some it does not have.
Value arranged(OpBinder &op, const Labelled &source, const std::string &labels) {
  Ints perm, added;
  for (size_t i = 0; i < labels.size(); ++i) {
    const size_t at = source.labels.find(labels[i]);
    if (at == std::string::npos)
      added.push_back(static_cast<int64_t>(i));
    else
      perm.push_back(static_cast<int64_t>(at));
  }
  return op.b.unsqueeze(op.b.transpose(source.value, perm), added);
}

bool has(const std::string &labels, char label) { return labels.find(label) != std::string::npos; }

/// The product of two operands as one matmul over [batch, left, sum] x [batch, sum,
/// right]; `keep`: labels that something later needs.
Labelled multiply(OpBinder &op, const Labelled &lhs, const Labelled &rhs, const std::string &keep) {
  const Labelled a = sumOthers(op, lhs, keep + rhs.labels), b = sumOthers(op, rhs, keep + lhs.labels);
  std::string batch, left, right, sum;
  for (char label : a.labels)
    (has(b.labels, label) ? (has(keep, label) ? batch : sum) : left) += label;
  for (char label : b.labels)
    if (!has(a.labels, label))
      right += label;
  Value x = arranged(op, a, batch + left + sum), y = arranged(op, b, batch + sum + right);
  const Exprs from = op.b.shape(x), by = op.b.shape(y);
  const auto part = [](const Exprs &shape, size_t begin, size_t count) {
    return Exprs(ArrayRef<Expr>(shape).slice(begin, count));
  };
  Exprs outer = op.b.broadcastShapes(part(from, 0, batch.size()), part(by, 0, batch.size()));
  const Exprs rows = part(from, batch.size(), left.size());
  const Exprs columns = part(by, batch.size() + sum.size(), right.size());
  const auto matrix = [&](Value value, const Exprs &shape, const Expr &height, const Expr &width) {
    Exprs dims = part(shape, 0, batch.size());
    dims.push_back(height);
    dims.push_back(width);
    return op.b.reshape(value, dims);
  };
  const Expr depth = graph::product(op.b.sameShape(part(from, batch.size() + left.size(), sum.size()),
                                                   part(by, batch.size(), sum.size()), "the extents of summed labels"));
  Value product =
      op.b.matmul(matrix(x, from, graph::product(rows), depth), matrix(y, by, depth, graph::product(columns)));
  product = op.b.cast(product, op.b.element(x)); // sums of int16 are int32
  llvm::append_range(outer, rows);
  llvm::append_range(outer, columns);
  return {op.b.reshape(product, outer), batch + left + right};
}

} // namespace

void importEinsum(OpBinder &op) {
  const Equation equation = parseEquation(op);
  size_t widest = 0;
  std::vector<Labelled> operands;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    op.requireNumber(i, "Inputs");
    operands.push_back(operand(op, equation.terms[i], i, widest));
  }
  const std::string result =
      equation.hasResult ? expandTerm(op, equation.result, widest) : implicitResult(operands, widest);
  for (char label : result)
    if (llvm::count(result, label) > 1 ||
        llvm::none_of(operands, [&](const Labelled &entry) { return has(entry.labels, label); }))
      op.bad("the result '" + printable(equation.result) +
             "' of attribute 'equation' repeats a label or has one that no input has");
  Labelled current = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string keep = result;
    for (size_t later = i + 1; later < operands.size(); ++later)
      keep += operands[later].labels;
    current = multiply(op, current, operands[i], keep);
  }
  op.result(arranged(op, sumOthers(op, current, result), result));
}

} // namespace cupola::onnx_import

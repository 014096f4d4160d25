//===- lib/Import/Onnx/Ops/Strings.cpp - ops that look into strings --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Their texts are known to the host alone: each op is a step of the host (lib/Runtime/Format/HostOps.h), or two where
// the first counts what the second makes.
//===----------------------------------------------------------------------===//
#include "lib/Import/Onnx/Ops/Ops.h"

#include "lib/Import/Onnx/Sized.h"
#include "lib/Import/Onnx/StringTypes.h"
#include "lib/Import/Onnx/Text.h"
#include "lib/Runtime/Host/Pattern.h"

using namespace mlir;

namespace cupola::onnx_import {
namespace {

void requireStrings(OpBinder &op, size_t index, StringRef name) {
  if (!isString(op.element(index, name)))
    op.bad(operandText(index, name) + " has elements of " + typeText(op.element(index, name)) + ", expected strings");
}

/// Of a language whose letters have other cases than most.
bool isPeculiar(StringRef locale) {
  return llvm::is_contained({"az", "lt", "tr"}, locale.take_while([](char c) { return llvm::isAlpha(c); }).lower());
}

std::vector<std::string> normalizerOf(OpBinder &op) {
  const std::string action = op.stringAttribute("case_change_action", "NONE");
  if (action != "LOWER" && action != "UPPER" && action != "NONE")
    op.bad("attribute 'case_change_action' is " + quoted(action) + ", expected LOWER, UPPER or NONE");
  const std::string locale = op.stringAttribute("locale", "en_US");
  if (isPeculiar(locale))
    op.unsupported("attribute 'locale' is " + quoted(locale) + ", supported are locales with Unicode's usual cases");
  std::vector<std::string> parameters{StringRef(action).lower(),
                                      op.intAttribute("is_case_sensitive", 0) != 0 ? "1" : "0"};
  for (const std::string &word : op.stringsAttribute("stopwords").value_or(std::vector<std::string>()))
    parameters.push_back(word);
  return parameters;
}

} // namespace

void importStringConcat(OpBinder &op) {
  requireStrings(op, 0, "X");
  requireStrings(op, 1, "Y");
  Value x = op.value(0, "X"), y = op.value(1, "Y");
  const Exprs dims = op.b.broadcastShapes(op.b.shape(x), op.b.shape(y));
  x = op.b.broadcast(x, dims);
  y = op.b.broadcast(y, dims);
  op.result(asStrings(op, op.b.host("string_concat", {}, {x, y}, dims, op.b.int64())));
}

/// Where nothing stays the result is one empty string.
void importStringNormalizer(OpBinder &op) {
  requireStrings(op, 0, "X");
  Value x = op.value(0, "X");
  Exprs dims = op.b.shape(x);
  if (dims.size() != 1 && dims.size() != 2)
    op.bad("input 0 (X) has the shape " + shapeText(dims) + ", expected [C] or [1, C]");
  if (dims.size() == 2)
    op.b.sameExtent(dims[0], Expr(1), "the first extent of input 0 (X) and 1");
  const std::vector<std::string> parameters = normalizerOf(op);
  const bool hasStopWords = parameters.size() > 2;
  dims.back() = simplify(max(dims.back(), Expr(1)), op.b.ranges());
  if (hasStopWords)
    dims.back() = readCount(op, op.b.host("string_normalize_count", parameters, {x}, {}, op.b.int64()),
                            "the number of strings that are no stop words");
  op.result(asStrings(op, op.b.host("string_normalize", parameters, {x}, dims, op.b.int64())));
}

void importStringSplit(OpBinder &op) {
  requireStrings(op, 0, "X");
  Value x = op.value(0, "X");
  Exprs dims = op.b.shape(x);
  const std::vector<std::string> parameters{op.stringAttribute("delimiter", ""),
                                            std::to_string(op.intAttribute("maxsplit", -1))};
  Value counts = op.b.host("string_split_count", parameters, {x}, dims, op.b.int64());
  Value most = op.b.reduce(ReduceKind::Max, op.b.reshape(counts, {graph::product(dims)}), {0});
  most = op.b.binary(BinaryKind::Max, op.b.reshape(most, {}), op.b.intScalar(0, op.b.int64())); // of no strings
  dims.push_back(readCount(op, most, "the number of parts of a string"));
  op.result(asStrings(op, op.b.host("string_split", parameters, {x}, dims, op.b.int64())), 0);
  op.result(counts, 1);
}

void importRegexFullMatch(OpBinder &op) {
  requireStrings(op, 0, "X");
  const std::string text = op.stringAttribute("pattern", "");
  if (const auto pattern = runtime::Pattern::parse(text); pattern.failed())
    op.unsupported("attribute 'pattern' is " + quoted(text) + ": " + pattern.status().message());
  Value x = op.value(0, "X");
  op.result(op.b.host("regex_full_match", {text}, {x}, op.b.shape(x), IntegerType::get(op.b.context(), 1)));
}

} // namespace cupola::onnx_import

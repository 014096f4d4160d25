//===- lib/Import/Onnx/OpLibrary/Expression.h - a function of scalars, as written ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The syntax is that of expressions in C: ?:, || and &&, comparisons, + - * / %, unary - and !, calls, parentheses,
// decimal numbers and names. Functions are those of the table in Expression.cpp.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPLIBRARY_EXPRESSION_H
#define CUPOLA_LIB_IMPORT_ONNX_OPLIBRARY_EXPRESSION_H

#include "dialects/Graph/Graph.h"
#include "lib/Runtime/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace cupola::onnx_import {

struct Expression {
  enum class Kind { Number, Name, Unary, Binary, Select };
  Kind kind = Kind::Number;
  double number = 0;
  std::string name;
  graph::UnaryKind unary = {};
  graph::BinaryKind binary = {};
  bool negated = false; ///< a Binary: != is not ==
  double alpha = 0;     ///< of a Unary
  std::vector<Expression> operands;
};

/// Errors say at which character and what was expected.
Result<Expression> parseExpression(std::string_view text);
/// Every name in it.
std::vector<std::string> namesOf(const Expression &expression);
/// "abs, acos, ..": the functions that an expression may call.
std::string functionNames();

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPLIBRARY_EXPRESSION_H

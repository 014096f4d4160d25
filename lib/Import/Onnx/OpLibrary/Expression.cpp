//===- lib/Import/Onnx/OpLibrary/Expression.cpp - a function of scalars, as written ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Import/Onnx/OpLibrary/Expression.h"

#include "lib/Import/Onnx/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using cupola::graph::BinaryKind;
using cupola::graph::UnaryKind;

namespace cupola::onnx_import {
namespace {

struct Function {
  std::string_view name;
  std::optional<UnaryKind> unary = {};
  std::optional<BinaryKind> binary = {};
  double alpha = 0;
};

constexpr Function functions[] = {
    {"abs", UnaryKind::Abs},
    {"acos", UnaryKind::Acos},
    {"acosh", UnaryKind::Acosh},
    {"asin", UnaryKind::Asin},
    {"asinh", UnaryKind::Asinh},
    {"atan", UnaryKind::Atan},
    {"atanh", UnaryKind::Atanh},
    {"ceil", UnaryKind::Ceil},
    {"cos", UnaryKind::Cos},
    {"cosh", UnaryKind::Cosh},
    {"erf", UnaryKind::Erf},
    {"exp", UnaryKind::Exp},
    {"floor", UnaryKind::Floor},
    {"fmod", {}, BinaryKind::Fmod},
    {"gelu", UnaryKind::GeluErf},
    {"gelu_tanh", UnaryKind::GeluTanh},
    {"is_inf", UnaryKind::IsInf, {}, 1},
    {"is_nan", UnaryKind::IsNaN},
    {"log", UnaryKind::Log},
    {"max", {}, BinaryKind::Max},
    {"min", {}, BinaryKind::Min},
    {"mod", {}, BinaryKind::Mod},
    {"pow", {}, BinaryKind::Pow},
    {"relu", UnaryKind::Relu},
    {"round", UnaryKind::Round},
    {"rsqrt", UnaryKind::Rsqrt},
    {"sigmoid", UnaryKind::Sigmoid},
    {"sign", UnaryKind::Sign},
    {"silu", UnaryKind::Silu, {}, 1},
    {"sin", UnaryKind::Sin},
    {"sinh", UnaryKind::Sinh},
    {"softplus", UnaryKind::Softplus},
    {"softsign", UnaryKind::Softsign},
    {"sqrt", UnaryKind::Sqrt},
    {"tan", UnaryKind::Tan},
    {"tanh", UnaryKind::Tanh},
};

struct Infix {
  std::string_view symbol;
  BinaryKind kind;
  int level; ///< how strongly it binds
  bool negated = false;
};

/// A symbol that another one begins with comes after it.
constexpr Infix infixes[] = {
    {"||", BinaryKind::Or, 1},          {"&&", BinaryKind::And, 2},       {"==", BinaryKind::Equal, 3},
    {"!=", BinaryKind::Equal, 3, true}, {"<=", BinaryKind::LessEqual, 4}, {">=", BinaryKind::GreaterEqual, 4},
    {"<", BinaryKind::Less, 4},         {">", BinaryKind::Greater, 4},    {"+", BinaryKind::Add, 5},
    {"-", BinaryKind::Sub, 5},          {"*", BinaryKind::Mul, 6},        {"/", BinaryKind::Div, 6},
    {"%", BinaryKind::Fmod, 6},
};

/// Deeper nesting is refused: reading goes by recursion.
constexpr int deepest = 100;

Expression call(const Function &function, std::vector<Expression> operands) {
  Expression result;
  result.kind = function.unary ? Expression::Kind::Unary : Expression::Kind::Binary;
  result.unary = function.unary.value_or(UnaryKind::Neg);
  result.binary = function.binary.value_or(BinaryKind::Add);
  result.alpha = function.alpha;
  result.operands = std::move(operands);
  return result;
}

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<Expression> parse() {
    CUPOLA_ASSIGN(Expression result, conditional());
    skipBlanks();
    if (at < text.size())
      return wrong("the end");
    return result;
  }

private:
  void skipBlanks() {
    while (at < text.size() && llvm::isSpace(text[at]))
      ++at;
  }

  bool take(std::string_view symbol) {
    skipBlanks();
    if (text.substr(at, symbol.size()) != symbol)
      return false;
    at += symbol.size();
    return true;
  }

  Status wrong(const std::string &expected) {
    skipBlanks();
    const std::string found = at < text.size() ? quoted(text.substr(at, 12)) : "the end";
    return Status::usage("character " + std::to_string(at + 1) + " is " + found + ", expected " + expected);
  }

  Result<Expression> conditional() {
    if (++depth > deepest)
      return Status::usage("nested deeper than " + std::to_string(deepest));
    CUPOLA_ASSIGN(Expression result, sequence(1));
    if (take("?")) {
      CUPOLA_ASSIGN(Expression yes, conditional());
      if (!take(":"))
        return wrong("':'");
      CUPOLA_ASSIGN(Expression no, conditional());
      Expression select;
      select.kind = Expression::Kind::Select;
      select.operands = {std::move(result), std::move(yes), std::move(no)};
      result = std::move(select);
    }
    --depth;
    return result;
  }

  const Infix *infix(int level) {
    skipBlanks();
    for (const Infix &row : infixes)
      if (text.substr(at, row.symbol.size()) == row.symbol)
        return row.level == level ? &row : nullptr;
    return nullptr;
  }

  /// Operands and operators of `level`, from left to right; those that bind stronger are operands.
  Result<Expression> sequence(int level) {
    if (level > 6)
      return prefixed();
    CUPOLA_ASSIGN(Expression result, sequence(level + 1));
    while (const Infix *row = infix(level)) {
      at += row->symbol.size();
      CUPOLA_ASSIGN(Expression next, sequence(level + 1));
      Expression both;
      both.kind = Expression::Kind::Binary;
      both.binary = row->kind;
      both.negated = row->negated;
      both.operands = {std::move(result), std::move(next)};
      result = std::move(both);
    }
    return result;
  }

  Result<Expression> prefixed() {
    const bool isMinus = take("-");
    if (!isMinus && !take("!"))
      return primary();
    if (++depth > deepest)
      return Status::usage("nested deeper than " + std::to_string(deepest));
    CUPOLA_ASSIGN(Expression operand, prefixed());
    --depth;
    return call({"", isMinus ? UnaryKind::Neg : UnaryKind::Not}, {std::move(operand)});
  }

  Result<Expression> primary() {
    if (take("(")) {
      CUPOLA_ASSIGN(Expression inner, conditional());
      if (!take(")"))
        return wrong("')'");
      return inner;
    }
    Expression result;
    if (at < text.size() && (llvm::isDigit(text[at]) || text[at] == '.')) {
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), result.number);
      if (error != std::errc())
        return wrong("a number");
      at = end - text.data();
      return result;
    }
    result.kind = Expression::Kind::Name;
    while (at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_'))
      result.name += text[at++];
    if (result.name.empty())
      return wrong("a number, a name or '('");
    return take("(") ? callOf(result.name) : Result<Expression>(std::move(result));
  }

  Result<Expression> callOf(const std::string &name) {
    const Function *function = llvm::find_if(functions, [&](const Function &row) { return row.name == name; });
    if (function == std::end(functions))
      return Status::usage("there is no function " + quoted(name) + "; there are: " + functionNames());
    std::vector<Expression> operands;
    do {
      CUPOLA_ASSIGN(Expression operand, conditional());
      operands.push_back(std::move(operand));
    } while (take(","));
    if (!take(")"))
      return wrong("',' or ')'");
    const size_t count = function->unary ? 1 : 2;
    if (operands.size() != count)
      return Status::usage(name + "() has " + std::to_string(operands.size()) + " operands, expected " +
                           std::to_string(count));
    return call(*function, std::move(operands));
  }

  std::string_view text;
  size_t at = 0;
  int depth = 0;
};

void collectNames(const Expression &expression, std::vector<std::string> &names) {
  if (expression.kind == Expression::Kind::Name)
    names.push_back(expression.name);
  for (const Expression &operand : expression.operands)
    collectNames(operand, names);
}

} // namespace

Result<Expression> parseExpression(std::string_view text) { return Parser(text).parse(); }

std::vector<std::string> namesOf(const Expression &expression) {
  std::vector<std::string> names;
  collectNames(expression, names);
  return names;
}

std::string functionNames() {
  return llvm::join(llvm::map_range(functions, [](const Function &row) { return row.name; }), ", ");
}

} // namespace cupola::onnx_import

//===- lib/Planner/ExprParser.cpp - expressions as text, both ways -------===//
// SPDX-License-Identifier: Apache-2.0
//
//   sum     = ["-"] product { ("+" | "-") product }
//   product = power { "*" power }
//   power   = primary [ "^" number ]
//   primary = number | name | function "(" sum "," sum ")" | "(" sum ")" | "overflow"
//===----------------------------------------------------------------------===//
#include "lib/Planner/ExprDivide.h"

#include <array>
#include <charconv>

namespace cupola {
namespace {

struct Function {
  std::string_view name;
  Atom::Kind kind;
};
constexpr std::array<Function, 5> functions = {{{"floordiv", Atom::Kind::FloorDiv},
                                                {"ceildiv", Atom::Kind::CeilDiv},
                                                {"mod", Atom::Kind::Mod},
                                                {"min", Atom::Kind::Min},
                                                {"max", Atom::Kind::Max}}};
constexpr std::string_view overflowWord = "overflow";

/// Longer texts than any expression within Expr's limits has, names included.
constexpr size_t maxText = 1 << 16;
constexpr int maxParentheses = 128;

const Function *findFunction(std::string_view name) {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

// Not <cctype>: the locale must not matter.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c) || c == '.'; }

//===-- Printing ----------------------------------------------------------===//

void printAtom(const Atom &atom, std::string &out) {
  if (atom.kind() == Atom::Kind::Symbol) {
    out += atom.name();
    return;
  }
  for (const Function &function : functions)
    if (function.kind == atom.kind())
      out += function.name;
  out += '(' + atom.lhs().text() + ", " + atom.rhs().text() + ')';
}

void printTerm(const Term &term, bool first, std::string &out) {
  std::string number = std::to_string(term.coefficient);
  bool negative = number[0] == '-';
  if (negative)
    number.erase(0, 1);
  out += first ? (negative ? "-" : "") : (negative ? " - " : " + ");
  if (number != "1" || term.factors.empty())
    out += number + (term.factors.empty() ? "" : "*");
  for (size_t i = 0; i < term.factors.size(); ++i) {
    if (i > 0)
      out += '*';
    printAtom(*term.factors[i].atom, out);
    if (term.factors[i].power > 1)
      out += '^' + std::to_string(term.factors[i].power);
  }
}

//===-- Parsing -----------------------------------------------------------===//

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  std::optional<Expr> parseAll() {
    if (text.size() > maxText)
      return fail("expression of " + std::to_string(text.size()) + " bytes, at most " + std::to_string(maxText) +
                  " are allowed");
    std::optional<Expr> e = parseSum();
    peek();
    if (e && position < text.size())
      return fail("expected an operator or the end");
    return e;
  }

  std::string error;

private:
  std::nullopt_t fail(std::string message) {
    if (error.empty()) {
      error = std::move(message);
      if (text.size() <= maxText)
        error += " at byte " + std::to_string(position) + " of the expression";
    }
    return std::nullopt;
  }

  /// The next character that is no space; 0 at the end, which nothing accepts.
  char peek() {
    while (position < text.size() && text[position] == ' ')
      ++position;
    return position < text.size() ? text[position] : '\0';
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    ++position;
    return true;
  }

  std::optional<Expr> parseSum() {
    bool negative = take('-');
    std::optional<Expr> sum = parseProduct(negative);
    while (sum) {
      bool minus = peek() == '-';
      if (!take('+') && !take('-'))
        break;
      std::optional<Expr> product = parseProduct(minus);
      if (!product)
        return std::nullopt;
      *sum += *product;
    }
    return sum;
  }

  /// The sign goes into the first number, so that INT64_MIN can be written.
  std::optional<Expr> parseProduct(bool negative) {
    bool numberFirst = isDigit(peek());
    std::optional<Expr> product = parsePower(negative && numberFirst);
    while (product && take('*')) {
      std::optional<Expr> factor = parsePower(false);
      if (!factor)
        return std::nullopt;
      *product *= *factor;
    }
    if (product && negative && !numberFirst)
      product = -*product;
    return product;
  }

  std::optional<Expr> parsePower(bool negative) {
    std::optional<Expr> base = isDigit(peek()) ? parseNumber(negative) : parsePrimary();
    if (!base || !take('^'))
      return base;
    if (!isDigit(peek()))
      return fail("expected a number");
    std::optional<Expr> exponent = parseNumber(false);
    if (!exponent)
      return std::nullopt;
    int64_t count = *exponent->constant();
    if (count < 1 || count > int64_t(Expr::maxPower))
      return fail("power " + std::to_string(count) + " is not in 1.." + std::to_string(Expr::maxPower));
    Expr result = negative ? -*base : *base;
    for (Expr factor = result; count > 1 && !result.overflowed(); --count)
      result *= factor;
    return negative ? -result : result;
  }

  std::optional<Expr> parseNumber(bool negative) {
    std::string digits = negative ? "-" : "";
    peek();
    while (position < text.size() && isDigit(text[position]))
      digits += text[position++];
    int64_t value = 0;
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size())
      return fail("number " + digits + " does not fit 64 bits");
    return Expr(value);
  }

  std::optional<Expr> parsePrimary() {
    if (depth >= maxParentheses)
      return fail("more than " + std::to_string(maxParentheses) + " nested parentheses");
    if (take('(')) {
      ++depth;
      std::optional<Expr> e = parseSum();
      --depth;
      if (e && !take(')'))
        return fail("expected ')'");
      return e;
    }
    if (!isNameStart(peek()))
      return fail("expected a number, a name or '('");
    size_t begin = position;
    while (position < text.size() && isNamePart(text[position]))
      ++position;
    std::string_view name = text.substr(begin, position - begin);
    if (const Function *function = findFunction(name))
      return parseCall(*function);
    return name == overflowWord ? Expr::overflow() : Expr::symbol(std::string(name));
  }

  std::optional<Expr> parseCall(const Function &function) {
    ++depth;
    if (!take('('))
      return fail("expected '('");
    std::optional<Expr> lhs = parseSum();
    if (!lhs)
      return std::nullopt;
    if (!take(','))
      return fail("expected ','");
    std::optional<Expr> rhs = parseSum();
    if (!rhs)
      return std::nullopt;
    if (!take(')'))
      return fail("expected ')'");
    --depth;
    return makeAtom(function.kind, *lhs, *rhs);
  }

  std::string_view text;
  size_t position = 0;
  int depth = 0;
};

} // namespace

bool Expr::isSymbolName(std::string_view name) {
  if (name.empty() || !isNameStart(name[0]) || findFunction(name) || name == overflowWord)
    return false;
  for (char c : name)
    if (!isNamePart(c))
      return false;
  return true;
}

std::string Expr::text() const {
  if (overflowed())
    return std::string(overflowWord);
  std::string out;
  for (const Term &term : terms())
    printTerm(term, out.empty(), out);
  if (offset() != 0 || out.empty())
    printTerm({offset(), {}}, out.empty(), out);
  return out;
}

std::optional<Expr> Expr::parse(std::string_view text, std::string *error) {
  Parser parser(text);
  std::optional<Expr> result = parser.parseAll();
  if (!result && error)
    *error = parser.error;
  return result;
}

} // namespace cupola

//===- lib/Runtime/Checks.cpp - Relations that have to hold, values that have to be there ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Checks.h"

namespace cupola::runtime {

Result<bool> holds(const format::Check &check, const ParsedCheck &parsed, const SymbolValues &values) {
  const auto lhs = parsed.lhs.evaluate(values), rhs = parsed.rhs.evaluate(values);
  if (check.relation != "==" && check.relation != "<=" && check.relation != "%==0")
    return Status::package("the manifest is inconsistent: no relation '" + check.relation + "'");
  if (!lhs || !rhs)
    return false;
  if (check.relation == "%==0")
    return *rhs > 0 && *lhs % *rhs == 0;
  return check.relation == "==" ? *lhs == *rhs : *lhs <= *rhs;
}

/// ", where s1 = 3 and s2 = 4"
static std::string valuesText(const ParsedCheck &parsed, const SymbolValues &values) {
  std::set<std::string> symbols = parsed.lhs.symbols();
  symbols.merge(parsed.rhs.symbols());
  std::string text;
  for (const std::string &symbol : symbols)
    if (const auto found = values.find(symbol); found != values.end())
      text += (text.empty() ? ", where " : " and ") + symbol + " = " + std::to_string(found->second);
  return text;
}

Status checkBody(const format::Body &body, const ParsedBody &parsed, const SymbolValues &values) {
  for (size_t i = 0; i < body.checks.size(); ++i) {
    const format::Check &check = body.checks[i];
    CUPOLA_ASSIGN(const bool result, holds(check, parsed.checks[i], values));
    if (!result)
      return Status::usage(check.message + ": " + check.lhs + " " + check.relation + " " + check.rhs +
                           " does not hold" + valuesText(parsed.checks[i], values));
  }
  return Status::ok();
}

Status noValue(const std::string &what) { return Status::limit(what + " has no value within 64 bits"); }

Result<uint64_t> evaluateSize(const Expr &expr, const SymbolValues &values, const std::string &what) {
  const auto value = expr.evaluate(values);
  if (!value || *value < 0)
    return noValue(what + ": " + expr.text());
  return static_cast<uint64_t>(*value);
}

} // namespace cupola::runtime

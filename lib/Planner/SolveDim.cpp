//===- lib/Planner/SolveDim.cpp - the value of a symbol from an extent ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Planner/SolveDim.h"

namespace cupola {

std::optional<std::string> solveDim(const Expr &dim, int64_t extent, SymbolValues &values) {
  std::string unknown;
  for (const std::string &symbol : dim.symbols()) {
    if (values.count(symbol))
      continue;
    if (!unknown.empty())
      return std::nullopt;
    unknown = symbol;
  }
  const std::optional<Expr> slope = unknown.empty() ? std::nullopt : dim.coefficient(unknown);
  if (!slope)
    return std::nullopt;
  SymbolValues atZero = values;
  atZero[unknown] = 0;
  const auto factor = slope->evaluate(values);
  const auto rest = dim.evaluate(atZero);
  int64_t difference = 0;
  if (!factor || *factor <= 0 || !rest || __builtin_sub_overflow(extent, *rest, &difference))
    return std::nullopt;
  values[unknown] = difference / *factor;
  return unknown;
}

} // namespace cupola

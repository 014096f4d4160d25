//===- lib/Planner/SolveDim.h - the value of a symbol from an extent ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_PLANNER_SOLVEDIM_H
#define CUPOLA_LIB_PLANNER_SOLVEDIM_H

#include "lib/Planner/Expr.h"

#include <map>
#include <optional>
#include <string>

namespace cupola {

/// By symbol id.
using SymbolValues = std::map<std::string, int64_t>;

/// If `dim` holds exactly one symbol without a value, and that linearly, gives it
/// the value that makes `dim` equal to `extent` and returns its name. Rounds
/// where there is none: whoever asks evaluates `dim` afterwards.
std::optional<std::string> solveDim(const Expr &dim, int64_t extent, SymbolValues &values);

} // namespace cupola

#endif // CUPOLA_LIB_PLANNER_SOLVEDIM_H

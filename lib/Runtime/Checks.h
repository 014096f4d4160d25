//===- lib/Runtime/Checks.h - Relations that have to hold, values that have to be there ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CHECKS_H
#define CUPOLA_LIB_RUNTIME_CHECKS_H

#include "lib/Runtime/ShapeBinding.h"

namespace cupola::runtime {

/// Whether the relation holds; not where a side has no value. Code::Package: there is no such relation.
Result<bool> holds(const format::Check &check, const ParsedCheck &parsed, const SymbolValues &values);

/// All checks of a body that is entered with these values. Code::Usage says which one does not hold, and the
/// values of the symbols in it.
Status checkBody(const format::Body &body, const ParsedBody &parsed, const SymbolValues &values);

Status noValue(const std::string &what);
/// That of an expression which is no negative number. `what` says whose it is.
Result<uint64_t> evaluateSize(const Expr &expr, const SymbolValues &values, const std::string &what);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CHECKS_H

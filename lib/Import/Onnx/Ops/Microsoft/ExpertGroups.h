//===- lib/Import/Onnx/Ops/Microsoft/ExpertGroups.h - tokens of one expert side by side ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_EXPERTGROUPS_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_EXPERTGROUPS_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import::microsoft {

/// Groups of so many rows, each of one expert. How many experts have more rows than a group is known only in a run:
/// there are as many groups as there may be, and what the rows of the last ones, and those that fill a group, hold is
/// read by nobody.
struct ExpertGroups {
  Value experts; ///< int64 [groups]
  Value tokens;  ///< int64 [groups, rows]
  Value places;  ///< int64 [tokens, k]: of a token's rows among all, groups * rows
};

/// `chosen`: int64 [tokens, k] of `experts`.
ExpertGroups groupedByExpert(OpBinder &op, Value chosen, const Expr &experts, int64_t rows);

} // namespace cupola::onnx_import::microsoft

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_MICROSOFT_EXPERTGROUPS_H

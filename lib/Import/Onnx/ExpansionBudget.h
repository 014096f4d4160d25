//===- lib/Import/Onnx/ExpansionBudget.h - how big inlining would get ------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_EXPANSIONBUDGET_H
#define CUPOLA_LIB_IMPORT_ONNX_EXPANSIONBUDGET_H

#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/Limits.h"

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// Computes, without inlining anything, how many nodes the model has once all
/// local functions are inlined (saturating, linear in the file), and rejects
/// recursion, chains of calls that are too deep and expansions beyond the limit.
bool checkExpansion(const onnx::ModelProto &model, const Limits &limits, Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_EXPANSIONBUDGET_H

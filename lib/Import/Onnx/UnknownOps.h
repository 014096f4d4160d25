//===- lib/Import/Onnx/UnknownOps.h - ops without a row in the table -------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_UNKNOWNOPS_H
#define CUPOLA_LIB_IMPORT_ONNX_UNKNOWNOPS_H

#include "lib/Import/Onnx/ModelNames.h"

#include <set>

namespace cupola::onnx_import {

class OpLibrary;

/// Why a node that OpLibrary::knows nothing of cannot be imported.
std::string whyUnknown(const onnx::NodeProto &node, const FunctionMap &functions, const OpLibrary &library);

/// The unknown ops of a local function that could not be inlined, and of those it calls;
/// `listed` keeps a function from being told twice.
void listUnknownOps(const onnx::FunctionProto &function, const FunctionMap &functions, const OpLibrary &library,
                    std::set<FunctionKey> &listed, Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_UNKNOWNOPS_H

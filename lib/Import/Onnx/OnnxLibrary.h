//===- lib/Import/Onnx/OnnxLibrary.h - the ONNX library's checker, inliner -===//
// SPDX-License-Identifier: Apache-2.0
//
// With SchemaFunctions.h the only code that calls the ONNX library beyond its messages
// and lists. Its exceptions become diagnostics here. The model has been validated, its
// expansion has been computed and its weights are stubs.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_ONNXLIBRARY_H
#define CUPOLA_LIB_IMPORT_ONNX_ONNXLIBRARY_H

#include "lib/Import/Onnx/Diagnostic.h"

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// What an exception of the library says, in one line: its texts span several.
std::string oneLine(std::string text);

/// The checker without shape inference. Leaves the model as it was, but names a
/// graph without a name.
bool runOnnxChecker(onnx::ModelProto &model, Diagnostics &diagnostics);

/// Replaces calls of local functions by their bodies and drops the functions. A
/// function that imports another version of a domain than the model stays called.
bool inlineLocalFunctions(onnx::ModelProto &model, Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_ONNXLIBRARY_H

//===- lib/Import/Onnx/OnnxLibrary.h - the ONNX library's checker, inliner -===//
// SPDX-License-Identifier: Apache-2.0
//
// The only code that calls the ONNX library beyond its messages. Its exceptions
// become diagnostics here. The model has been validated, its expansion has been
// computed and its weights are stubs.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_ONNXLIBRARY_H
#define CUPOLA_LIB_IMPORT_ONNX_ONNXLIBRARY_H

#include "lib/Import/Onnx/Diagnostic.h"

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// The checker without shape inference. Leaves the model as it was, but names a
/// graph without a name.
bool runOnnxChecker(onnx::ModelProto &model, Diagnostics &diagnostics);

/// Replaces calls of local functions by their bodies and drops the functions. A
/// function that imports another version of a domain than the model stays called.
bool inlineLocalFunctions(onnx::ModelProto &model, Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_ONNXLIBRARY_H

//===- lib/Import/Onnx/Ops/Ml/NodeAttributes.h - lists of numbers in attributes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_ML_NODEATTRIBUTES_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_ML_NODEATTRIBUTES_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import::ml {

using Reals = std::vector<double>;

/// The elements of a constant of floats or bytes.
Reals realsOf(OpBinder &op, mlir::ElementsAttr constant, llvm::StringRef name);
/// The floats of an attribute, or those of the tensor NAME_as_tensor that newer versions have in its place.
Reals realsAttribute(OpBinder &op, llvm::StringRef name, bool *isFloat64 = nullptr);
/// Empty: absent.
Ints intsOf(OpBinder &op, llvm::StringRef name);

void requireCount(OpBinder &op, llvm::StringRef name, size_t found, size_t expected);
void requireWithin(OpBinder &op, llvm::StringRef name, int64_t value, int64_t count); ///< 0 to count - 1

} // namespace cupola::onnx_import::ml

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_ML_NODEATTRIBUTES_H

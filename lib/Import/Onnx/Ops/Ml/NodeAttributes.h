//===- lib/Import/Onnx/Ops/Ml/NodeAttributes.h - lists of numbers in attributes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_ML_NODEATTRIBUTES_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_ML_NODEATTRIBUTES_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import::ml {

using Reals = std::vector<double>;

/// The elements of an attribute's tensor of floats or bytes.
Reals realsOf(OpBinder &op, Tensor tensor, llvm::StringRef name);
/// The floats of an attribute, or those of the tensor NAME_as_tensor that newer versions have in its place.
Reals realsAttribute(OpBinder &op, llvm::StringRef name, bool *isFloat64 = nullptr);
/// Those of a tensor that must be there.
Reals requiredReals(OpBinder &op, llvm::StringRef name, bool *isFloat64 = nullptr);
/// Empty: absent.
Ints intsOf(OpBinder &op, llvm::StringRef name);
Reals floatsOf(OpBinder &op, llvm::StringRef name);

/// How many elements each attribute has, all of which have `expected`.
void requireCounts(OpBinder &op, size_t expected, llvm::ArrayRef<std::pair<llvm::StringRef, size_t>> found);
void requireCount(OpBinder &op, llvm::StringRef name, size_t found, size_t expected);
void requireWithin(OpBinder &op, llvm::StringRef name, int64_t value, int64_t count); ///< 0 to count - 1

} // namespace cupola::onnx_import::ml

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_ML_NODEATTRIBUTES_H

//===- lib/Compiler/Arrays.h - arrays of the caller as tensors of lib/Reference ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_ARRAYS_H
#define CUPOLA_LIB_COMPILER_ARRAYS_H

#include "lib/Reference/Strings.h"
#include "lib/Reference/Tensor.h"
#include "lib/Runtime/Npz/Npz.h"

#include "mlir/IR/BuiltinOps.h"

namespace cupola::compiler {

/// The inputs of `module` by their names, in its order. Floats of 16 bits become f32 where it declares
/// that, exactly; texts become their numbers; the others are the arrays' memory. Code::Usage where one is missing.
Result<std::vector<reference::Tensor>> tensorsOf(mlir::ModuleOp module, const std::vector<npz::Array> &inputs,
                                                 reference::Strings &strings);

/// The results of `module` under their names.
Result<std::vector<npz::Array>> arraysOf(mlir::ModuleOp module, llvm::ArrayRef<reference::Tensor> results,
                                         const reference::Strings &strings);

/// The same numbers, rounded to another float type.
Result<reference::Tensor> rounded(const reference::Tensor &tensor, format::DType dtype);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_ARRAYS_H

//===- lib/Compiler/InputTensor.h - what a package says of a value that is handed in ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_INPUTTENSOR_H
#define CUPOLA_LIB_COMPILER_INPUTTENSOR_H

#include "lib/Runtime/Format/Plan.h"

#include "mlir/IR/Value.h"

namespace cupola::compiler {

/// Its element type, and of integers which values they may have. Without name and shape.
format::Tensor inputTensor(mlir::Value value);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_INPUTTENSOR_H

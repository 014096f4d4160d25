//===- lib/Import/Onnx/Finish.h - the last steps of an import --------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_FINISH_H
#define CUPOLA_LIB_IMPORT_ONNX_FINISH_H

#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/Symbols.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cupola::onnx_import {

/// Removes ops without users and without effects, last to first.
void eraseDeadOps(mlir::func::FuncOp function);

/// The location of the node that makes `value`; `otherwise` where it is an input or a constant.
mlir::Location makerOf(mlir::Value value, mlir::Location otherwise);

/// Ops with the location of an argument, which make of its elements what the model reads, get that of the first node
/// that does; `otherwise` where they are results as they are.
void nameEntryOps(mlir::func::FuncOp function, mlir::Location otherwise);

/// Brings every type and every expression in an attribute up to the facts that
/// were found: the one time that types change.
void retype(mlir::func::FuncOp function, const Symbols &symbols);

/// A model that passes all checks makes valid ops. Should one not, it must not reach the passes, whatever the reason:
/// an error.
bool isValid(mlir::ModuleOp module, Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_FINISH_H

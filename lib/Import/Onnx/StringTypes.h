//===- lib/Import/Onnx/StringTypes.h - strings as numbers ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// In the graph a string is the number of its text in a table, an int64, so that all that only moves or compares
// elements works on strings as it is. The record of such a tensor keeps what the numbers are. To ops that compute
// with numbers they mean nothing: a table says which ops take strings.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_STRINGTYPES_H
#define CUPOLA_LIB_IMPORT_ONNX_STRINGTYPES_H

#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Import/Onnx/TensorData.h"

#include "mlir/IR/BuiltinOps.h"

namespace cupola::onnx_import {

/// TensorRecord::element of a tensor of strings. No value of the graph has it.
Type stringType(mlir::MLIRContext *context);
bool isString(Type element);

/// The strings of a constant as int64 elements.
TensorValue numbered(const onnx::TensorProto &tensor, StringNumbers &numbers);

/// `value`, int64, holds numbers of strings.
Tensor asStrings(OpBinder &op, Value value);

/// Of an argument or a result: its name, and the type of its elements where the graph has another one for them.
mlir::NamedAttrList interfaceAttributes(mlir::MLIRContext *context, const std::string &name, Type element);
/// The module's list of texts, if there are any.
void setStrings(mlir::ModuleOp module, const StringNumbers &numbers);

/// Throws where an operand has strings that the op does not take, or others where it has some.
void checkStringOperands(const onnx::NodeProto &node, const OpBinder &op);
/// Results that are moved elements of operands that are strings are strings.
void keepStringType(const onnx::NodeProto &node, const OpBinder &op);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_STRINGTYPES_H

//===- lib/Import/Onnx/Constants.h - element types, constants in the IR ----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_CONSTANTS_H
#define CUPOLA_LIB_IMPORT_ONNX_CONSTANTS_H

#include "lib/Import/Onnx/Known.h"
#include "lib/Import/Onnx/TensorData.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace onnx {
class TypeProto;
}

namespace cupola::onnx_import {

/// Null for types without a place in the graph dialect (strings, complex, 4 and 8
/// bit floats...).
mlir::Type elementTypeOf(int32_t dataType, mlir::MLIRContext *context);
/// The reverse, also of narrow types (NarrowTypes.h).
int32_t dataTypeOf(mlir::Type element);
/// The type of a tensor, for ONNX; an extent that is no number is left open.
onnx::TypeProto typeProtoOf(mlir::Type element, llvm::ArrayRef<Expr> shape);

/// Large ones share the tensor's memory (dialects/Graph/Constants.h).
mlir::ElementsAttr constantAttr(const TensorValue &tensor, mlir::Type element);

/// The elements, when there are at most Known::maxElements of an integer or bool type, or
/// Known::maxReals of a float type, up to 64 bits.
std::optional<Known> knownElements(const TensorValue &tensor, mlir::Type element);

/// A constant Known as an attribute.
mlir::DenseElementsAttr attributeOf(const Known &known, mlir::Type element);

/// `value` as an element of `type` would hold it (float32 rounding and so on).
double roundedTo(mlir::Type type, double value);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_CONSTANTS_H

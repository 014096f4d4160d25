//===- lib/Import/Onnx/NarrowTypes.h - types that only constants have ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Integers of 2 and 4 bits and floats of 4 and 8 bits have no place in the graph dialect. A
// constant of them is held in a wider type that has all their values, while its record keeps
// the type that the model says. Ops that move such elements or make wider ones of them take
// it; to all others the wider type could mean something else.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_NARROWTYPES_H
#define CUPOLA_LIB_IMPORT_ONNX_NARROWTYPES_H

#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Import/Onnx/TensorData.h"

namespace cupola::onnx_import {

/// Null for all other types.
Type narrowTypeOf(int32_t dataType, mlir::MLIRContext *context);
/// The reverse; nullopt for types that are not narrow.
std::optional<int32_t> narrowDataTypeOf(Type element);
/// In which elements are held: int8, uint8 or float16, of strings int64; all others in themselves.
Type heldIn(Type element);
/// The elements of a narrow type in the type that holds them.
TensorValue widened(const TensorValue &tensor, Type narrow);

/// Throws where a result of the model or of a body, which `what` names, has such a type.
void refuseNarrow(const GraphBuilder &builder, const TensorRecord &tensor, const std::string &what);
/// Throws where an operand has a narrow type that the op does not take.
void checkNarrowOperands(const onnx::NodeProto &node, const OpBinder &op);
/// Results that are moved elements of a narrow operand have its type.
void keepNarrowType(const onnx::NodeProto &node, const OpBinder &op);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_NARROWTYPES_H

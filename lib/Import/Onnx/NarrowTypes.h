//===- lib/Import/Onnx/NarrowTypes.h - types that kernels do not have ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Integers of 2 and 4 bits and floats of 4 and 8 bits have no place in the graph dialect. A tensor of them is *held* in
// one of bytes, integers as numbers and floats as their bits, while its record keeps the type that the model says. Ops
// that move such elements, or make numbers of them, take it; to all others the bytes would mean something else.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_NARROWTYPES_H
#define CUPOLA_LIB_IMPORT_ONNX_NARROWTYPES_H

#include "lib/Import/Onnx/NarrowFloats.h"
#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Import/Onnx/TensorData.h"

namespace cupola::onnx_import {

/// The element type of a TensorProto.DataType, narrow, of strings, or of the graph dialect; null where there is none.
Type modelTypeOf(int32_t dataType, mlir::MLIRContext *context);
/// Null for all other types.
Type narrowTypeOf(int32_t dataType, mlir::MLIRContext *context);
/// The row of the narrow type `element`; null for all other types.
const format::ElementType *narrowRowOf(Type element);
inline bool isNarrow(Type element) { return narrowRowOf(element) != nullptr; }
/// The row of any TensorRecord::element: narrow, of strings, or of the graph dialect.
const format::ElementType &modelRowOf(Type element);
/// Whether it is float8e8m0, powers of two that only scales are.
bool isPower(Type element);

/// int8 or uint8, which is the type's `storage`, of strings int64 (StringTypes.h); all others in themselves.
Type heldIn(Type element);
/// The elements of a constant of a narrow type, packed as ONNX has them, as the type that holds them.
TensorValue unpacked(const TensorValue &tensor, Type narrow);

/// What an input of the model, whose bytes have the elements in their low bits, holds. The rest of a byte may be
/// anything.
Value heldOf(GraphBuilder &b, Value bytes, Type element);
/// The reverse, with 0 in the rest. In both, what is not narrow stays as it is.
Value bytesOf(GraphBuilder &b, Value held, Type element);
/// As numbers of a type that kernels have: integers as they are held, floats in f32. What is not narrow, as it is.
Value numbersOf(GraphBuilder &b, Value held, Type element);
/// Numbers rounded to a narrow type. Integers keep their low bits.
Value roundedTo(GraphBuilder &b, Value numbers, Type narrow, const NarrowRounding &rounding);

/// Throws where an operand has a narrow type that the op does not take.
void checkNarrowOperands(const onnx::NodeProto &node, const OpBinder &op);
/// Results that are moved elements of a narrow operand have its type.
void keepNarrowType(const onnx::NodeProto &node, const OpBinder &op);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_NARROWTYPES_H

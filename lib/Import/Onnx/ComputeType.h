//===- lib/Import/Onnx/ComputeType.h - where types meet, and round once ---===//
// SPDX-License-Identifier: Apache-2.0
//
// An op that mixes element types, or takes several steps, is computed in a type that
// holds what it is given; its result is rounded to the type that ONNX states once, at
// the end. Between the steps of a formula nothing is rounded to an integer, a float16 or
// a bfloat16.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_COMPUTETYPE_H
#define CUPOLA_LIB_IMPORT_ONNX_COMPUTETYPE_H

#include "lib/Import/Onnx/GraphBuilder.h"

namespace cupola::onnx_import {

/// Whether every value of the integer (or bool) type `from` is one of `to`.
bool holdsInteger(Type to, Type from);

/// The first of float16, bfloat16, float32 and float64 that holds all values of all
/// `types`; float64 where none does (64-bit integers).
Type commonFloat(llvm::ArrayRef<Type> types);

/// In which a formula over elements of these types is computed: commonFloat, but float32
/// at least.
Type formulaType(llvm::ArrayRef<Type> types);

/// formula(value) with its steps in formulaType, rounded to the element type of `value`.
Value roundedOnce(GraphBuilder &b, Value value, llvm::function_ref<Value(Value)> formula);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_COMPUTETYPE_H

//===- lib/Target/CPU/Scalars.h - one meaning per kind of scalar function ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Tables from the kinds of dialects/Graph/GraphEnums.td to code. Operands are values
// of valueType(element), scalars or vectors.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_SCALARS_H
#define CUPOLA_LIB_TARGET_CPU_SCALARS_H

#include "lib/Target/CPU/Code.h"

namespace cupola::cpu {

/// Whether there is code for the kind on this element type.
bool supportsUnary(graph::UnaryKind kind, mlir::Type element);
bool supportsBinary(graph::BinaryKind kind, mlir::Type element);

mlir::Value emitUnary(Code &code, graph::UnaryKind kind, mlir::Type element, mlir::Value x, double alpha, double beta);
mlir::Value emitBinary(Code &code, graph::BinaryKind kind, mlir::Type element, mlir::Value lhs, mlir::Value rhs);
/// Combines two partial results of a reduction.
mlir::Value emitCombine(Code &code, graph::ReduceKind kind, mlir::Type element, mlir::Value lhs, mlir::Value rhs);
/// The neutral element of a reduction, as a scalar.
mlir::Value emitNeutral(Code &code, graph::ReduceKind kind, mlir::Type element);

/// graph.cast: float to integer truncates and saturates, NaN becomes 0; to bool: != 0.
mlir::Value emitCast(Code &code, mlir::Type from, mlir::Type to, mlir::Value x);

/// x between two numbers; `low` for a NaN.
mlir::Value emitBetween(Code &code, mlir::Value x, double low, double high);

/// f16 and bf16 to f32 and back (to the nearest, ties to even); others unchanged.
mlir::Value widen(Code &code, mlir::Type element, mlir::Value x);
mlir::Value narrow(Code &code, mlir::Type element, mlir::Value x);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_SCALARS_H

//===- dialects/Graph/ElementTypes.h - element types as MLIR has them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_ELEMENTTYPES_H
#define CUPOLA_DIALECTS_GRAPH_ELEMENTTYPES_H

#include "lib/Runtime/Format/ElementTypes.h"

#include "mlir/IR/Types.h"

namespace cupola::graph {

/// f16, bf16, i8 (signless is signed), ui8, i1 (bool), ..; of types that stand at the interface alone, the storage's
mlir::Type typeOf(format::DType dtype, mlir::MLIRContext *context);
/// Its inverse; `element` is an element type of the graph dialect. Of float8 the type itself, not its storage.
format::DType dtypeOf(mlir::Type element);
/// The row of the table (lib/Runtime/Format/ElementTypes.h).
const format::ElementType &elementTypeOf(mlir::Type element);
/// Bytes of an element in memory; a bool takes one.
int64_t byteSize(mlir::Type element);
/// f8E4M3FN or f8E5M2: the bits of ui8 taken as numbers, which casts and contractions read and nothing computes.
bool isFloat8(mlir::Type element);
/// What sums and products of the type are computed in: f32 for f16, bf16 and float8, else itself.
mlir::Type accumulatorOf(mlir::Type element);
/// The element type of a contraction's result. i32 for i16, which holds any byte less a zero point, and for i8 on the
/// right and i8 or ui8 on the left; f32 for two of float8; else that of the operands, which are of one type. Null for
/// other pairs.
mlir::Type productOf(mlir::Type left, mlir::Type right);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_ELEMENTTYPES_H

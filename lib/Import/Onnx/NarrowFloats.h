//===- lib/Import/Onnx/NarrowFloats.h - bits of narrow floats and numbers --===//
// SPDX-License-Identifier: Apache-2.0
//
// Floats of up to 8 bits are held as their bits, which ops that move elements leave as they are. Formulas of integers
// turn them into numbers and back: they join kernels like any pointwise op, on every target. The numbers of
// float8e4m3fn and float8e5m2 come of casts, which products of such operands read through.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_NARROWFLOATS_H
#define CUPOLA_LIB_IMPORT_ONNX_NARROWFLOATS_H

#include "lib/Import/Onnx/GraphBuilder.h"
#include "lib/Runtime/Format/NarrowFloats.h"

namespace cupola::onnx_import {

enum class RoundMode : uint8_t { Up, Down, Nearest };

/// What ONNX's attributes of the same names say.
struct NarrowRounding {
  bool saturate = true;           ///< what is too large becomes the largest number, else infinity or NaN
  RoundMode mode = RoundMode::Up; ///< to float8e8m0; other types have the nearest number, of two the even one
};

/// The numbers of `bits` (ui8) in f32, exactly.
Value numbersOfBits(GraphBuilder &b, Value bits, const format::NarrowFloat &type);
/// The bits (ui8) of `numbers`, which are rounded once from whatever number type they have.
Value bitsOfNumbers(GraphBuilder &b, Value numbers, const format::NarrowFloat &type, const NarrowRounding &rounding);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_NARROWFLOATS_H

//===- lib/Import/Onnx/Ops/IntegerProduct.h - factors of integers ----------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_INTEGERPRODUCT_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_INTEGERPRODUCT_H

#include "lib/Import/Onnx/Ops/Quantize.h"

namespace cupola::onnx_import::quantize {

enum class Side { Left, Right };

/// A zero point or scale of a factor, or of the result: one for all, one per row of a left factor or per column of a
/// right one, or the same for each matrix of a batch. It broadcasts to the product, and to that factor.
Value perLine(OpBinder &op, size_t index, llvm::StringRef name, llvm::ArrayRef<Expr> factor, Side side);
/// The factor, int8 or uint8, in int16 and without its zero point, which is operand `zero`.
Value factorOf(OpBinder &op, size_t index, llvm::StringRef name, size_t zero, Side side);
/// saturate(round(sums * (left * right / result)) + zero), computed in float32.
Value requantized(OpBinder &op, Value sums, Value left, Value right, Value result, Value zero, Type integer);

} // namespace cupola::onnx_import::quantize

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_INTEGERPRODUCT_H

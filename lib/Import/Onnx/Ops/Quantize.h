//===- lib/Import/Onnx/Ops/Quantize.h - scales and zero points -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// An integer q stands for the number (q - zero point) * scale. Products of integers are
// summed in int32, exactly but for sums that leave it, which wrap; what is rounded to
// an integer is rounded half to even and cut off at the ends of the type.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_QUANTIZE_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_QUANTIZE_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import::quantize {

/// Throws unless the operand has elements of int8 or uint8.
void requireByte(OpBinder &op, size_t index, llvm::StringRef name);
/// The operand, which must be one number, with rank 0.
Value number(OpBinder &op, size_t index, llvm::StringRef name);
/// An operand that holds one number, or one for each position along `axis` of `shape`: [1.., D, 1..], or rank 0. Which
/// of both may be found when shapes are bound.
Value alongAxis(OpBinder &op, size_t index, llvm::StringRef name, llvm::ArrayRef<Expr> shape, int64_t axis);
/// The zero point, made by `read` of its operand; null where there is none, or a constant 0.
Value zeroPoint(OpBinder &op, size_t index, llvm::function_ref<Value()> read);

/// In which factors of products are centred: int16, whose products are summed in int32.
Type factorType(OpBinder &op);
/// `value` in `type`, without `zero`; null: 0.
Value centred(OpBinder &op, Value value, Value zero, Type type);
/// saturate(round(value) + zero) as an integer type; null: 0.
Value rounded(OpBinder &op, Value value, Value zero, Type integer);
/// The numbers that integers stand for, in the type of `scale`, which is float32 at least.
Value numbersOf(OpBinder &op, Value integers, Value scale, Value zero);
/// The integers that stand for `numbers`, which have the type of `scale`.
Value integersOf(OpBinder &op, Value numbers, Value scale, Value zero, Type integer);

/// Numbers of blocks as numbers of elements: each one `block` times along `axis`, cut off at `shape`.
Value ofBlocks(OpBinder &op, Value value, llvm::ArrayRef<Expr> shape, int64_t axis, int64_t block);

/// Integers, and what they stand for.
struct Quantised {
  Value integers, scale, zero;
};
/// As DynamicQuantizeLinear does it: the range of all elements (float32) and 0 becomes that of uint8. What the
/// dimensions before `apart` tell apart has ranges of its own; scale and zero point are then [.., 1, 1].
Quantised dynamically(OpBinder &op, Value numbers, int64_t apart = 0);

} // namespace cupola::onnx_import::quantize

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_QUANTIZE_H

//===- lib/Transforms/Quantized/ByteOperands.h - operands of products that are bytes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEOPERANDS_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEOPERANDS_H

#include "lib/Transforms/Quantized/QuantizedProducts.h"

namespace cupola {

/// A left operand of i8 or ui8, less zero points, behind views.
struct ByteOperand {
  mlir::Value bytes;
  mlir::Value zero;                           ///< broadcasts to `bytes`, the same along the last dimension; null: 0
  llvm::SmallVector<mlir::Operation *> views; ///< the one next to `bytes` first
  llvm::SmallVector<mlir::Operation *> ops;   ///< that become part of the product

  bool hasOneZero() const; ///< for all elements
};

/// `value` as such an operand, whatever its elements are cast to. Behind views all elements have one zero point.
std::optional<ByteOperand> byteOperand(mlir::Value value);

/// Whether the pass `graph-byte-products` makes a product of bytes of what `graph-integer-products` makes of this one:
/// the left operand is as above, the right one a constant that i8 holds once a number is taken from all of it.
bool isOfBytes(mlir::Operation *contraction, const QuantizedProduct &product);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEOPERANDS_H

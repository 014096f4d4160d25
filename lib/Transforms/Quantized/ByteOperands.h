//===- lib/Transforms/Quantized/ByteOperands.h - operands of products that are bytes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEOPERANDS_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEOPERANDS_H

#include "lib/Transforms/Quantized/QuantizedProducts.h"

namespace cupola {

/// A left operand of i8 or ui8, less one number for all elements, behind views.
struct ByteOperand {
  mlir::Value bytes;
  mlir::Value zero;                           ///< all elements are the same; null: 0
  llvm::SmallVector<mlir::Operation *> views; ///< the one next to `bytes` first
  llvm::SmallVector<mlir::Operation *> ops;   ///< that become part of the product
};

/// `value` as such an operand, whatever its elements are cast to. A border of zeros among its views becomes one of zero
/// points, which have to be known for it.
std::optional<ByteOperand> byteOperand(mlir::Value value);

/// Whether the pass `graph-byte-products` makes a product of bytes of what `graph-integer-products` makes of this: the
/// left operand is as above, the right one a constant that i8 holds.
bool isOfBytes(const QuantizedProduct &product);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEOPERANDS_H

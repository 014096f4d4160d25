//===- lib/Transforms/Quantized/QuantizedProducts.h - contractions of dequantised bytes ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Models store bytes beside scales and write `(q - zero) * scale` in front of each product: the product of integers
// times the product of both scales, exactly, where a scale belongs to all of the left operand and to a column of the
// right one. Bytes of float8 have no zero point, and sums of their products are as exact as those of f32.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_QUANTIZEDPRODUCTS_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_QUANTIZEDPRODUCTS_H

#include "dialects/Graph/Graph.h"

#include <optional>

namespace cupola {

/// A float operand as integers between -255 and 255, or as float8, times a scale, behind views.
struct DequantizedOperand {
  mlir::Value numbers;                        ///< floats, still without the views
  mlir::Value scale;                          ///< broadcast to the shape of `numbers`; null: 1
  mlir::Operation *product = nullptr;         ///< of both; null without a scale
  llvm::SmallVector<mlir::Operation *> views; ///< the one next to `numbers` first
  bool isFloat8 = false;
};

struct QuantizedProduct {
  DequantizedOperand left, right;
  int64_t columns = -1; ///< the dimension of right.scale that is the columns of the result; -1: one scale for all

  bool isFloat8() const { return left.isFloat8; } ///< as is the right one
};

/// Nothing for ops that are no contraction of f32, of float8 one of f16 or bf16, or whose operands are others.
std::optional<QuantizedProduct> quantizedProduct(mlir::Operation *op);

/// The numbers of an operand, as i16 or float8 and without its views; made at the builder's place.
mlir::Value numbersOf(mlir::OpBuilder &b, const DequantizedOperand &operand);
/// The same view of an operand of the same shape with elements of another type; a pad puts `fill` around them.
mlir::Value viewOf(mlir::OpBuilder &b, mlir::Operation *view, mlir::Value operand, int64_t fill = 0);

/// What only makes right operands of quantised products in the block.
llvm::DenseSet<mlir::Operation *> quantizedWeights(mlir::Block &body);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_QUANTIZEDPRODUCTS_H

//===- lib/Transforms/Quantized/ByteWeights.h - constant weights as bytes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEWEIGHTS_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEWEIGHTS_H

#include "dialects/Graph/Graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cupola {

/// Matrices of constant weights, one behind the other: an element is its byte plus the offset of its column. Weights of
/// ui8 less a zero point in the middle of them need one bit more than i8 has, and an offset.
struct ByteWeights {
  int64_t rows, columns; ///< of each matrix; of a convolution's weights all but the last dimension are rows
  std::vector<int8_t> bytes;
  std::vector<int32_t> offsets; ///< of every column of every matrix, or one for all; empty: none
  std::vector<int32_t> sums;    ///< over the rows, of the elements themselves: of every column of every matrix
};

/// The right operand of a matmul or of a convolution, channels last; nothing if it is no constant of i16, or some
/// column has elements that lie more than 255 apart.
std::optional<ByteWeights> byteWeights(mlir::Operation *product);

/// The bytes of weights of such a product with columns as rows.
std::vector<int8_t> turned(mlir::Operation *product, llvm::ArrayRef<int8_t> weights);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTEWEIGHTS_H

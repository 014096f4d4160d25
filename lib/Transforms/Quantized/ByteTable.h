//===- lib/Transforms/Quantized/ByteTable.h - numbers that bytes stand for ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Weights of a few bits are made of a constant of bytes by shifts, masks and casts, each element of one byte and of its
// position among the elements of that byte. So the interpreter is asked for what the 256 bytes become, not for what
// hundreds of millions of them do.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTETABLE_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTETABLE_H

#include "dialects/Graph/Graph.h"

#include <optional>
#include <vector>

namespace cupola {

/// Element (outer * lanes + lane) * inner + i, in row-major order, is numbers[bytes[outer * inner + i] * lanes + lane].
struct ByteTable {
  static constexpr size_t bytesThereAre = 256;

  llvm::ArrayRef<uint8_t> bytes; ///< of a constant, in place
  int64_t lanes = 1, inner = 1;
  std::vector<float> numbers; ///< [256][lanes], as the cast to float of the elements

  /// Of a value of static shape that nothing but constants make; nothing where this is not all that it is made by.
  static std::optional<ByteTable> of(mlir::Value value);
};

/// A slice of all there is.
bool isWhole(graph::SliceOp slice);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_BYTETABLE_H

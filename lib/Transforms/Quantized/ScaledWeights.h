//===- lib/Transforms/Quantized/ScaledWeights.h - constant integers times scales ---===//
// SPDX-License-Identifier: Apache-2.0
//
// How a model writes its weights does not matter: all that makes them are constants, so the integers and the scales are
// computed and looked at.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_SCALEDWEIGHTS_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_SCALEDWEIGHTS_H

#include "lib/Transforms/Quantized/ConstantNumbers.h"

namespace cupola {

/// The right operand [depth, columns] of a product as `integers * scale`.
struct ScaledWeights {
  int64_t depth, columns;
  mlir::Type element;        ///< of the multiplication
  ConstantIntegers integers; ///< [columns, depth], between -255 and 255
  ConstantRuns scales;       ///< [columns, depth], in runs that divide the depth

  float scaleAt(int64_t column, int64_t k) const { return scales.numbers[(column * depth + k) / scales.run]; }
  /// Of blocks of so many neighbours along the depth, in each of which it does not change: [columns, blocks].
  std::vector<float> scalesOf(int64_t block) const;
  /// Whether no scale changes within blocks of so many neighbours along the depth, which they divide.
  bool hasBlocks(int64_t size) const;
  /// The longest blocks of 16 to 128 of which a byte holds what integers are more than the least; 0: there are none.
  int64_t blockOfBytes(unsigned threads) const;
};

/// The largest magnitudes of integers less their zero points: of 8 bits, and of 4.
constexpr int mostOfByte = 255, mostOfNibble = 15;
/// How many integers so many bits hold.
constexpr int levelsOfByte = 256, levelsOfNibble = 16;

/// Of a matrix that constants make, bytes among them, by a multiplication in up to 32 bits of integers of no larger
/// magnitude than `most`; else nothing. What the builder makes at its place is gone again. On up to `threads` threads.
/// The constants have to stay as long as the result.
std::optional<ScaledWeights> scaledWeights(mlir::OpBuilder &b, mlir::Value rhs, int most, unsigned threads = 1);

/// Whether rows of a product may become bytes where its model permits it: floats of up to 32 bits meet constants that
/// are made of bytes.
bool canRoundRows(graph::MatMulOp product);
/// The largest magnitude of integers for which they do; none: its model, or the user, forbids it.
std::optional<int> mostRounded(graph::MatMulOp product);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_SCALEDWEIGHTS_H

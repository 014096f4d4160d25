//===- lib/Transforms/Quantized/ConstantNumbers.h - integers and scales that constants make ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Of matrices of hundreds of millions of elements, so none is kept in memory that can be told from the model's bytes.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_QUANTIZED_CONSTANTNUMBERS_H
#define CUPOLA_LIB_TRANSFORMS_QUANTIZED_CONSTANTNUMBERS_H

#include "lib/Transforms/Quantized/ByteTable.h"

namespace cupola {

/// Element i, in row-major order, is numbers[i / run].
struct ConstantRuns {
  std::vector<float> numbers;
  int64_t run = 1;

  /// Of a value of static shape, which constants make; its runs divide `most`. On up to `threads` threads. Nothing
  /// where it has no value.
  static std::optional<ConstantRuns> of(mlir::Value value, int64_t most, unsigned threads);
};

/// Elements in row-major order, of magnitudes that i16 holds.
class ConstantIntegers {
public:
  /// Elements are found in this many at a time, the first of which is a multiple of it.
  static constexpr int64_t piece = 4096;
  /// The largest magnitude of a number in a table, and of what is added to it.
  static constexpr int mostOfTable = 255;

  explicit ConstantIntegers(std::vector<int16_t> all);
  /// Of a value [columns, depth] which is a table's number for each byte, more or less another one for each run of the
  /// depth; nothing where it is none. What is no integer is told by `areIntegers`.
  static std::optional<ConstantIntegers> of(mlir::Value value, unsigned threads);

  bool areIntegers() const { return areAll; }
  int16_t least() const { return low; }    ///< or less than the least
  int16_t largest() const { return high; } ///< or more than the largest
  int64_t count() const { return elements; }
  /// For every block of so many neighbours a number that its integers are less than `levels` more than, and not less
  /// than; one for all where that is enough. Nothing where they lie further apart. Blocks divide the depth.
  std::optional<std::vector<int16_t>> offsetsOf(int64_t block, int levels, unsigned threads) const;
  void read(int64_t first, int64_t size, int16_t *out) const;
  /// Calls visit(first, integers) with all pieces, on up to `threads` threads.
  void forPieces(unsigned threads, llvm::function_ref<void(int64_t, llvm::ArrayRef<int16_t>)> visit) const;

private:
  ConstantIntegers() = default;
  bool take(const ByteTable &from, unsigned threads);
  void readTable(int64_t first, int64_t size, int16_t *out) const;
  std::optional<std::vector<int16_t>> leastOfBlocks(int64_t block, int levels, unsigned threads) const;

  llvm::ArrayRef<uint8_t> bytes;
  int64_t lanes = 1, inner = 1;
  std::vector<int16_t> table; ///< as of ByteTable; empty: there is none
  int16_t tableLow = 0, tableHigh = 0;
  std::vector<int16_t> offsets; ///< of runs, which are added; empty: none are
  int64_t run = 1;
  std::vector<int16_t> all; ///< where there is no table
  int64_t elements = 0;
  int16_t low = 0, high = 0;
  bool areAll = true;
};

/// The elements of a value, in row-major order, on up to `threads` threads; nothing where it has none.
std::optional<std::vector<float>> elementsOf(mlir::Value value, unsigned threads);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_QUANTIZED_CONSTANTNUMBERS_H

//===- lib/Runtime/Format/TensorMapLimits.h - What a tensor map can say ---===//
// SPDX-License-Identifier: Apache-2.0
//
// By the PTX ISA ("Tensors"), cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col. Dialects, format, runtime and
// simulator refuse what is outside.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_TENSORMAPLIMITS_H
#define CUPOLA_LIB_RUNTIME_FORMAT_TENSORMAPLIMITS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace cupola::format {

constexpr size_t kTensorMapRank = 5;    ///< dimensions, at least 1
constexpr uint32_t kTensorMapBox = 256; ///< elements of a box in each dimension, at least 1
constexpr uint32_t kTensorMapUnit = 16; ///< bytes: addresses, strides and rows of a box are multiples

constexpr uint32_t kTensorWindowStep = 8; ///< of a window, at least 1

/// What a window over so many dimensions has less of: its corners are -limit to limit - 1 ..
constexpr int64_t tensorWindowCorner(size_t dimensions) { return dimensions == 1 ? 32768 : dimensions == 2 ? 128 : 16; }
/// .. and a tap is 0 to limit - 1 of each behind the begin of its place.
constexpr int64_t tensorWindowTaps(size_t dimensions) { return 2 * tensorWindowCorner(dimensions); }

/// Which rule a window breaks over the dimensions between the innermost and the outermost of `rank`; empty: none.
template <class Corners, class Steps>
std::string tensorWindowFault(size_t rank, const Corners &lower, const Corners &upper, const Steps &steps) {
  if (rank < 3)
    return "a window over " + std::to_string(rank) + " dimensions, possible are 3 to " + std::to_string(kTensorMapRank);
  if (lower.size() != rank - 2 || upper.size() != rank - 2 || steps.size() != rank - 2)
    return "a window without a corner or a step for each of " + std::to_string(rank - 2) + " dimensions";
  const int64_t limit = tensorWindowCorner(rank - 2);
  for (size_t d = 0; d < rank - 2; ++d) {
    if (lower[d] < -limit || lower[d] >= limit || upper[d] < -limit || upper[d] >= limit)
      return "a window from " + std::to_string(lower[d]) + " to " + std::to_string(upper[d]) + ", possible are " +
             std::to_string(-limit) + " to " + std::to_string(limit - 1);
    if (steps[d] < 1 || steps[d] > kTensorWindowStep)
      return "a window with a step of " + std::to_string(steps[d]) + ", possible are 1 to " +
             std::to_string(kTensorWindowStep);
  }
  return {};
}

/// The bytes over which the units of a row are spread; 0: they are not.
constexpr bool isSwizzle(int64_t bytes) { return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128; }

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_TENSORMAPLIMITS_H

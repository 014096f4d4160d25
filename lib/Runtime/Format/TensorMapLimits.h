//===- lib/Runtime/Format/TensorMapLimits.h - What a tensor map can say ---===//
// SPDX-License-Identifier: Apache-2.0
//
// By the PTX ISA ("Tensors") and cuTensorMapEncodeTiled. Dialects, format, runtime and simulator refuse what is
// outside.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_TENSORMAPLIMITS_H
#define CUPOLA_LIB_RUNTIME_FORMAT_TENSORMAPLIMITS_H

#include <cstddef>
#include <cstdint>

namespace cupola::format {

constexpr size_t kTensorMapRank = 5;    ///< dimensions, at least 1
constexpr uint32_t kTensorMapBox = 256; ///< elements of a box in each dimension, at least 1
constexpr uint32_t kTensorMapUnit = 16; ///< bytes: addresses, strides and rows of a box are multiples

/// The bytes over which the units of a row are spread; 0: they are not.
constexpr bool isSwizzle(int64_t bytes) { return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128; }

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_TENSORMAPLIMITS_H

//===- lib/Sim/WgmmaLayout.h - Where wgmma finds its operands and leaves its results ---===//
// SPDX-License-Identifier: Apache-2.0
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions": matrix descriptors, canonical
// layouts of 16-bit operands in shared memory, register fragments. Tensor copies swizzle by the same rule.
#ifndef CUPOLA_LIB_SIM_WGMMALAYOUT_H
#define CUPOLA_LIB_SIM_WGMMALAYOUT_H

#include <cstdint>

namespace cupola::sim {

/// Where the byte goes that lies at `address` without a swizzle of `span` bytes (0, 32, 64 or 128): the number of a row
/// of 128 bytes, of eight, is added (without carry) to that of the 16 bytes in it, as far as the span has some.
constexpr uint32_t swizzled(uint32_t address, uint32_t span) {
  return span == 0 ? address : address ^ (address >> 7 & (span / 16 - 1)) << 4;
}

/// A matrix descriptor in bytes.
struct MatrixDescriptor {
  uint32_t start, leading, stride;
  uint32_t span; ///< of the swizzle

  static constexpr MatrixDescriptor decode(uint64_t bits) {
    constexpr uint32_t spans[] = {0, 128, 64, 32};
    return {uint32_t(bits & 0x3fff) << 4, uint32_t(bits >> 16 & 0x3fff) << 4, uint32_t(bits >> 32 & 0x3fff) << 4,
            spans[bits >> 62]};
  }

  /// The byte, within shared memory, of element k below 16 of row (of A) or column (of B) `outer`, where k is
  /// innermost: groups of eight rows of `span` bytes, `stride` apart.
  constexpr uint32_t alongK(uint32_t outer, uint32_t k) const {
    return swizzled(start + outer / 8 * stride + outer % 8 * span + 2 * k, span);
  }
  /// The same where the rows or columns are innermost, `span` bytes of them: groups of them are `leading` apart, groups
  /// of eight k `stride`.
  constexpr uint32_t alongOuter(uint32_t outer, uint32_t k) const {
    const uint32_t wide = span / 2;
    return swizzled(start + outer / wide * leading + k / 8 * stride + k % 8 * span + outer % wide * 2, span);
  }
};

/// Row and column, of 64 x 8*J, of element `e` below 4 of accumulator j below J of thread `t` of a warpgroup.
constexpr uint32_t wgmmaRow(uint32_t t, uint32_t e) { return t / 32 * 16 + t % 32 / 4 + e / 2 * 8; }
constexpr uint32_t wgmmaColumn(uint32_t t, uint32_t j, uint32_t e) { return 8 * j + t % 4 * 2 + e % 2; }

} // namespace cupola::sim

#endif

//===- lib/Sim/TensorMap.h - What a tensor map holds in simulated memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// On a GPU the driver makes the 128 bytes of a map, and only hardware reads them. These stand in their place.
#ifndef CUPOLA_LIB_SIM_TENSORMAP_H
#define CUPOLA_LIB_SIM_TENSORMAP_H

#include <cstdint>

namespace cupola::sim {

struct TensorMap {
  static constexpr uint32_t kMagic = 0x70616d74;
  static constexpr unsigned kMaxRank = 5;

  uint64_t address;            ///< of the tensor, a multiple of 16
  uint64_t strides[4];         ///< bytes, of all dimensions but the innermost; multiples of 16
  uint32_t extents[5], box[5]; ///< elements, the innermost dimension first
  uint32_t elementBytes, rank;
  uint32_t swizzle; ///< bytes: 0 (none), 32, 64 or 128
  uint32_t magic;   ///< kMagic
  uint8_t unused[32];
};
static_assert(sizeof(TensorMap) == 128, "as long as the driver's");

} // namespace cupola::sim

#endif

//===- lib/Sim/TensorMap.h - A tensor map as simulated kernels find it ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_TENSORMAP_H
#define CUPOLA_LIB_SIM_TENSORMAP_H

#include "lib/Runtime/Format/Plan.h"

#include <cstdint>

namespace cupola::sim {

constexpr uint32_t kTensorMapMagic = 0x70616d74; // "tmap"

/// What stands for a GPU's opaque descriptor. Dimensions from the innermost on; entries beyond `rank` are 0.
struct TensorMap {
  uint64_t address;
  uint64_t strides[4]; ///< bytes, of all dimensions but the innermost
  uint32_t extents[5]; ///< elements
  uint32_t box[5];     ///< elements
  uint32_t elementBytes;
  uint32_t rank;
  uint32_t swizzle;           ///< bytes: 0, 32, 64 or 128
  uint32_t magic;             ///< kTensorMapMagic; else it is no tensor map
  int32_t lower[3], upper[3]; ///< the window's corners
  uint8_t steps[3];           ///< 0: there is no window
  unsigned char unused[5];

  bool hasWindow() const { return steps[0] != 0; }
};
static_assert(sizeof(TensorMap) == format::kTensorMapBytes);

} // namespace cupola::sim

#endif // CUPOLA_LIB_SIM_TENSORMAP_H

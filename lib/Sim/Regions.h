//===- lib/Sim/Regions.h - Which addresses the running launch may touch ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_REGIONS_H
#define CUPOLA_LIB_SIM_REGIONS_H

#include "lib/Sim/Machine.h"

#include <string>

namespace cupola::sim {

/// Fills machine.regions from the launch's buffers; those that overlap become one region.
void buildRegions(std::vector<Region::Part> parts);

/// The region that holds `address`, or null.
Region *findRegionSlow(uintptr_t address);
inline Region *findRegion(uintptr_t address) {
  Region *last = machine.lastRegion;
  if (last && address - last->begin < last->end - last->begin)
    return last;
  return findRegionSlow(address);
}

/// Whether the access lies within one buffer of the region, and that may be written if `write`.
bool isAllowedSlow(const Region &region, uintptr_t address, unsigned bytes, bool write);
inline bool isAllowed(const Region &region, uintptr_t address, unsigned bytes, bool write) {
  if (region.parts.size() == 1)
    return address + bytes <= region.end && (!write || region.writable);
  return isAllowedSlow(region, address, bytes, write);
}

size_t cellCount(const Region &region);

/// "shared+64", "buffer 2 (1024 bytes) + 1024", ...
std::string describeAddress(uintptr_t address);

} // namespace cupola::sim

#endif

//===- lib/Sim/Regions.cpp - Which addresses the running launch may touch ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Regions.h"

#include <algorithm>

namespace cupola::sim {

size_t cellCount(const Region &region) { return ((region.end - region.begin) >> region.shift) + 1; }

namespace {

void findWritten(Region &region) {
  Allocation *allocation = machine.memory->find(region.begin);
  if (!allocation)
    return;
  const uint64_t offset = region.begin - allocation->base, bytes = region.end - region.begin;
  if (allocation->written.firstUnset(offset, bytes) < 0)
    return; // all there, and it stays so: no check per access
  region.written = &allocation->written;
  region.writtenBase = allocation->base;
}

/// What a kernel may read before it waits: memory of the device into which no launch could write since the host waited,
/// this one included, and memory that is not the device's but is named by its address, weights that lie where the
/// package does.
void findFixed() {
  for (const Region &region : machine.regions)
    if (Allocation *allocation = machine.memory->find(region.begin); allocation && region.writable)
      allocation->byKernels = true;
  for (Region &region : machine.regions) {
    const Allocation *allocation = machine.memory->find(region.begin);
    const auto isNamed = [](const Region::Part &part) { return part.isNamed && !part.writable; };
    region.isFixed =
        allocation ? !allocation->byKernels : std::all_of(region.parts.begin(), region.parts.end(), isNamed);
  }
}

std::string partName(const Region::Part &part) {
  const std::string name = part.buffer == -1   ? "the bindings table"
                           : part.buffer == -2 ? "the flag block"
                                               : "buffer " + std::to_string(part.buffer);
  return name + " (" + std::to_string(part.end - part.begin) + " bytes)";
}

} // namespace

void buildRegions(std::vector<Region::Part> parts) {
  parts.erase(std::remove_if(parts.begin(), parts.end(), [](const Region::Part &p) { return p.begin == p.end; }),
              parts.end());
  std::sort(parts.begin(), parts.end(), [](const Region::Part &a, const Region::Part &b) { return a.begin < b.begin; });
  machine.regions.clear();
  machine.lastRegion = nullptr;
  for (const Region::Part &part : parts) {
    if (machine.regions.empty() || part.begin >= machine.regions.back().end)
      machine.regions.push_back({part.begin, part.end, false, false, false, nullptr, 0, 0, 2, {}});
    Region &region = machine.regions.back();
    region.end = std::max(region.end, part.end);
    region.writable |= part.writable;
    region.counted |= part.buffer >= 0;
    region.parts.push_back(part);
  }
  findFixed();
  size_t cells = 0;
  for (Region &region : machine.regions) {
    findWritten(region);
    region.shift = region.begin % 4 == 0 ? 2 : 0;
    region.cells = cells;
    cells += region.writable ? cellCount(region) : 0;
  }
  if (machine.cellPool.size() < cells)
    machine.cellPool.resize(cells);
}

Region *findRegionSlow(uintptr_t address) {
  auto next = std::upper_bound(machine.regions.begin(), machine.regions.end(), address,
                               [](uintptr_t a, const Region &r) { return a < r.begin; });
  if (next == machine.regions.begin())
    return nullptr;
  Region *region = &*std::prev(next);
  if (address >= region->end)
    return nullptr;
  return machine.lastRegion = region;
}

bool isAllowedSlow(const Region &region, uintptr_t address, unsigned bytes, bool write) {
  for (const Region::Part &part : region.parts)
    if (part.begin <= address && address + bytes <= part.end && (!write || part.writable))
      return true;
  return false;
}

std::string describeAddress(uintptr_t address) {
  if (address - machine.allShared < machine.blocks.size() * kMaxSharedBytes) {
    const Block &block = machine.blocks[(address - machine.allShared) / kMaxSharedBytes];
    return "shared+" + std::to_string(address - block.sharedBase) + " (of " + std::to_string(machine.sharedBytes) +
           " bytes)" + (&block == machine.block ? "" : " of " + blockText(block));
  }
  const Region::Part *nearest = nullptr;
  uint64_t best = uint64_t(1) << 20;
  for (const Region &region : machine.regions)
    for (const Region::Part &part : region.parts) {
      const uint64_t distance = address < part.begin  ? part.begin - address
                                : address >= part.end ? address - part.end
                                                      : 0;
      if (distance < best || (distance == best && !nearest)) {
        best = distance;
        nearest = &part;
      }
    }
  if (!nearest)
    return "an address far from every buffer of the launch";
  if (address < nearest->begin)
    return std::to_string(nearest->begin - address) + " bytes before " + partName(*nearest);
  return partName(*nearest) + " + " + std::to_string(address - nearest->begin);
}

} // namespace cupola::sim

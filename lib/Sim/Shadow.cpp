//===- lib/Sim/Shadow.cpp - Races and uninitialised reads: the rare cases and the messages ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Shadow.h"

#include "lib/Sim/Regions.h"

namespace cupola::sim {

namespace {

/// `access` of this block happens before what `t` does now.
bool isOrderedInBlock(Stamp access, const Thread &t) {
  if (access < machine.blockBound)
    return true;
  const uint32_t by = stampThread(access);
  return by / kWarpLanes == t.warp && stampClock(access) < machine.warps[t.warp].syncClock;
}

std::string describe(const Access &access) {
  return std::string(access.atomic  ? "atomic"
                     : access.write ? "write"
                                    : "read") +
         " of " + std::to_string(access.bytes) + " bytes at " + describeAddress(access.address) + " by " + threadText();
}

/// "block 3", for the block that made the stamp.
std::string blockName(Stamp stamp) {
  return "block " + std::to_string(machine.blockOrder[stampBlock(stamp) - stampBlock(machine.launchStart)]);
}

void reportRace(const Access &access, const std::string &earlier, unsigned otherThread) {
  const uintptr_t other = machine.traffic.findAccess(otherThread, access.address, access.bytes);
  machine.reports.add(Finding::Race, describe(access) + " is not ordered after " + earlier, access.pc, other);
}

} // namespace

Stamp mergeRead(Stamp reads, const Thread &t) {
  const uint32_t by = stampThread(reads);
  const bool one = (reads & kFlagMask) == kReadByOne;
  if (one && by == t.index)
    return t.stamp | kReadByOne;
  if (by / kWarpLanes != t.warp)
    return t.stamp | kReadByMany;
  if (stampClock(reads) < machine.warps[t.warp].syncClock)
    return t.stamp | kReadByOne; // whoever is ordered after this read is ordered after those, too
  const uint32_t clock = std::max(stampClock(reads), t.clock);
  return makeStamp(machine.blockSerial, clock, t.index) | kReadByWarp;
}

void checkSharedWrite(Stamp earlier, const Thread &t, const Access &access) {
  const std::string by = "thread " + std::to_string(stampThread(earlier));
  if (earlier & kAsyncFlag) {
    reportRace(access, "the asynchronous copy that " + by + " started and has not waited for", stampThread(earlier));
    return;
  }
  if ((access.atomic && (earlier & kAtomicFlag)) || isOrderedInBlock(earlier, t))
    return;
  reportRace(access, "the write by " + by, stampThread(earlier));
}

void checkSharedReads(Stamp reads, const Thread &t, const Access &access) {
  const uint32_t by = stampThread(reads);
  const Stamp kind = reads & kFlagMask;
  if (kind == kReadByOne && by == t.index)
    return;
  if (kind != kReadByMany && isOrderedInBlock(reads, t))
    return;
  // Of several readers the stamp names the newest, which may be this thread itself.
  const std::string who = kind == kReadByOne || by != t.index
                              ? "thread " + std::to_string(by)
                              : std::string("another thread of the ") + (kind == kReadByWarp ? "warp" : "block");
  reportRace(access, "the read by " + who, by);
}

void checkGlobalWrite(Stamp earlier, const Thread &t, const Access &access) {
  if (earlier >= machine.blockStart) {
    if (earlier >= machine.blockBound)
      checkSharedWrite(earlier, t, access);
    return;
  }
  if ((access.atomic && (earlier & kAtomicFlag)) || machine.order.isOrdered(earlier, t))
    return;
  machine.reports.add(Finding::Race,
                      describe(access) + " is not ordered after the write by thread " +
                          std::to_string(stampThread(earlier)) + " of " + blockName(earlier),
                      access.pc);
}

void checkGlobalReads(Stamp reads, const Thread &t, const Access &access) {
  if (reads >= machine.blockStart) {
    if (reads >= machine.blockBound)
      checkSharedReads(reads, t, access);
    return;
  }
  const bool several = stampClock(reads) == kNeverClock;
  if (several ? machine.order.isAllOrdered(t) : machine.order.isOrdered(reads, t))
    return;
  const std::string who = several
                              ? "reads by several blocks, the first " + blockName(reads)
                              : "the read by thread " + std::to_string(stampThread(reads)) + " of " + blockName(reads);
  machine.reports.add(Finding::Race, describe(access) + " is not ordered after " + who, access.pc);
}

void reportUninitialised(const Access &access) {
  machine.reports.add(Finding::Uninitialised, describe(access) + ", which nobody wrote", access.pc);
}

namespace {
int finestShift(uintptr_t offset, unsigned bytes) { return __builtin_ctzll(offset | bytes | 4); }
} // namespace

void splitSharedCells(uintptr_t offset, unsigned bytes) {
  const int shift = finestShift(offset, bytes);
  const size_t parts = size_t(1) << (machine.sharedShift - shift);
  std::vector<Cell> finer(machine.sharedCells.size() * parts);
  for (size_t i = 0; i < finer.size(); ++i)
    finer[i] = machine.sharedCells[i / parts];
  machine.sharedCells.swap(finer);
  machine.sharedShift = shift;
}

void splitRegionCells(Region &region, uintptr_t offset, unsigned bytes) {
  const int shift = finestShift(offset, bytes);
  const size_t parts = size_t(1) << (region.shift - shift);
  const size_t old = region.cells, count = cellCount(region);
  region.cells = machine.cellPool.size();
  region.shift = shift;
  machine.cellPool.resize(region.cells + count * parts);
  for (size_t i = 0; i < count * parts; ++i)
    machine.cellPool[region.cells + i] = machine.cellPool[old + i / parts];
}

} // namespace cupola::sim

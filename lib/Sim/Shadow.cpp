//===- lib/Sim/Shadow.cpp - Races and uninitialised reads: the rare cases and the messages ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Shadow.h"

#include "lib/Sim/Regions.h"

namespace cupola::sim {

bool isOrderedInBlock(Stamp access, const Thread &t) {
  const uint32_t by = stampThread(access);
  if (machine.isPrecise)
    return stampClock(access) < machine.clocks.known(t.index, by);
  if (access < machine.blockBound)
    return true;
  return by / kWarpLanes == t.warp && stampClock(access) < machine.warps[t.warp].syncClock;
}

bool isOrderedBefore(const ReadSets::Reader &reader, unsigned thread) {
  return reader.thread == ReadSets::kEverybody ? machine.clocks.isBeginKnown(thread)
                                               : reader.clock < machine.clocks.known(thread, reader.thread);
}

namespace {

std::string describe(const Access &access) {
  const std::string what = access.by ? access.by : access.atomic ? "atomic" : access.write ? "write" : "read";
  return what + " of " + std::to_string(access.bytes) + " bytes at " + describeAddress(access.address) + " by " +
         threadText();
}

/// "block 3", for the block that made the stamp.
std::string blockName(Stamp stamp) { return blockText(stampBlock(stamp), stampThread(stamp) / machine.threadCount); }

bool isThread(unsigned number) { return number < machine.threads.size(); }

void reportRace(const Access &access, const std::string &earlier, unsigned otherThread) {
  const uintptr_t other =
      isThread(otherThread) ? machine.traffic.findAccess(otherThread, access.address, access.bytes) : 0;
  machine.reports.add(Finding::Race, describe(access) + " is not ordered after " + earlier, access.pc, other);
}

/// The cell belongs to an mbarrier, or something is still on its way to it.
void reportUnfinished(Stamp earlier, const Access &access) {
  const unsigned by = stampThread(earlier);
  if (isThread(by))
    return reportRace(access, "the asynchronous copy that " + threadName(by) + " started and has not waited for", by);
  const size_t rank = (access.address - machine.allShared) / kMaxSharedBytes;
  const Block &block = machine.blocks[rank];
  const uint64_t offset = access.address - block.sharedBase;
  for (uint64_t at = offset; at < offset + access.bytes; ++at)
    if (const MBarrier *barrier = findMBarrier(block, at)) {
      machine.reports.add(Finding::MBarrier, describe(access) + " touches " + describe(*barrier), access.pc,
                          barrier->initPc);
      return;
    }
  reportRace(access, "a tensor copy that nobody has waited for", by);
}

std::string readerName(unsigned by) { return isThread(by) ? threadName(by) : "a tensor copy"; }

/// With vectors of clocks: every reader for itself.
void checkReaders(Stamp reads, const Thread &t, const Access &access) {
  if (!ReadSets::isSet(reads)) {
    const bool one = (reads & kFlagMask) == kReadByOne;
    const ReadSets::Reader reader = {one ? stampThread(reads) : ReadSets::kEverybody, stampClock(reads)};
    if (reader.thread != t.index && !isOrderedBefore(reader, t.index))
      reportRace(access, "the read by " + (one ? readerName(reader.thread) : "another thread of the block"),
                 stampThread(reads));
    return;
  }
  for (const ReadSets::Reader &reader : machine.readSets.of(reads))
    if (reader.thread != t.index && !isOrderedBefore(reader, t.index)) {
      const bool one = reader.thread != ReadSets::kEverybody;
      reportRace(access, "the read by " + (one ? readerName(reader.thread) : "another thread of the block"),
                 reader.thread);
      break;
    }
  if (access.write)
    machine.readSets.release(reads);
}

} // namespace

Stamp mergeRead(Stamp reads, const Thread &t) {
  if (machine.isPrecise)
    return machine.readSets.add(reads, t.stamp);
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

bool checkProducts(const Block &block, const Thread &t, const Access &access) {
  const Warp *warp = findUnorderedProduct(block, access.address - block.sharedBase, access.bytes, t);
  if (!warp)
    return true;
  const unsigned first = warp->firstThread;
  reportRace(access, "the wgmma of the warp of " + threadName(first) + ", which reads it", first);
  return false;
}

void checkSharedWrite(Stamp earlier, const Thread &t, const Access &access) {
  const unsigned by = stampThread(earlier);
  if (earlier & kAsyncFlag)
    return reportUnfinished(earlier, access);
  if (!(access.atomic && (earlier & kAtomicFlag)) && !isOrderedInBlock(earlier, t))
    return reportRace(access, isThread(by) ? "the write by " + threadName(by) : "a tensor copy", by);
  if (access.write && !isThread(by))
    checkProducts(*t.block, t, access);
}

void checkSharedReads(Stamp reads, const Thread &t, const Access &access) {
  if (machine.isPrecise)
    return checkReaders(reads, t, access);
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

namespace {
/// "thread 3 of block 1", of blocks that ran before.
std::string earlierThread(Stamp stamp) {
  return "thread " + std::to_string(stampThread(stamp) % machine.threadCount) + " of " + blockName(stamp);
}
} // namespace

void checkGlobalWrite(Stamp earlier, const Thread &t, const Access &access) {
  if (earlier >= machine.blockStart) {
    if (earlier >= machine.blockBound)
      checkSharedWrite(earlier, t, access);
    return;
  }
  if ((access.atomic && (earlier & kAtomicFlag)) || machine.order.isOrdered(earlier, t))
    return;
  machine.reports.add(Finding::Race, describe(access) + " is not ordered after the write by " + earlierThread(earlier),
                      access.pc);
}

void checkGlobalReads(Stamp reads, const Thread &t, const Access &access) {
  if (reads >= machine.blockStart) {
    if (reads >= machine.blockBound)
      checkSharedReads(reads, t, access);
    return;
  }
  const bool several = stampClock(reads) == kNeverClock || ReadSets::isSet(reads);
  if (several ? machine.order.isAllOrdered(t) : machine.order.isOrdered(reads, t))
    return;
  const std::string who =
      several ? "reads by several blocks, the first " + blockName(reads) : "the read by " + earlierThread(reads);
  machine.reports.add(Finding::Race, describe(access) + " is not ordered after " + who, access.pc);
}

void reportUninitialised(const Access &access) {
  machine.reports.add(Finding::Uninitialised, describe(access) + ", which nobody wrote", access.pc);
}

namespace {
int finestShift(uintptr_t offset, unsigned bytes) { return __builtin_ctzll(offset | bytes | 4); }

/// Each part has the readers of the whole for itself.
Cell partOf(const Cell &whole, size_t part) {
  Cell cell = whole;
  if (part != 0 && machine.isPrecise && whole.read >= machine.blockStart && ReadSets::isSet(whole.read))
    cell.read = machine.readSets.copy(whole.read);
  return cell;
}
} // namespace

void splitSharedCells(uintptr_t offset, unsigned bytes) {
  const int shift = finestShift(offset, bytes);
  const size_t parts = size_t(1) << (machine.sharedShift - shift);
  std::vector<Cell> finer(machine.allSharedCells.size() * parts);
  for (size_t i = 0; i < finer.size(); ++i)
    finer[i] = partOf(machine.allSharedCells[i / parts], i % parts);
  machine.allSharedCells.swap(finer);
  machine.sharedShift = shift;
  machine.sharedCells = blockCells(*machine.block);
}

void splitRegionCells(Region &region, uintptr_t offset, unsigned bytes) {
  const int shift = finestShift(offset, bytes);
  const size_t parts = size_t(1) << (region.shift - shift);
  const size_t old = region.cells, count = cellCount(region);
  region.cells = machine.cellPool.size();
  region.shift = shift;
  machine.cellPool.resize(region.cells + count * parts);
  for (size_t i = 0; i < count * parts; ++i)
    machine.cellPool[region.cells + i] = partOf(machine.cellPool[old + i / parts], i % parts);
}

} // namespace cupola::sim

//===- lib/Sim/Shadow.h - The checks of one memory access, fast path ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A cell covers 4 bytes of memory until an access is smaller or lies differently; then the cells of that buffer (or of
// shared memory) are split for the rest of the launch. So a cell is always accessed as a whole.
#ifndef CUPOLA_LIB_SIM_SHADOW_H
#define CUPOLA_LIB_SIM_SHADOW_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// One access, for messages.
struct Access {
  uintptr_t address;
  unsigned bytes;
  bool write, atomic;
  uintptr_t pc;
  const char *by = nullptr; ///< who accesses in the thread's place: "tensor copy"
};

// Slow paths, in Shadow.cpp.
Stamp mergeRead(Stamp read, const Thread &t);
void checkSharedWrite(Stamp earlier, const Thread &t, const Access &access);
void checkSharedReads(Stamp reads, const Thread &t, const Access &access);
/// Another access of these bytes under way. True: there is none.
bool checkProducts(const Block &block, const Thread &t, const Access &access);
void checkGlobalWrite(Stamp earlier, const Thread &t, const Access &access);
void checkGlobalReads(Stamp reads, const Thread &t, const Access &access);
void reportUninitialised(const Access &access);
/// `access` of these blocks happens before what `t` does now.
bool isOrderedInBlock(Stamp access, const Thread &t);
/// The same of a reader, in the order of vectors.
bool isOrderedBefore(const ReadSets::Reader &reader, unsigned thread);
void splitSharedCells(uintptr_t offset, unsigned bytes);
void splitRegionCells(Region &region, uintptr_t offset, unsigned bytes);

/// Neither another thread's nor an unfinished copy's.
inline bool isOwn(Stamp earlier, const Thread &t) { return ((earlier ^ t.stamp) & (kThreadMask | kAsyncFlag)) == 0; }

template <bool Write> inline void touchSharedCell(Cell &cell, const Thread &t, const Access &access) {
  const Stamp earlier = cell.write;
  if (!Write && __builtin_expect(earlier < machine.blockStart, 0))
    reportUninitialised(access);
  if (earlier >= machine.blockBound && !isOwn(earlier, t))
    checkSharedWrite(earlier, t, access);
  const Stamp reads = cell.read;
  if (Write) {
    if (reads >= machine.blockBound)
      checkSharedReads(reads, t, access);
    cell.write = t.stamp | (access.atomic ? kAtomicFlag : 0);
    cell.read = 0;
  } else if (reads < machine.blockBound) {
    cell.read = t.stamp | kReadByOne;
  } else if ((reads & kFlagMask) != kReadByMany || machine.isPrecise) {
    cell.read = mergeRead(reads, t);
  }
}

/// Of a block's shared memory.
template <bool Write>
inline void touchSharedCells(Cell *cells, uintptr_t offset, const Thread &t, const Access &access) {
  Cell *cell = &cells[offset >> machine.sharedShift];
  Cell *const end = cell + (access.bytes >> machine.sharedShift);
  for (; cell != end; ++cell)
    touchSharedCell<Write>(*cell, t, access);
}

template <bool Write> inline void touchShared(uintptr_t offset, const Thread &t, const Access &access) {
  if (__builtin_expect((offset | access.bytes) & ((1u << machine.sharedShift) - 1), 0))
    splitSharedCells(offset, access.bytes);
  touchSharedCells<Write>(machine.sharedCells, offset, t, access);
}

template <bool Write> inline void touchGlobalCell(Cell &cell, const Thread &t, const Access &access) {
  if (cell.write >= machine.launchStart && !(cell.write >= machine.blockStart && isOwn(cell.write, t)))
    checkGlobalWrite(cell.write, t, access);
  const Stamp reads = cell.read;
  if (Write) {
    if (reads >= machine.launchStart)
      checkGlobalReads(reads, t, access);
    cell.write = t.stamp | (access.atomic ? kAtomicFlag : 0);
    cell.read = 0;
  } else if (reads < machine.launchStart) {
    cell.read = t.stamp | kReadByOne;
  } else if (reads < machine.blockStart) {
    cell.read = reads | kNeverClock << kClockShift; // several blocks read it
  } else if (reads < machine.blockBound) {
    cell.read = t.stamp | kReadByOne;
  } else if ((reads & kFlagMask) != kReadByMany || machine.isPrecise) {
    cell.read = mergeRead(reads, t);
  }
}

template <bool Write> inline void touchRegion(Region &region, const Thread &t, const Access &access) {
  if (region.written) {
    const uintptr_t at = access.address - region.writtenBase;
    if (Write)
      region.written->set(at, access.bytes);
    else if (__builtin_expect(!region.written->isSet(at, access.bytes), 0))
      reportUninitialised(access);
  }
  if (!region.writable)
    return; // nobody writes it in this launch
  const uintptr_t offset = access.address - region.begin;
  if (__builtin_expect((offset | access.bytes) & ((1u << region.shift) - 1), 0))
    splitRegionCells(region, offset, access.bytes);
  Cell *cell = &machine.cellPool[region.cells + (offset >> region.shift)];
  Cell *const end = cell + (access.bytes >> region.shift);
  for (; cell != end; ++cell)
    touchGlobalCell<Write>(*cell, t, access);
}

} // namespace cupola::sim

#endif

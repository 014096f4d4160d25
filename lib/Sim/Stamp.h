//===- lib/Sim/Stamp.h - When and by whom memory was accessed, in 64 bits ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A stamp is (block, clock, thread, flags), the block in the highest bits. Blocks are numbered through all launches in
// the order in which they run, and anew behind each barrier of the grid (Together.h). A thread's clock goes up at
// barriers, warp barriers and fences; after a block barrier all threads of the block have one clock that is above every
// clock before it. So within a block
//   "ordered by a block barrier" is   stamp < (block, clock at the last barrier, 0),
// one comparison of integers, and no vector of clocks is needed: warp barriers always join all lanes of a warp, so that
// one more number per warp says what they order. Kernels with mbarriers or clusters need the vectors (Clocks.h); the
// blocks of a cluster have one number, and their threads are numbered through.
#ifndef CUPOLA_LIB_SIM_STAMP_H
#define CUPOLA_LIB_SIM_STAMP_H

#include <cstdint>

namespace cupola::sim {

using Stamp = uint64_t;

constexpr int kClockShift = 12, kBlockShift = 36;
/// The highest bit is ReadSets'.
constexpr uint64_t kMaxClock = (uint64_t(1) << 23) - 2;
/// The clock of a copy that nobody has waited for: above every barrier.
constexpr uint64_t kNeverClock = (uint64_t(1) << 24) - 1;
constexpr uint64_t kMaxBlockSerial = (uint64_t(1) << 28) - 1;

/// Flags of a write stamp.
constexpr Stamp kAtomicFlag = 1, kAsyncFlag = 2;
/// Flags of a read stamp: who read since the last barrier.
constexpr Stamp kReadByOne = 1, kReadByWarp = 2, kReadByMany = 3;
constexpr Stamp kFlagMask = 3;
constexpr Stamp kThreadMask = Stamp(1023) << 2;

constexpr Stamp makeStamp(uint64_t block, uint64_t clock, uint64_t thread) {
  return block << kBlockShift | clock << kClockShift | thread << 2;
}
constexpr uint32_t stampThread(Stamp s) { return static_cast<uint32_t>(s >> 2) & 1023; }
constexpr uint32_t stampClock(Stamp s) { return static_cast<uint32_t>(s >> kClockShift) & 0xffffff; }
constexpr uint32_t stampBlock(Stamp s) { return static_cast<uint32_t>(s >> kBlockShift); }

/// The history of one granule of memory: the last write, and the reads after it.
struct Cell {
  Stamp write = 0;
  Stamp read = 0;
};

} // namespace cupola::sim

#endif

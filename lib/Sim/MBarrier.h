//===- lib/Sim/MBarrier.h - mbarriers: phases of arrivals and of bytes that copies bring ---===//
// SPDX-License-Identifier: Apache-2.0
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier". The simulator keeps the state beside
// the 8 bytes of shared memory, which nobody else may touch.
#ifndef CUPOLA_LIB_SIM_MBARRIER_H
#define CUPOLA_LIB_SIM_MBARRIER_H

#include "lib/Sim/Clocks.h"
#include "lib/Sim/TensorMap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupola::sim {

struct Block;

/// The most that any count of an mbarrier holds.
constexpr int64_t kMaxMBarrierCount = (1 << 20) - 1;

/// A tensor copy on its way to one block.
struct Delivery {
  TensorMap map;
  int32_t at[5];
  uint32_t taps[3];
  uint32_t target; ///< offset in the block's shared memory
  uint32_t bytes;
  std::string by; ///< "thread 0 of block 1"
  uintptr_t pc;
};

/// The last time that a thread of another block reached for a block's shared memory.
struct RemoteAccess {
  uint32_t clock;
  uintptr_t pc;
  const char *does; ///< "arrives at an mbarrier of "
};

struct MBarrier {
  uint32_t offset = 0;                ///< in shared memory
  unsigned number = 0;                ///< of the copies that count towards it, as one who writes (Clocks.h)
  uint32_t clock = 1;                 ///< and their clock
  uint32_t expected = 0, pending = 0; ///< arrivals in a phase, and those still to come
  int64_t bytes = 0;                  ///< expected and not brought yet; negative: brought and not expected yet
  uint64_t phase = 0;
  unsigned initThread = 0;
  uint32_t initClock = 0, fenceClock = 0; ///< 0: no fence behind the init
  uintptr_t initPc = 0;
  Clocks::Vector arriving; ///< what happened before the arrivals up to now
  Clocks::Vector complete; ///< before those of the phases that are complete
  std::vector<Delivery> copies;
  std::vector<uint16_t> sleepers;
  bool isWanted = false; ///< the running thread is about to sleep
};

/// The barrier at `offset` of `block`, as the running thread uses it in an operation called `what`. It must be
/// initialised, ordered before; `isRemote`: for who does not see what threads write: also fenced.
MBarrier &useMBarrier(Block &block, uint64_t offset, const std::string &what, bool isRemote, uintptr_t pc);
/// Phases end that can, after something changed.
void settle(Block &block, MBarrier &barrier);
/// What is left undone when a block ends.
void checkMBarriersAtEnd(Block &block);
/// "the mbarrier at shared+64, whose phase 3 waits for 1 of 2 arrivals and 4096 bytes"
std::string describe(const MBarrier &barrier);
/// Whether the 8 bytes of an mbarrier hold `offset`.
const MBarrier *findMBarrier(const Block &block, uint64_t offset);

} // namespace cupola::sim

#endif

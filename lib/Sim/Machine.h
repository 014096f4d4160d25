//===- lib/Sim/Machine.h - The state of the running launch: threads, warps, memory map ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Instrumented kernels call plain C functions, so the running launch is one object of the process, `machine`. One
// launch runs at a time, on one OS thread; Launch.cpp holds the lock.
#ifndef CUPOLA_LIB_SIM_MACHINE_H
#define CUPOLA_LIB_SIM_MACHINE_H

#include "lib/Sim/Block.h"
#include "lib/Sim/Clocks.h"
#include "lib/Sim/Fiber.h"
#include "lib/Sim/Memory.h"
#include "lib/Sim/Order.h"
#include "lib/Sim/ReadSets.h"
#include "lib/Sim/Report.h"
#include "lib/Sim/Stamp.h"
#include "lib/Sim/Traffic.h"
#include "lib/Sim/Wgmma.h"

#include <memory>
#include <vector>

namespace cupola::sim {

enum class Wait : uint8_t { Ready, Warp, Barrier, ClusterBarrier, MBarrier, Grid, Traffic, Finished };

/// The operations in which the lanes of a warp meet.
enum class Meeting : uint8_t {
  None,
  Shuffle,
  Ballot,
  WarpBarrier,
  LoadMatrices,
  Mma,
  WgmmaFence,
  Wgmma,
  WgmmaCommit,
  WgmmaWait,
  GiveRegisters,
  TakeRegisters
};

/// A cp.async that was started and not waited for.
struct PendingCopy {
  uintptr_t shared, global;
  unsigned bytes, sourceBytes;
  uint32_t group;
  uintptr_t pc;
};

struct Thread {
  void *stackPointer = nullptr;
  uintptr_t stackLow = 0;
  Stamp stamp = 0; ///< of its accesses now, without flags
  uint32_t clock = 0;
  uint16_t index = 0, warp = 0; ///< numbered through the running blocks
  uint16_t number = 0;          ///< within its block
  uint8_t lane = 0;
  Block *block = nullptr;
  bool hasWaitedForGrid = false;
  Wait wait = Wait::Ready;
  uintptr_t waitPc = 0;                  ///< where it waits
  const MBarrier *waitBarrier = nullptr; ///< for what, where that is an mbarrier
  // What it brings to a meeting of its warp.
  uint32_t value = 0, argument = 0;
  void *result = nullptr;
  const void *operandA = nullptr, *operandB = nullptr;
  // cp.async
  std::vector<PendingCopy> copies;
  uint32_t openGroup = 0;
};

struct Warp {
  Block *block = nullptr;
  unsigned firstThread = 0, lanes = 0;
  Meeting meeting = Meeting::None;
  uint32_t parameter = 0; ///< of the meeting: mode or shape
  uint32_t arrived = 0;   ///< lanes, as bits
  uint32_t present = 0;   ///< lanes that exist and have not finished
  uint32_t syncClock = 0; ///< accesses of its lanes with a lower clock are ordered
  MeetingPlace at;
  std::unique_ptr<WgmmaWarp> wgmma; ///< of a warp that has used it
};

/// One buffer of the launch, or several that overlap.
struct Region {
  struct Part {
    uintptr_t begin, end;
    int buffer; ///< index among the kernel's buffers; -1 bindings, -2 flag block
    bool writable;
    bool isNamed = false; ///< of LaunchBuffer
  };
  uintptr_t begin = 0, end = 0;
  bool writable = false;
  bool isFixed = false;       ///< no launch could write into it so far
  bool counted = false;       ///< holds a buffer: the bindings table and the flag block are arguments, not traffic
  InitMap *written = nullptr; ///< null: every byte is known to be written
  uintptr_t writtenBase = 0;
  size_t cells = 0; ///< of writable regions: first cell in Machine::cellPool
  int shift = 2;    ///< a cell covers 1 << shift bytes
  std::vector<Part> parts;
};

struct Machine {
  // The running thread and the blocks that run together: one, or those of a cluster. Their stamps have one serial.
  Thread *current = nullptr;
  Block *block = nullptr; ///< of the running thread
  Stamp blockBound = 0;   ///< stamps of these blocks below it are ordered
  Stamp blockStart = 0;   ///< stamps below it are of earlier blocks
  Stamp launchStart = 0;  ///< stamps below it are of earlier launches
  uint32_t blockClock = 0;
  uint64_t blockSerial = 0;
  std::vector<Block> blocks;
  unsigned live = 0, atTraffic = 0;
  unsigned atClusterBarrier = 0;
  MeetingPlace clusterBarrier; ///< of the first thread that came
  bool abandoned = false;
  /// Order is a vector of clocks per thread, not epochs: since the first mbarrier, or from the start in a cluster.
  bool isPrecise = false;
  Clocks clocks;
  ReadSets readSets;
  std::vector<std::pair<uintptr_t, Stamp>> acquiredMaps; ///< tensor maps, and who acquired them when

  // Shared memory: of one block after the other, kMaxSharedBytes each.
  uintptr_t sharedBase = 0; ///< of the running thread's block
  uint64_t sharedBytes = 0;
  int sharedShift = 2;
  Cell *sharedCells = nullptr; ///< of the running thread's block
  uintptr_t allShared = 0;
  std::vector<Cell> allSharedCells;

  // Global memory.
  std::vector<Region> regions;
  Region *lastRegion = nullptr;
  std::vector<Cell> cellPool;
  Memory *memory = nullptr;
  BlockOrder order;

  // Execution.
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<uint16_t> ready;
  StackPool stacks;
  size_t firstStack = 0; ///< of the running blocks
  void *mainStackPointer = nullptr;
  void (*entry)(void *const *) = nullptr;
  void *const *arguments = nullptr;
  uint32_t grid[3] = {};    ///< blocks along x, y, z
  uint32_t cluster = 1;     ///< neighbours along x that run together
  uint32_t threadCount = 0; ///< of a block
  bool isProgrammatic = false;
  bool isTogether = false; ///< the blocks meet at barriers of the grid
  uint64_t random = 0;     ///< 0: fixed order
  uint64_t nextSerial = 1;
  std::vector<uint32_t> blockOrder; ///< index of the block, or cluster, that runs first, .. behind launchStart

  Reports reports;
  Traffic traffic;
};

extern Machine machine __attribute__((visibility("hidden")));

/// Schedule.cpp: the running thread stops until somebody makes it ready.
void waitFor(Wait what, uintptr_t pc);
void makeReady(Thread &thread);
/// Ends the launch from inside a kernel: what comes next would fault or corrupt memory.
[[noreturn]] void abandonLaunch();
/// Makes block, or cluster, `index` the running one, with all its threads ready.
void beginBlocks(uint32_t index);
/// What the running block does from here on comes after all blocks that ran before.
void beginSerial();
void enterBlock(Block &block);
/// Runs the running blocks until nobody is ready: to their end, or to a barrier of the grid. False when the launch must
/// stop.
bool runReady();
/// One of the next in the launch's order of everything that has none.
uint64_t nextRandom();
/// Where block `rank` of cluster `index` lies in the grid.
void placeBlock(Block &block, uint32_t index, uint32_t rank);
/// "block 3", in a grid of more dimensions "block (3, 1)".
std::string blockText(const Block &block);
/// The same of the block with this number in its cluster, of the blocks with this serial.
std::string blockText(uint64_t serial, uint32_t rank);
/// Whose stack `index` is: "thread 3", where all blocks are there at once "thread 3 of block 1".
std::string stackText(int index);
/// "thread 3 of block 0"
std::string threadText(const Thread &thread);
inline std::string threadText() { return threadText(*machine.current); }
/// The cells of the shared memory of a block.
inline Cell *blockCells(const Block &block) {
  return machine.allSharedCells.data() + (block.rank * kMaxSharedBytes >> machine.sharedShift);
}
/// The thread as seen by the running one: without the block if it is the same.
std::string threadName(unsigned index);

/// After the thread's clock changed.
inline void refreshStamp(Thread &t) { t.stamp = makeStamp(machine.blockSerial, t.clock, t.index); }
/// What the thread does from here on is not what it did before.
inline void advanceClock(Thread &t) {
  ++t.clock;
  refreshStamp(t);
}

} // namespace cupola::sim

#endif

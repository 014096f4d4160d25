//===- lib/Sim/Machine.h - The state of the running launch: threads, warps, memory map ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Instrumented kernels call plain C functions, so the running launch is one object of the process, `machine`. One
// launch runs at a time, on one OS thread; Launch.cpp holds the lock.
#ifndef CUPOLA_LIB_SIM_MACHINE_H
#define CUPOLA_LIB_SIM_MACHINE_H

#include "lib/Sim/Fiber.h"
#include "lib/Sim/Memory.h"
#include "lib/Sim/Order.h"
#include "lib/Sim/Report.h"
#include "lib/Sim/Stamp.h"
#include "lib/Sim/Traffic.h"

#include <vector>

namespace cupola::sim {

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kMaxThreads = 1024;
/// More than any architecture gives one block.
constexpr uint64_t kMaxSharedBytes = 232448;

enum class Wait : uint8_t { Ready, Warp, Barrier, Traffic, Finished };

/// The operations in which the lanes of a warp meet.
enum class Meeting : uint8_t { None, Shuffle, Ballot, WarpBarrier, LoadMatrices, Mma };

/// Where threads meet. `place` is the identity, made where the source says it (lib/Sim/device/primitives.cuh); `pc` is
/// for reports.
struct MeetingPlace {
  uint64_t place = 0;
  uintptr_t pc = 0;
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
  uint16_t index = 0, warp = 0;
  uint8_t lane = 0;
  Wait wait = Wait::Ready;
  uintptr_t waitPc = 0; ///< where it waits
  // What it brings to a meeting of its warp.
  uint32_t value = 0, argument = 0;
  void *result = nullptr;
  const void *operandA = nullptr, *operandB = nullptr;
  // cp.async
  std::vector<PendingCopy> copies;
  uint32_t openGroup = 0;
};

struct Warp {
  Meeting meeting = Meeting::None;
  uint32_t parameter = 0; ///< of the meeting: mode or shape
  uint32_t arrived = 0;   ///< lanes, as bits
  uint32_t present = 0;   ///< lanes that exist and have not finished
  uint32_t syncClock = 0; ///< accesses of its lanes with a lower clock are ordered
  MeetingPlace at;
};

/// One buffer of the launch, or several that overlap.
struct Region {
  struct Part {
    uintptr_t begin, end;
    int buffer; ///< index among the kernel's buffers; -1 bindings, -2 flag block
    bool writable;
  };
  uintptr_t begin = 0, end = 0;
  bool writable = false;
  bool counted = false;       ///< holds a buffer: the bindings table and the flag block are arguments, not traffic
  InitMap *written = nullptr; ///< null: every byte is known to be written
  uintptr_t writtenBase = 0;
  size_t cells = 0; ///< of writable regions: first cell in Machine::cellPool
  int shift = 2;    ///< a cell covers 1 << shift bytes
  std::vector<Part> parts;
};

struct Machine {
  // The running thread and block.
  Thread *current = nullptr;
  Stamp blockBound = 0;  ///< stamps of this block below it are ordered
  Stamp blockStart = 0;  ///< stamps below it are of earlier blocks
  Stamp launchStart = 0; ///< stamps below it are of earlier launches
  uint32_t blockClock = 0;
  uint64_t blockSerial = 0;
  uint32_t blockIndex = 0, gridBlocks = 0, threadCount = 0;
  unsigned live = 0, atBarrier = 0, atTraffic = 0;
  MeetingPlace barrier; ///< of the first thread that came
  bool abandoned = false;

  // Shared memory.
  uintptr_t sharedBase = 0;
  uint64_t sharedBytes = 0;
  int sharedShift = 2;
  std::vector<Cell> sharedCells;

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
  void *mainStackPointer = nullptr;
  void (*entry)(void *const *) = nullptr;
  void *const *arguments = nullptr;
  uint64_t random = 0; ///< 0: fixed order
  uint64_t nextSerial = 1;
  std::vector<uint32_t> blockOrder; ///< index of the block that runs first, second, ...

  Reports reports;
  Traffic traffic;
};

extern Machine machine __attribute__((visibility("hidden")));

/// Schedule.cpp: the running thread stops until somebody makes it ready.
void waitFor(Wait what, uintptr_t pc);
void makeReady(Thread &thread);
/// Ends the launch from inside a kernel: what comes next would fault or corrupt memory.
[[noreturn]] void abandonLaunch();
/// Runs block `index` to its end. False when the launch must stop.
bool runBlock(uint32_t index);
/// "thread 3 of block 0"
std::string threadText();

/// After the thread's clock changed.
inline void refreshStamp(Thread &t) { t.stamp = makeStamp(machine.blockSerial, t.clock, t.index); }

} // namespace cupola::sim

#endif

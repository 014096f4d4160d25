//===- lib/Sim/Together.cpp - Cooperative launches: blocks that meet at barriers of the grid ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Together.h"

#include "lib/Sim/Access.h"
#include "lib/Sim/device/calls.cuh"

#include <algorithm>
#include <cstring>

namespace cupola::sim {

namespace {

/// A block that does not run, as the machine has it otherwise.
struct Parked {
  std::vector<Block> blocks = std::vector<Block>(1);
  std::vector<Thread> threads = std::vector<Thread>(machine.threads.size());
  std::vector<Warp> warps = std::vector<Warp>(machine.warps.size());
  unsigned live = 0;
  uint64_t serial = 0; ///< when it was parked
  // Shared memory: pointers into it lie on the stacks of the threads, so that it has one place for all blocks.
  std::vector<char> shared;
  std::vector<Cell> cells;
  int shift = 0; ///< of the cells

  void swapWithMachine() {
    blocks.swap(machine.blocks);
    threads.swap(machine.threads);
    warps.swap(machine.warps);
    std::swap(live, machine.live);
  }
  const Block &block() const { return blocks[0]; }
};

void park(Parked &parked) {
  const auto *shared = reinterpret_cast<const char *>(machine.sharedBase);
  parked.shared.assign(shared, shared + machine.sharedBytes);
  parked.shift = machine.sharedShift;
  const size_t step = size_t(1) << parked.shift, count = (machine.sharedBytes + step - 1) >> parked.shift;
  parked.cells.assign(machine.sharedCells, machine.sharedCells + count);
  parked.serial = machine.blockSerial;
  parked.swapWithMachine();
}

/// Written by this block under its number before: ordered now, or a copy that is still on its way.
Stamp renewed(Stamp write, uint64_t serialBefore) {
  if (stampBlock(write) != serialBefore)
    return 0; // nobody wrote it
  if (write & kAsyncFlag)
    return makeStamp(machine.blockSerial, kNeverClock, stampThread(write)) | kAsyncFlag;
  return makeStamp(machine.blockSerial, 0, 0);
}

void restoreShared(const Parked &parked) {
  std::memcpy(reinterpret_cast<void *>(machine.sharedBase), parked.shared.data(), parked.shared.size());
  const int finer = parked.shift - machine.sharedShift; // another block may have split its cells
  for (size_t i = 0; i < parked.cells.size() << finer; ++i)
    machine.sharedCells[i] = {renewed(parked.cells[i >> finer].write, parked.serial), 0};
}

/// The block goes on behind the barrier, with a new number: thread 0 at first, the others wait for it.
void resume(Parked &parked) {
  parked.swapWithMachine();
  beginSerial();
  enterBlock(machine.blocks[0]);
  restoreShared(parked);
  for (Thread &t : machine.threads) {
    t.clock = machine.blockClock;
    refreshStamp(t);
  }
  for (Warp &warp : machine.warps)
    warp.syncClock = 0;
  machine.blocks[0].gridWait = GridWait();
  makeReady(machine.threads[0]);
}

/// Whether `block` waits for what `first`, another one, waits for, with all the others there.
void checkMeeting(const Block &block, const Block &first) {
  const GridWait &wait = block.gridWait;
  const std::string arrivals = std::to_string(wait.arrivals), arrived = std::to_string(*wait.counter);
  if (wait.at.place != first.gridWait.at.place)
    machine.reports.add(Finding::Divergence,
                        blockText(block) + " waits at another barrier of the grid than " + blockText(first), wait.at.pc,
                        first.gridWait.at.pc);
  else if (*wait.counter < wait.arrivals)
    machine.reports.add(Finding::Deadlock,
                        blockText(block) + " waits for " + arrivals +
                            " arrivals at a barrier of the grid; all blocks " + "have come, and " + arrived +
                            " are counted",
                        wait.at.pc);
  else if (*wait.counter > wait.arrivals)
    machine.reports.add(Finding::Race,
                        blockText(block) + " waits for " + arrivals + " arrivals at a barrier of the grid, which is " +
                            "less than the " + arrived + " of all blocks: it may go on before the others have come",
                        wait.at.pc);
}

/// Every block has stopped. Whether all wait, rightly, at one barrier.
bool isComplete(const std::vector<Parked> &blocks) {
  const auto hasEnded = [](const Parked &p) { return p.live == 0; };
  const auto ended = std::find_if(blocks.begin(), blocks.end(), hasEnded);
  const auto waiting = std::find_if_not(blocks.begin(), blocks.end(), hasEnded);
  if (waiting == blocks.end())
    return false;
  if (ended != blocks.end()) {
    machine.reports.add(Finding::Deadlock,
                        blockText(waiting->block()) + " waits at a barrier of the grid that " +
                            blockText(ended->block()) + ", which has ended, never reaches",
                        waiting->block().gridWait.at.pc);
    return false;
  }
  for (const Parked &parked : blocks)
    checkMeeting(parked.block(), blocks[0].block());
  return machine.reports.empty();
}

/// What comes now is to all that was before as another launch.
void beginPhase() {
  machine.launchStart = makeStamp(machine.nextSerial, 0, 0);
  machine.order.beginLaunch();
  std::vector<uint32_t> &order = machine.blockOrder;
  for (size_t i = order.size(); machine.random && i > 1; --i)
    std::swap(order[i - 1], order[nextRandom() % i]);
}

} // namespace

void runTogether() {
  std::vector<Parked> blocks(machine.blockOrder.size());
  const uint64_t mostBarriers = kSerialsTogether / blocks.size() - 1;
  for (uint64_t barriers = 0;; ++barriers) {
    for (uint32_t index : machine.blockOrder) {
      machine.firstStack = size_t(index) * machine.threadCount;
      if (barriers == 0)
        beginBlocks(index);
      else
        resume(blocks[index]);
      if (!runReady())
        return;
      park(blocks[index]);
    }
    if (!isComplete(blocks))
      return;
    if (barriers == mostBarriers) {
      const uintptr_t pc = blocks[0].block().gridWait.at.pc;
      machine.reports.add(Finding::Limit, "more than " + std::to_string(barriers) + " barriers of the grid", pc);
      return;
    }
    beginPhase();
  }
}

void checkGridArrival(const Block &block) {
  for (const Thread &t : machine.threads)
    if (const uintptr_t pc = machine.traffic.newestAccess(t.index); pc && t.number != 0)
      return machine.reports.add(Finding::Race,
                                 threadText(t) + " accesses memory while thread 0 waits at a barrier of the grid, " +
                                     "with no barrier of the block before that",
                                 pc, block.gridWait.at.pc);
}

void refusePreciseOrder() {
  machine.reports.add(Finding::Limit,
                      "the simulator runs no kernels with mbarriers or wgmma whose blocks meet at barriers of the grid",
                      0);
  abandonLaunch();
}

} // namespace cupola::sim

using namespace cupola::sim;

namespace {

void checkGridMeet(const Thread &self, uintptr_t counter, uintptr_t pc) {
  if (self.number != 0) {
    machine.reports.add(Finding::Divergence, threadText() + " waits for the grid in place of thread 0", pc);
    abandonLaunch();
  }
  if (!machine.isTogether && machine.grid[0] * machine.grid[1] * machine.grid[2] > 1) {
    machine.reports.add(
        Finding::Deadlock,
        threadText() + " waits for the other blocks in a launch that is not cooperative: they may run " + "after it",
        pc);
    abandonLaunch();
  }
  if (!machine.order.isPublished(counter, self))
    machine.reports.add(Finding::Race,
                        threadText() + " waits at a barrier of the grid with no fence between a barrier of its block " +
                            "and its arrival",
                        pc);
}

} // namespace

extern "C" void cupola_sim_grid_meet(unsigned *counter, unsigned arrivals, unsigned long long place) {
  const auto pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  Thread &self = *machine.current;
  checkAtomic(reinterpret_cast<uintptr_t>(counter), 4, pc);
  checkGridMeet(self, reinterpret_cast<uintptr_t>(counter), pc);
  self.block->gridWait = {counter, arrivals, {place, pc}};
  if (machine.isTogether)
    return waitFor(Wait::Grid, pc);
  checkMeeting(*self.block, *self.block); // the only one
  self.block->gridWait = GridWait();
}

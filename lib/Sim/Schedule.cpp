//===- lib/Sim/Schedule.cpp - Running the threads of blocks: ready queue, deadlock ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A thread runs until it must wait, then continues on the next ready thread directly. With seed 0 that is the thread
// made ready last (so a warp stays together), else a random one. The blocks of a cluster run together: their threads
// are in one queue.
#include "lib/Sim/Barrier.h"
#include "lib/Sim/Together.h"

#include <algorithm>
#include <cstring>

namespace cupola::sim {

Machine machine;

uint64_t nextRandom() {
  machine.random ^= machine.random << 13;
  machine.random ^= machine.random >> 7;
  machine.random ^= machine.random << 17;
  return machine.random;
}

void makeReady(Thread &thread) {
  thread.wait = Wait::Ready;
  machine.ready.push_back(thread.index);
}

void enterBlock(Block &block) {
  machine.block = &block;
  machine.sharedBase = block.sharedBase;
  machine.sharedCells = blockCells(block);
}

namespace {

Thread *pickReady() {
  std::vector<uint16_t> &ready = machine.ready;
  if (ready.empty())
    return nullptr;
  const size_t at = machine.random ? nextRandom() % ready.size() : ready.size() - 1;
  Thread *t = &machine.threads[ready[at]];
  ready[at] = ready.back();
  ready.pop_back();
  return t;
}

/// All warps that have a thread waiting for room in its log.
void drainTraffic() {
  for (size_t i = machine.threads.size(); i-- > 0;) {
    Thread &t = machine.threads[i];
    if (t.wait != Wait::Traffic)
      continue;
    mergeTraffic(machine.warps[t.warp]);
    makeReady(t);
  }
  machine.atTraffic = 0;
}

const char *waitName(Wait wait) {
  switch (wait) {
  case Wait::Barrier:
    return "at a barrier";
  case Wait::ClusterBarrier:
    return "at a barrier of the cluster";
  case Wait::MBarrier:
    return "for mbarriers";
  default:
    return "in a warp operation";
  }
}

void reportDeadlock() {
  const bool several = machine.blocks.size() > 1;
  std::string text = blockText(machine.blocks[0]) + (several ? " and its cluster" : "") + ": nobody can go on;";
  uintptr_t places[2] = {0, 0};
  for (Wait wait : {Wait::MBarrier, Wait::ClusterBarrier, Wait::Barrier, Wait::Warp}) {
    unsigned count = 0;
    const Thread *first = nullptr;
    for (const Thread &t : machine.threads)
      if (t.wait == wait && count++ == 0)
        first = &t;
    if (!first)
      continue;
    text += " " + std::to_string(count) + " threads wait " + waitName(wait) +
            " (first: " + (several ? threadText(*first) : "thread " + std::to_string(first->number)) +
            (wait == Wait::MBarrier ? ", for " + describe(*first->waitBarrier) : "") + ")";
    (places[0] ? places[1] : places[0]) = first->waitPc;
  }
  text += ", " + std::to_string(machine.threads.size() - machine.live) + " have finished";
  machine.reports.add(Finding::Deadlock, text, places[0], places[1]);
  machine.abandoned = true;
}

void switchTo(void **from, Thread *to) {
  machine.current = to;
  if (to && to->block != machine.block)
    enterBlock(*to->block);
  cupolaSimSwitch(from, to ? to->stackPointer : machine.mainStackPointer);
}

/// Continues on another thread, or on the main stack when there is none: the blocks have ended, or wait for others.
void leave(Thread &self) {
  Thread *next = pickReady();
  if (!next && machine.atTraffic) {
    drainTraffic();
    next = pickReady();
  }
  if (!next && machine.live && !machine.blocks[0].gridWait.counter)
    reportDeadlock();
  if (next == &self)
    return;
  switchTo(&self.stackPointer, next);
}

/// The kernel behind waits for this one alone: what ends without a wait may end before the kernel in front does.
void checkHasWaited(const Block &block) {
  const auto first = machine.threads.begin() + block.firstThread;
  if (std::none_of(first, first + machine.threadCount, [](const Thread &t) { return t.hasWaitedForGrid; }))
    machine.reports.add(Finding::GridWait,
                        blockText(block) + " ends, and no thread of it has waited for the kernels queued before it", 0);
}

void finishThread() {
  Thread &self = *machine.current;
  Block &block = *self.block;
  Warp &warp = machine.warps[self.warp];
  self.wait = Wait::Finished;
  --machine.live;
  --block.live;
  warp.present &= ~(1u << self.lane);
  if (warp.present == 0)
    checkProductsAtEnd(warp);
  checkBarriersAtEnd(block);
  if (machine.isPrecise) {
    block.known.resize(Clocks::kCapacity);
    machine.clocks.collect(self, block.known);
  }
  if (block.live == 0) {
    checkHasWaited(block);
    checkWarpgroupsAtEnd(block);
    checkMBarriersAtEnd(block);
  }
  leave(self);
}

void threadMain() {
  machine.entry(machine.arguments);
  finishThread();
}

/// Block `rank` of cluster `index`.
void beginBlock(Block &block, uint32_t index, uint32_t rank) {
  block = Block();
  placeBlock(block, index, rank);
  block.firstThread = rank * machine.threadCount;
  block.firstWarp = rank * static_cast<unsigned>(machine.warps.size() / machine.cluster);
  block.sharedBase = machine.allShared + rank * kMaxSharedBytes;
  block.live = machine.threadCount;
  std::memset(reinterpret_cast<void *>(block.sharedBase), kPoison, machine.sharedBytes);
}

void beginThread(Thread &t, unsigned index) {
  Block &block = machine.blocks[index / machine.threadCount];
  t.block = &block;
  t.index = static_cast<uint16_t>(index);
  t.number = static_cast<uint16_t>(index % machine.threadCount);
  t.warp = static_cast<uint16_t>(block.firstWarp + t.number / kWarpLanes);
  t.lane = static_cast<uint8_t>(t.number % kWarpLanes);
  t.clock = machine.blockClock;
  t.hasWaitedForGrid = !machine.isProgrammatic;
  t.stackLow = machine.stacks.low(machine.firstStack + index);
  t.stackPointer = machine.stacks.prepare(machine.firstStack + index, threadMain);
  t.copies.clear();
  t.openGroup = 0;
  refreshStamp(t);
  Warp &warp = machine.warps[t.warp];
  warp.block = &block;
  if (warp.lanes++ == 0)
    warp.firstThread = index;
  warp.present |= 1u << t.lane;
}

} // namespace

void beginSerial() {
  machine.blockSerial = machine.nextSerial++;
  machine.blockClock = 1;
  machine.blockStart = makeStamp(machine.blockSerial, 0, 0);
  machine.blockBound = makeStamp(machine.blockSerial, machine.blockClock, 0);
  machine.order.beginBlock();
}

void beginBlocks(uint32_t index) {
  beginSerial();
  machine.live = static_cast<unsigned>(machine.threads.size());
  machine.atClusterBarrier = machine.atTraffic = 0;
  machine.isPrecise = false;
  machine.acquiredMaps.clear();
  machine.ready.clear();
  machine.traffic.counted.blocks += machine.blocks.size();
  for (uint32_t rank = 0; rank < machine.cluster; ++rank)
    beginBlock(machine.blocks[rank], index, rank);
  enterBlock(machine.blocks[0]);
  for (Warp &warp : machine.warps)
    warp = Warp();
  for (unsigned i = 0; i < machine.threads.size(); ++i)
    beginThread(machine.threads[i], i);
  for (size_t i = machine.threads.size(); i-- > 0;)
    makeReady(machine.threads[i]);
  if (machine.cluster > 1)
    beginPreciseOrder();
}

bool runReady() {
  switchTo(&machine.mainStackPointer, pickReady());
  machine.current = nullptr;
  if (!machine.abandoned && machine.blocks[0].gridWait.counter)
    checkGridArrival(machine.blocks[0]);
  for (const Warp &warp : machine.warps)
    mergeTraffic(warp);
  return !machine.abandoned && !machine.reports.full();
}

void waitFor(Wait what, uintptr_t pc) {
  Thread &self = *machine.current;
  self.wait = what;
  self.waitPc = pc;
  if (what == Wait::Traffic)
    ++machine.atTraffic;
  leave(self);
}

void abandonLaunch() {
  machine.abandoned = true;
  void *dead;
  switchTo(&dead, nullptr);
  __builtin_unreachable();
}

} // namespace cupola::sim

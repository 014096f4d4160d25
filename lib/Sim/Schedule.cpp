//===- lib/Sim/Schedule.cpp - Running the threads of a block: ready queue, barrier, deadlock ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A thread runs until it must wait, then continues on the next ready thread directly. With seed 0 that is the thread
// made ready last (so a warp stays together), else a random one.
#include "lib/Sim/Machine.h"
#include "lib/Sim/device/calls.cuh"

#include <algorithm>
#include <cstring>

namespace cupola::sim {

Machine machine;

std::string threadText() {
  return "thread " + std::to_string(machine.current->index) + " of block " + std::to_string(machine.blockIndex);
}

void makeReady(Thread &thread) {
  thread.wait = Wait::Ready;
  machine.ready.push_back(thread.index);
}

namespace {

uint64_t nextRandom() {
  machine.random ^= machine.random << 13;
  machine.random ^= machine.random >> 7;
  machine.random ^= machine.random << 17;
  return machine.random;
}

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

void mergeTraffic(const Warp &warp) {
  const unsigned first = static_cast<unsigned>(&warp - machine.warps.data()) * kWarpLanes;
  machine.traffic.mergeWarp(first, std::min(kWarpLanes, machine.threadCount - first));
}

/// All warps that have a thread waiting for room in its log.
void drainTraffic() {
  for (unsigned i = machine.threadCount; i-- > 0;) {
    Thread &t = machine.threads[i];
    if (t.wait != Wait::Traffic)
      continue;
    mergeTraffic(machine.warps[t.warp]);
    makeReady(t);
  }
  machine.atTraffic = 0;
}

const char *waitName(Wait wait) { return wait == Wait::Barrier ? "at a barrier" : "in a warp operation"; }

void reportDeadlock() {
  std::string text = "block " + std::to_string(machine.blockIndex) + ": nobody can go on;";
  uintptr_t places[2] = {0, 0};
  for (Wait wait : {Wait::Barrier, Wait::Warp}) {
    unsigned count = 0;
    const Thread *first = nullptr;
    for (const Thread &t : machine.threads)
      if (t.wait == wait && count++ == 0)
        first = &t;
    if (!first)
      continue;
    text += " " + std::to_string(count) + " threads wait " + waitName(wait) + " (first: thread " +
            std::to_string(first->index) + ")";
    (places[0] ? places[1] : places[0]) = first->waitPc;
  }
  text += ", " + std::to_string(machine.threadCount - machine.live) + " have finished";
  machine.reports.add(Finding::Deadlock, text, places[0], places[1]);
  machine.abandoned = true;
}

void switchTo(void **from, Thread *to) {
  machine.current = to;
  cupolaSimSwitch(from, to ? to->stackPointer : machine.mainStackPointer);
}

/// Continues on another thread, or on the main stack when there is none.
void leave(Thread &self) {
  Thread *next = pickReady();
  if (!next && machine.atTraffic) {
    drainTraffic();
    next = pickReady();
  }
  if (!next && machine.live)
    reportDeadlock();
  if (next == &self)
    return;
  switchTo(&self.stackPointer, next);
}

void finishThread() {
  Thread &self = *machine.current;
  self.wait = Wait::Finished;
  --machine.live;
  machine.warps[self.warp].present &= ~(1u << self.lane);
  if (machine.live && machine.atBarrier == machine.live) {
    machine.reports.add(Finding::Divergence,
                        std::to_string(machine.live) + " threads of block " + std::to_string(machine.blockIndex) +
                            " wait at a barrier that the other " + std::to_string(machine.threadCount - machine.live) +
                            " threads never reached",
                        machine.barrier.pc);
    abandonLaunch();
  }
  leave(self);
}

void threadMain() {
  machine.entry(machine.arguments);
  finishThread();
}

void beginBlock(uint32_t index) {
  machine.blockIndex = index;
  machine.blockSerial = machine.nextSerial++;
  machine.blockClock = 1;
  machine.blockStart = makeStamp(machine.blockSerial, 0, 0);
  machine.blockBound = makeStamp(machine.blockSerial, machine.blockClock, 0);
  machine.live = machine.threadCount;
  machine.atBarrier = machine.atTraffic = 0;
  machine.ready.clear();
  machine.order.beginBlock();
  std::memset(reinterpret_cast<void *>(machine.sharedBase), kPoison, machine.sharedBytes);
  for (Warp &warp : machine.warps)
    warp = Warp();
  for (unsigned i = machine.threadCount; i-- > 0;) {
    Thread &t = machine.threads[i];
    t.index = static_cast<uint16_t>(i);
    t.warp = static_cast<uint16_t>(i / kWarpLanes);
    t.lane = static_cast<uint8_t>(i % kWarpLanes);
    t.clock = machine.blockClock;
    t.stackLow = machine.stacks.low(i);
    t.stackPointer = machine.stacks.prepare(i, threadMain);
    t.copies.clear();
    t.openGroup = 0;
    refreshStamp(t);
    machine.warps[t.warp].present |= 1u << t.lane;
    makeReady(t);
  }
}

} // namespace

bool runBlock(uint32_t index) {
  beginBlock(index);
  switchTo(&machine.mainStackPointer, pickReady());
  machine.current = nullptr;
  ++machine.traffic.counted.blocks;
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

namespace {

void checkBarrier(MeetingPlace here) {
  if (machine.atBarrier == 0)
    machine.barrier = here;
  if (machine.barrier.place != here.place)
    machine.reports.add(Finding::Divergence, threadText() + " waits at another barrier than the threads before it",
                        here.pc, machine.barrier.pc);
  if (machine.live == machine.threadCount)
    return;
  machine.reports.add(Finding::Divergence,
                      threadText() + " waits at a barrier that " + std::to_string(machine.threadCount - machine.live) +
                          " threads never reached",
                      here.pc);
  abandonLaunch();
}

/// Everybody is at the barrier: one clock for all, above every earlier one.
void releaseBarrier(const Thread &last) {
  uint32_t clock = 0;
  for (const Thread &t : machine.threads)
    clock = std::max(clock, t.clock);
  if (++clock >= kMaxClock) {
    machine.reports.add(Finding::Limit, "more than " + std::to_string(kMaxClock) + " barriers in one block",
                        last.waitPc);
    abandonLaunch();
  }
  machine.atBarrier = 0;
  machine.blockClock = clock;
  machine.blockBound = makeStamp(machine.blockSerial, clock, 0);
  ++machine.traffic.counted.barriers;
  for (const Warp &warp : machine.warps)
    mergeTraffic(warp);
  for (unsigned i = machine.threadCount; i-- > 0;) {
    Thread &t = machine.threads[i];
    t.clock = clock;
    refreshStamp(t);
    if (&t != &last)
      makeReady(t);
  }
}

} // namespace
} // namespace cupola::sim

using namespace cupola::sim;

extern "C" void cupola_sim_barrier(unsigned long long place) {
  const auto pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  checkBarrier({place, pc});
  if (++machine.atBarrier == machine.live)
    releaseBarrier(*machine.current);
  else
    waitFor(Wait::Barrier, pc);
}

//===- lib/Sim/Barrier.cpp - Barriers of a block and of a cluster ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Barrier.h"

#include "lib/Sim/device/calls.cuh"

#include <algorithm>

namespace cupola::sim {

void mergeTraffic(const Warp &warp) { machine.traffic.mergeWarp(warp.firstThread, warp.lanes); }

namespace {

/// Somebody waits at a barrier of `all` threads, of which `live` have not finished.
struct Waiting {
  const char *what; ///< "a barrier"
  std::string where;
  size_t all, live;
};

void checkEnd(const Waiting &w, unsigned arrived, const MeetingPlace &at) {
  if (w.live == 0 || arrived != w.live)
    return;
  machine.reports.add(Finding::Divergence,
                      std::to_string(w.live) + " threads of " + w.where + " wait at " + w.what + " that the other " +
                          std::to_string(w.all - w.live) + " threads never reached",
                      at.pc);
  abandonLaunch();
}

/// The running thread comes to the barrier; `first`: where the first one came to.
void checkArrival(const Waiting &w, unsigned arrived, MeetingPlace &first, MeetingPlace here) {
  if (arrived == 0)
    first = here;
  if (first.place != here.place)
    machine.reports.add(Finding::Divergence, threadText() + " waits at another barrier than the threads before it",
                        here.pc, first.pc);
  if (w.live == w.all)
    return;
  machine.reports.add(Finding::Divergence,
                      threadText() + " waits at " + w.what + " that " + std::to_string(w.all - w.live) +
                          " threads never reached",
                      here.pc);
  abandonLaunch();
}

Waiting waitingAt(const Block &block) { return {"a barrier", blockText(block), machine.threadCount, block.live}; }
Waiting waitingAtClusters() {
  return {"a barrier of the cluster", "the cluster of " + blockText(machine.blocks[0]), machine.threads.size(),
          machine.live};
}

/// Threads from `first` on have met: one clock for all, above every earlier one.
void joinThreads(Thread *first, size_t count, uintptr_t pc) {
  uint32_t clock = 0;
  for (size_t i = 0; i < count; ++i)
    clock = std::max(clock, first[i].clock);
  if (++clock >= kMaxClock) {
    machine.reports.add(Finding::Limit, "more than " + std::to_string(kMaxClock) + " barriers in one block", pc);
    abandonLaunch();
  }
  if (machine.isPrecise)
    return machine.clocks.join(first, static_cast<unsigned>(count), clock);
  machine.blockClock = clock;
  machine.blockBound = makeStamp(machine.blockSerial, clock, 0);
  for (size_t i = 0; i < count; ++i) {
    first[i].clock = clock;
    refreshStamp(first[i]);
  }
}

void release(unsigned first, size_t count, const Thread &last) {
  joinThreads(&machine.threads[first], count, last.waitPc);
  for (const Warp &warp : machine.warps)
    if (warp.firstThread - first < count)
      mergeTraffic(warp);
  for (size_t i = count; i-- > 0;)
    if (Thread &t = machine.threads[first + i]; &t != &last)
      makeReady(t);
}

} // namespace

void checkBarriersAtEnd(const Block &block) {
  if (block.atBarrier)
    checkEnd(waitingAt(block), block.atBarrier, block.barrier);
  if (machine.atClusterBarrier)
    checkEnd(waitingAtClusters(), machine.atClusterBarrier, machine.clusterBarrier);
}

} // namespace cupola::sim

using namespace cupola::sim;

extern "C" void cupola_sim_barrier(unsigned long long place) {
  const auto pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  Block &block = *machine.block;
  machine.current->waitPc = pc;
  if (block.atBarrier == 0 || block.barrier.place != place || block.live != machine.threadCount)
    checkArrival(waitingAt(block), block.atBarrier, block.barrier, {place, pc});
  if (++block.atBarrier != block.live)
    return waitFor(Wait::Barrier, pc);
  block.atBarrier = 0;
  ++machine.traffic.counted.barriers;
  release(block.firstThread, machine.threadCount, *machine.current);
}

extern "C" void cupola_sim_cluster_barrier(unsigned long long place) {
  const auto pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  machine.current->waitPc = pc;
  checkArrival(waitingAtClusters(), machine.atClusterBarrier, machine.clusterBarrier, {place, pc});
  if (++machine.atClusterBarrier != machine.live)
    return waitFor(Wait::ClusterBarrier, pc);
  machine.atClusterBarrier = 0;
  machine.traffic.counted.barriers += machine.blocks.size();
  release(0, machine.threads.size(), *machine.current);
}

//===- lib/Sim/Order.cpp - Order between blocks: fences and atomics ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Order.h"

#include "lib/Sim/Machine.h"

#include <algorithm>

namespace cupola::sim {

bool Publication::covers(Stamp access) const {
  const uint32_t by = stampThread(access), at = stampClock(access);
  if (known)
    return at < (*known)[by];
  return at < barrierClock || (by == thread && at <= clock) ||
         (by / kWarpLanes == thread / kWarpLanes && at < warpClock);
}

void BlockOrder::beginLaunch() { released.clear(); }

void BlockOrder::beginBlock() {
  fenced.clear();
  received.clear();
  acquired.clear();
}

void BlockOrder::merge(std::vector<Publication> &into, const Publication &publication) {
  for (Publication &p : into)
    if (p.block == publication.block && p.thread == publication.thread) {
      if (p.clock < publication.clock)
        p = publication;
      return;
    }
  into.push_back(publication);
}

void BlockOrder::fence(Thread &thread) {
  Publication mine = {machine.blockSerial,
                      thread.index,
                      thread.clock,
                      machine.blockClock,
                      machine.warps[thread.warp].syncClock,
                      nullptr};
  if (machine.isPrecise) {
    Clocks::Vector known = Clocks::makeVector();
    machine.clocks.collect(thread, known);
    mine.known = std::make_shared<const Clocks::Vector>(std::move(known));
  }
  fenced[thread.index] = std::move(mine);
  advanceClock(thread);
  auto pending = received.find(thread.index);
  if (pending == received.end())
    return;
  for (const Publication &p : pending->second)
    if (p.block != machine.blockSerial)
      acquired[p.block].push_back({p, thread.index, thread.clock});
    else if (p.known)
      machine.clocks.acquire(thread.index, *p.known);
  received.erase(pending);
}

void BlockOrder::atomic(const Thread &thread, uintptr_t address) {
  const auto mine = fenced.find(thread.index);
  const auto known = released.find(address);
  if (known != released.end())
    for (const Publication &p : known->second)
      if (p.block != machine.blockSerial || p.known)
        merge(received[thread.index], p);
  if (mine == fenced.end() && acquired.empty())
    return; // nothing to pass on; most atomics only add
  std::vector<Publication> &here = released[address];
  if (mine != fenced.end())
    merge(here, mine->second);
  for (const auto &[block, list] : acquired)
    for (const Acquired &a : list)
      if (isVisible(a, thread))
        merge(here, a.publication);
}

bool BlockOrder::isPublished(uintptr_t address, const Thread &thread) const {
  const auto here = released.find(address);
  return here != released.end() && std::any_of(here->second.begin(), here->second.end(), [&](const Publication &p) {
           return p.block == machine.blockSerial && p.thread == thread.index && p.barrierClock == machine.blockClock;
         });
}

bool BlockOrder::isVisible(const Acquired &a, const Thread &thread) const {
  if (machine.isPrecise && a.thread != thread.index)
    return a.clock < machine.clocks.known(thread.index, a.thread);
  return a.thread == thread.index || a.clock < machine.blockClock ||
         (a.thread / kWarpLanes == thread.warp && a.clock < machine.warps[thread.warp].syncClock);
}

bool BlockOrder::isOrdered(Stamp access, const Thread &thread) const {
  auto of = acquired.find(stampBlock(access));
  if (of == acquired.end())
    return false;
  for (const Acquired &a : of->second)
    if (a.publication.covers(access) && isVisible(a, thread))
      return true;
  return false;
}

bool BlockOrder::isAllOrdered(const Thread &thread) const {
  const uint64_t earlier = (machine.blockStart - machine.launchStart) >> kBlockShift;
  uint64_t visible = 0;
  for (const auto &[block, list] : acquired)
    for (const Acquired &a : list)
      if (isVisible(a, thread)) {
        ++visible;
        break;
      }
  return visible == earlier;
}

} // namespace cupola::sim

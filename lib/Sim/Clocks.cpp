//===- lib/Sim/Clocks.cpp - Order of threads pair by pair: a vector of clocks for each ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Clocks.h"

#include "lib/Sim/Together.h"

#include <algorithm>

namespace cupola::sim {

namespace {
void merge(uint32_t *into, const uint32_t *from, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    into[i] = std::max(into[i], from[i]);
}
} // namespace

void Clocks::begin() {
  count = static_cast<unsigned>(machine.threads.size());
  rows.assign(size_t(count) * kCapacity, 0);
  atBeginning.clear();
  for (const Thread &t : machine.threads) {
    std::fill_n(&known(t.index, 0), count, machine.blockClock);
    const Warp &warp = machine.warps[t.warp];
    std::fill_n(&known(t.index, warp.firstThread), warp.lanes, std::max(machine.blockClock, warp.syncClock));
    atBeginning.push_back(t.clock);
  }
}

bool Clocks::isBeginKnown(unsigned thread) const {
  for (unsigned u = 0; u < atBeginning.size(); ++u)
    if (u != thread && rows[size_t(thread) * kCapacity + u] <= atBeginning[u])
      return false;
  return true;
}

void Clocks::collect(const Thread &thread, Vector &into) const {
  merge(into.data(), &rows[size_t(thread.index) * kCapacity], count);
  into[thread.index] = std::max(into[thread.index], thread.clock + 1);
}

void Clocks::release(Thread &thread, Vector &into) {
  collect(thread, into);
  advanceClock(thread);
}

void Clocks::acquire(unsigned thread, const Vector &from) { merge(&known(thread, 0), from.data(), count); }

void Clocks::join(Thread *first, unsigned threads, uint32_t clock) {
  Vector joined(count);
  for (unsigned i = 0; i < threads; ++i)
    merge(joined.data(), &known(first[i].index, 0), count);
  std::fill_n(joined.begin() + first->index, threads, clock);
  for (unsigned i = 0; i < threads; ++i) {
    std::copy(joined.begin(), joined.end(), &known(first[i].index, 0));
    first[i].clock = clock;
    refreshStamp(first[i]);
  }
}

void beginPreciseOrder() {
  if (machine.isPrecise)
    return;
  if (machine.isTogether)
    refusePreciseOrder();
  machine.isPrecise = true;
  machine.blockBound = machine.blockStart;
  machine.clocks.begin();
  machine.readSets.clear();
}

} // namespace cupola::sim

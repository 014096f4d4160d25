//===- lib/Sim/AsyncCopy.cpp - cp.async, completed as late as allowed ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The bytes move when the thread waits for them, the latest moment at which hardware may move them. Until then the
// target holds poison and every access to it, by anybody, is a race.
#include "lib/Sim/Access.h"
#include "lib/Sim/Shadow.h"
#include "lib/Sim/device/calls.cuh"

#include <cstring>

namespace cupola::sim {

namespace {

Stamp asyncStamp(const Thread &t) { return makeStamp(machine.blockSerial, kNeverClock, t.index) | kAsyncFlag; }

/// Gives every cell of the target that has the stamp `from` (0: any) the stamp `to`.
void stampTarget(const PendingCopy &copy, Stamp from, Stamp to) {
  const uintptr_t offset = copy.shared - machine.sharedBase;
  Cell *cell = &machine.sharedCells[offset >> machine.sharedShift];
  for (unsigned i = 0; i < copy.bytes >> machine.sharedShift; ++i)
    if (from == 0 || cell[i].write == from)
      cell[i].write = to;
}

void start(Thread &t, const PendingCopy &copy) {
  if (copy.shared - machine.sharedBase >= kMaxSharedBytes)
    failAccess(Finding::OutOfBounds, copy.shared, copy.bytes, true, copy.pc, "cp.async writes shared memory only");
  if (copy.sourceBytes && copy.global - machine.sharedBase < kMaxSharedBytes)
    failAccess(Finding::AsyncCopy, copy.global, copy.bytes, false, copy.pc, "cp.async reads global memory only");
  if (copy.global % copy.bytes != 0)
    failAccess(Finding::Misaligned, copy.global, copy.bytes, false, copy.pc);
  if (copy.sourceBytes)
    checkAccess(copy.global, copy.sourceBytes, false, copy.pc);
  checkAccess(copy.shared, copy.bytes, true, copy.pc);
  stampTarget(copy, 0, asyncStamp(t));
  std::memset(reinterpret_cast<void *>(copy.shared), kPoison, copy.bytes);
  t.copies.push_back(copy);
}

void complete(Thread &t, const PendingCopy &copy) {
  auto *target = reinterpret_cast<char *>(copy.shared);
  std::memcpy(target, reinterpret_cast<const void *>(copy.global), copy.sourceBytes);
  std::memset(target + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  stampTarget(copy, asyncStamp(t), t.stamp);
}

} // namespace
} // namespace cupola::sim

using namespace cupola::sim;

extern "C" {

void cupola_sim_async_copy(void *shared, const void *global, int bytes, unsigned sourceBytes) {
  Thread &t = *machine.current;
  start(t, {reinterpret_cast<uintptr_t>(shared), reinterpret_cast<uintptr_t>(global), static_cast<unsigned>(bytes),
            sourceBytes, t.openGroup, reinterpret_cast<uintptr_t>(__builtin_return_address(0))});
}

void cupola_sim_async_commit() { ++machine.current->openGroup; }

void cupola_sim_async_wait(int pending) {
  Thread &t = *machine.current;
  // Groups are numbered from 0; those below `done` are complete. Copies are in order of their groups.
  const int64_t done = int64_t(t.openGroup) - pending;
  size_t count = 0;
  while (count < t.copies.size() && t.copies[count].group < done)
    complete(t, t.copies[count++]);
  t.copies.erase(t.copies.begin(), t.copies.begin() + static_cast<ptrdiff_t>(count));
}
}

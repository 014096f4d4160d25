//===- lib/Sim/MBarrier.cpp - mbarriers: phases of arrivals and of bytes that copies bring ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A phase ends when all its arrivals and bytes have come. Copies bring their bytes as late as allowed: when somebody
// sleeps until the phase ends and nothing but bytes is missing.
#include "lib/Sim/MBarrier.h"

#include "lib/Sim/Access.h"
#include "lib/Sim/Regions.h"
#include "lib/Sim/Shadow.h"
#include "lib/Sim/TensorCopy.h"
#include "lib/Sim/device/calls.cuh"

namespace cupola::sim {

namespace {

[[noreturn]] void fail(const std::string &text, uintptr_t pc, uintptr_t otherPc = 0) {
  machine.reports.add(Finding::MBarrier, text, pc, otherPc);
  abandonLaunch();
}

std::string placeOf(const Block &block, uint64_t offset) { return describeAddress(block.sharedBase + offset); }

uint64_t offsetOf(const void *barrier, uintptr_t pc) {
  const auto address = reinterpret_cast<uintptr_t>(barrier);
  const uint64_t offset = address - machine.sharedBase;
  if (offset >= machine.sharedBytes || offset + 8 > machine.sharedBytes)
    fail(threadText() + " names an mbarrier at " + describeAddress(address) + ", outside of shared memory", pc);
  if (offset % 8 != 0)
    fail(threadText() + " names an mbarrier at " + describeAddress(address) + ", which is no multiple of 8", pc);
  return offset;
}

/// Nobody may touch the bytes: what is on its way to them never comes.
void stampBytes(Block &block, const MBarrier &barrier) {
  const Stamp stamp = makeStamp(machine.blockSerial, kNeverClock, barrier.number) | kAsyncFlag;
  Cell *cell = blockCells(block) + (barrier.offset >> machine.sharedShift);
  for (unsigned i = 0; i < 8u >> machine.sharedShift; ++i)
    cell[i] = {stamp, 0};
}

void initialise(Block &block, uint32_t offset, uint32_t arrivals, uintptr_t pc) {
  Thread &t = *machine.current;
  beginPreciseOrder();
  if (const MBarrier *other = findMBarrier(block, offset))
    fail(threadText() + " initialises again " + describe(*other), pc, other->initPc);
  if (arrivals == 0 || arrivals > kMaxMBarrierCount)
    fail(threadText() + " initialises the mbarrier at " + placeOf(block, offset) + " with " + std::to_string(arrivals) +
             " arrivals; 1 to " + std::to_string(kMaxMBarrierCount) + " are possible",
         pc);
  checkAccess(block.sharedBase + offset, 8, true, pc);
  MBarrier barrier;
  barrier.offset = offset;
  barrier.number = machine.clocks.add();
  if (barrier.number == Clocks::kCapacity) {
    machine.reports.add(Finding::Limit,
                        "threads, mbarriers and warps with wgmma of the blocks that run together are more than " +
                            std::to_string(Clocks::kCapacity),
                        pc);
    abandonLaunch();
  }
  barrier.expected = barrier.pending = arrivals;
  barrier.initThread = t.index;
  barrier.initClock = t.clock;
  barrier.initPc = pc;
  barrier.arriving = Clocks::makeVector();
  barrier.complete = barrier.arriving;
  stampBytes(block, barrier);
  block.mbarriers.emplace(offset, std::move(barrier));
}

void completePhase(MBarrier &barrier) {
  barrier.arriving[barrier.number] = ++barrier.clock;
  barrier.complete = barrier.arriving;
  barrier.pending = barrier.expected;
  ++barrier.phase;
  for (uint16_t sleeper : barrier.sleepers) {
    machine.clocks.acquire(sleeper, barrier.complete);
    makeReady(machine.threads[sleeper]);
  }
  barrier.sleepers.clear();
}

/// One of the copies that are under way arrives.
void deliverOne(Block &block, MBarrier &barrier) {
  const size_t at = machine.random ? nextRandom() % barrier.copies.size() : 0;
  const Delivery copy = std::move(barrier.copies[at]);
  barrier.copies.erase(barrier.copies.begin() + static_cast<ptrdiff_t>(at));
  deliver(copy, block, barrier);
  barrier.bytes -= copy.bytes;
  if (barrier.bytes < -kMaxMBarrierCount)
    fail("copies have brought more than " + std::to_string(kMaxMBarrierCount) + " bytes too many to " +
             describe(barrier),
         copy.pc);
}

void expectBytes(MBarrier &barrier, uint32_t bytes, uintptr_t pc) {
  barrier.bytes += bytes;
  if (bytes > kMaxMBarrierCount || barrier.bytes > kMaxMBarrierCount)
    fail(threadText() + " expects " + std::to_string(bytes) + " bytes more at " + describe(barrier) +
             "; it counts to " + std::to_string(kMaxMBarrierCount),
         pc);
}

void arrive(Block &block, MBarrier &barrier, uintptr_t pc) {
  if (barrier.pending == 0)
    fail(threadText() + " arrives at " + describe(barrier) + ": once more than in this phase", pc);
  machine.clocks.release(*machine.current, barrier.arriving);
  --barrier.pending;
  settle(block, barrier);
}

void arriveRemote(uint64_t offset, uint32_t rank, uintptr_t pc) {
  Thread &t = *machine.current;
  const std::string what = "arrives";
  if (rank >= machine.blocks.size())
    fail(threadText() + " arrives at an mbarrier of block " + std::to_string(rank) + " of a cluster of " +
             std::to_string(machine.blocks.size()),
         pc);
  Block &block = machine.blocks[rank];
  const bool isRemote = &block != t.block;
  MBarrier &barrier = useMBarrier(block, offset, what, isRemote, pc);
  if (isRemote)
    block.remote[t.index] = {t.clock, pc, "arrives at an mbarrier of "};
  arrive(block, barrier, pc);
}

void wait(MBarrier &barrier, uint32_t parity, uintptr_t pc) {
  Thread &t = *machine.current;
  if (parity > 1)
    fail(threadText() + " waits for parity " + std::to_string(parity) + " of " + describe(barrier), pc);
  if ((barrier.phase & 1) == parity) {
    barrier.isWanted = true;
    settle(*t.block, barrier);
    barrier.isWanted = false;
  }
  if ((barrier.phase & 1) != parity)
    return machine.clocks.acquire(t.index, barrier.complete);
  t.waitBarrier = &barrier;
  barrier.sleepers.push_back(t.index);
  waitFor(Wait::MBarrier, pc);
}

void fenceInits() {
  Thread &t = *machine.current;
  advanceClock(t);
  for (auto &[offset, barrier] : t.block->mbarriers)
    if (barrier.initThread == t.index && barrier.fenceClock == 0)
      barrier.fenceClock = t.clock;
}

} // namespace

const MBarrier *findMBarrier(const Block &block, uint64_t offset) {
  const auto found = block.mbarriers.find(static_cast<uint32_t>(offset & ~uint64_t(7)));
  return found == block.mbarriers.end() ? nullptr : &found->second;
}

std::string describe(const MBarrier &b) {
  std::string text = "the mbarrier at shared+" + std::to_string(b.offset) + ", whose phase " + std::to_string(b.phase) +
                     " waits for " + std::to_string(b.pending) + " of " + std::to_string(b.expected) + " arrivals";
  if (b.bytes > 0)
    text += " and " + std::to_string(b.bytes) + " bytes";
  if (b.bytes < 0)
    text += " and has " + std::to_string(-b.bytes) + " bytes that nobody expects";
  return text;
}

MBarrier &useMBarrier(Block &block, uint64_t offset, const std::string &what, bool isRemote, uintptr_t pc) {
  const Thread &t = *machine.current;
  const auto found = block.mbarriers.find(static_cast<uint32_t>(offset));
  if (found == block.mbarriers.end())
    fail(threadText() + " " + what + " at the mbarrier at " + placeOf(block, offset) + ", which nobody initialised",
         pc);
  MBarrier &barrier = found->second;
  if (block.live == 0)
    fail(threadText() + " " + what + " at the mbarrier at " + placeOf(block, offset) + ", a block that has ended", pc);
  const bool isOwn = barrier.initThread == t.index;
  const uint32_t known = machine.clocks.known(t.index, barrier.initThread);
  const std::string init = threadText() + " " + what + " at the mbarrier at " + placeOf(block, offset) +
                           " without an order after its init by " + threadName(barrier.initThread);
  if (!isOwn && barrier.initClock >= known)
    machine.reports.add(Finding::MBarrier, init, pc, barrier.initPc);
  else if (isRemote && (barrier.fenceClock == 0 || (!isOwn && barrier.fenceClock >= known)))
    machine.reports.add(Finding::MBarrier, init + " and a fence of the init", pc, barrier.initPc);
  return barrier;
}

void settle(Block &block, MBarrier &barrier) {
  while (barrier.pending == 0) {
    if (barrier.bytes == 0)
      completePhase(barrier);
    else if (barrier.copies.empty() || (!barrier.isWanted && barrier.sleepers.empty()))
      return;
    else
      deliverOne(block, barrier);
  }
}

void checkMBarriersAtEnd(Block &block) {
  for (auto &[offset, barrier] : block.mbarriers) {
    for (const Delivery &copy : barrier.copies)
      machine.reports.add(Finding::TensorCopy,
                          blockText(block) + " ends before the tensor copy to shared+" + std::to_string(copy.target) +
                              " that " + copy.by + " started and nobody has waited for",
                          copy.pc);
    if (barrier.copies.empty() && barrier.bytes != 0)
      machine.reports.add(Finding::MBarrier, blockText(block) + " ends while there is " + describe(barrier),
                          barrier.initPc);
  }
  for (const auto &[thread, access] : block.remote)
    if (access.clock >= block.known[thread])
      machine.reports.add(Finding::MBarrier,
                          threadText(machine.threads[thread]) + " " + access.does + blockText(block) +
                              ", which does not wait for that and may have ended",
                          access.pc);
}

} // namespace cupola::sim

using namespace cupola::sim;

#define CUPOLA_SIM_PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

extern "C" {

void cupola_sim_mbarrier_init(unsigned long long *barrier, unsigned arrivals) {
  initialise(*machine.block, static_cast<uint32_t>(offsetOf(barrier, CUPOLA_SIM_PC)), arrivals, CUPOLA_SIM_PC);
}

void cupola_sim_mbarrier_init_fence() { fenceInits(); }

void cupola_sim_mbarrier_expect(unsigned long long *barrier, unsigned bytes) {
  MBarrier &used = useMBarrier(*machine.block, offsetOf(barrier, CUPOLA_SIM_PC), "arrives", false, CUPOLA_SIM_PC);
  if (used.pending != 0)
    expectBytes(used, bytes, CUPOLA_SIM_PC);
  arrive(*machine.block, used, CUPOLA_SIM_PC);
}

void cupola_sim_mbarrier_arrive(unsigned long long *barrier) {
  arrive(*machine.block, useMBarrier(*machine.block, offsetOf(barrier, CUPOLA_SIM_PC), "arrives", false, CUPOLA_SIM_PC),
         CUPOLA_SIM_PC);
}

void cupola_sim_mbarrier_arrive_remote(unsigned long long *barrier, unsigned rank) {
  arriveRemote(offsetOf(barrier, CUPOLA_SIM_PC), rank, CUPOLA_SIM_PC);
}

void cupola_sim_mbarrier_wait(unsigned long long *barrier, unsigned parity) {
  wait(useMBarrier(*machine.block, offsetOf(barrier, CUPOLA_SIM_PC), "waits", false, CUPOLA_SIM_PC), parity,
       CUPOLA_SIM_PC);
}
}

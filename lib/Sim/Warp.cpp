//===- lib/Sim/Warp.cpp - Operations in which the lanes of a warp meet ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A lane leaves its operands and waits; the lane that comes last carries the operation out for all. Only the warp
// barrier orders memory: shuffles, votes and matrix operations do not.
#include "lib/Sim/Warp.h"

#include "lib/Sim/Matrix.h"
#include "lib/Sim/device/calls.cuh"

#include <algorithm>

namespace cupola::sim {

namespace {

const char *meetingName(Meeting m) {
  switch (m) {
  case Meeting::Shuffle:
    return "a shuffle";
  case Meeting::Ballot:
    return "a vote";
  case Meeting::WarpBarrier:
    return "a warp barrier";
  case Meeting::LoadMatrices:
    return "ldmatrix";
  case Meeting::Mma:
    return "mma";
  case Meeting::WgmmaFence:
    return "wgmma_fence";
  case Meeting::Wgmma:
    return "wgmma";
  case Meeting::WgmmaCommit:
    return "wgmma_commit";
  case Meeting::WgmmaWait:
    return "wgmma_wait";
  case Meeting::GiveRegisters:
    return "give_registers";
  case Meeting::TakeRegisters:
    return "take_registers";
  case Meeting::None:
    break;
  }
  return "nothing";
}

int shuffleSource(int lane, uint32_t mode, int argument) {
  switch (mode) {
  case CupolaSimXor:
    return lane ^ argument;
  case CupolaSimIndex:
    return argument & 31;
  case CupolaSimUp:
    return lane - argument < 0 ? lane : lane - argument;
  default:
    return lane + argument > 31 ? lane : lane + argument;
  }
}

void shuffle(Thread *lanes, uint32_t mode, unsigned count) {
  uint32_t results[kWarpLanes];
  for (unsigned l = 0; l < count; ++l) {
    const unsigned source =
        static_cast<unsigned>(shuffleSource(static_cast<int>(l), mode, static_cast<int>(lanes[l].argument & 31)));
    results[l] = source < count ? lanes[source].value : lanes[l].value;
    if (source >= count)
      machine.reports.add(Finding::Divergence, threadText() + " shuffles from a lane that does not exist",
                          lanes[l].waitPc);
  }
  for (unsigned l = 0; l < count; ++l)
    lanes[l].value = results[l];
}

void vote(Thread *lanes, unsigned count) {
  uint32_t bits = 0;
  for (unsigned l = 0; l < count; ++l)
    bits |= lanes[l].value << l;
  for (unsigned l = 0; l < count; ++l)
    lanes[l].value = bits;
}

void syncWarp(Warp &warp, Thread *lanes, unsigned count) {
  uint32_t clock = 0;
  for (unsigned l = 0; l < count; ++l)
    clock = std::max(clock, lanes[l].clock);
  warp.syncClock = clock + 1;
  if (machine.isPrecise)
    return machine.clocks.join(lanes, count, warp.syncClock);
  for (unsigned l = 0; l < count; ++l) {
    lanes[l].clock = warp.syncClock;
    refreshStamp(lanes[l]);
  }
}

void carryOut(Warp &warp, Thread *lanes, unsigned count) {
  switch (warp.meeting) {
  case Meeting::Shuffle:
    return shuffle(lanes, warp.parameter, count);
  case Meeting::Ballot:
    return vote(lanes, count);
  case Meeting::WarpBarrier:
    return syncWarp(warp, lanes, count);
  case Meeting::LoadMatrices:
    return loadMatrices(lanes, warp.parameter);
  case Meeting::Mma:
    return multiplyTiles(lanes, warp.parameter);
  case Meeting::WgmmaFence:
    return fenceProducts(warp, lanes, warp.parameter);
  case Meeting::Wgmma:
    return startProduct(warp, lanes, warp.parameter);
  case Meeting::WgmmaCommit:
    return commitProducts(warp, lanes);
  case Meeting::WgmmaWait:
    return waitForProducts(warp, lanes, warp.parameter);
  case Meeting::GiveRegisters:
  case Meeting::TakeRegisters:
    return changeRegisters(warp, lanes, warp.parameter, warp.meeting == Meeting::TakeRegisters);
  case Meeting::None:
    return;
  }
}

} // namespace

void meet(Meeting meeting, uint32_t parameter, MeetingPlace at) {
  Thread &self = *machine.current;
  Warp &warp = machine.warps[self.warp];
  if (warp.arrived == 0) {
    warp.meeting = meeting;
    warp.parameter = parameter;
    warp.at = at;
  } else if (warp.meeting != meeting || warp.parameter != parameter || warp.at.place != at.place) {
    machine.reports.add(Finding::Divergence,
                        threadText() + " comes to " + meetingName(meeting) + " while lanes of its warp wait in " +
                            meetingName(warp.meeting) + " elsewhere",
                        at.pc, warp.at.pc);
    abandonLaunch();
  }
  self.waitPc = at.pc;
  warp.arrived |= 1u << self.lane;
  const unsigned first = warp.firstThread, count = warp.lanes;
  const uint32_t everybody = count == kWarpLanes ? ~0u : (1u << count) - 1;
  if (warp.arrived != everybody) {
    waitFor(Wait::Warp, at.pc);
    return;
  }
  carryOut(warp, &machine.threads[first], count);
  warp.arrived = 0;
  for (unsigned l = count; l-- > 0;)
    if (l != self.lane)
      makeReady(machine.threads[first + l]);
}

} // namespace cupola::sim

using namespace cupola::sim;

namespace {
uintptr_t asPc(void *p) { return reinterpret_cast<uintptr_t>(p); }
} // namespace

extern "C" {

void cupola_sim_syncwarp(unsigned long long place) {
  meet(Meeting::WarpBarrier, 0, {place, asPc(__builtin_return_address(0))});
}

unsigned cupola_sim_shuffle(unsigned value, int mode, unsigned argument, unsigned long long place) {
  Thread &self = *machine.current;
  self.value = value;
  self.argument = argument;
  meet(Meeting::Shuffle, static_cast<uint32_t>(mode), {place, asPc(__builtin_return_address(0))});
  return self.value;
}

unsigned cupola_sim_ballot(int predicate, unsigned long long place) {
  Thread &self = *machine.current;
  self.value = predicate != 0;
  meet(Meeting::Ballot, 0, {place, asPc(__builtin_return_address(0))});
  return self.value;
}

void cupola_sim_load_matrices(unsigned *fragments, const void *const *rows, int count, int transposed,
                              unsigned long long place) {
  const uintptr_t pc = asPc(__builtin_return_address(0));
  for (int i = 0; i < count; ++i)
    checkMatrixRow(rows[i], pc);
  Thread &self = *machine.current;
  self.result = fragments;
  self.operandA = rows;
  meet(Meeting::LoadMatrices, static_cast<uint32_t>(count) << 1 | static_cast<uint32_t>(transposed != 0), {place, pc});
}

void cupola_sim_mma(void *acc, const unsigned *a, const unsigned *b, int mi, int ni, int shape,
                    unsigned long long place) {
  Thread &self = *machine.current;
  self.result = acc;
  self.operandA = a;
  self.operandB = b;
  const auto packed = static_cast<uint32_t>(mi << 16 | ni << 8 | shape);
  meet(Meeting::Mma, packed, {place, asPc(__builtin_return_address(0))});
}

void cupola_sim_wgmma_fence(float *acc, int tiles, const unsigned *a, int steps, unsigned long long place) {
  Thread &self = *machine.current;
  self.result = acc;
  self.operandA = a;
  meet(Meeting::WgmmaFence, static_cast<uint32_t>(steps << 8 | tiles), {place, asPc(__builtin_return_address(0))});
}

void cupola_sim_wgmma(float *acc, int tiles, unsigned long long a, unsigned long long b, int kind,
                      unsigned long long place) {
  Thread &self = *machine.current;
  self.result = acc;
  self.operandA = &a;
  self.operandB = &b;
  meet(Meeting::Wgmma, static_cast<uint32_t>(tiles << 8 | kind), {place, asPc(__builtin_return_address(0))});
}

void cupola_sim_wgmma_fragments(float *acc, int tiles, const unsigned *a, unsigned long long b, int kind,
                                unsigned long long place) {
  Thread &self = *machine.current;
  self.result = acc;
  self.operandA = a;
  self.operandB = &b;
  meet(Meeting::Wgmma, static_cast<uint32_t>(tiles << 8 | kind | CupolaSimWgmmaFragments),
       {place, asPc(__builtin_return_address(0))});
}

void cupola_sim_wgmma_commit(unsigned long long place) {
  meet(Meeting::WgmmaCommit, 0, {place, asPc(__builtin_return_address(0))});
}

void cupola_sim_wgmma_wait(int pending, unsigned long long place) {
  meet(Meeting::WgmmaWait, static_cast<uint32_t>(pending), {place, asPc(__builtin_return_address(0))});
}

void cupola_sim_give_registers(int count, unsigned long long place) {
  meet(Meeting::GiveRegisters, static_cast<uint32_t>(count), {place, asPc(__builtin_return_address(0))});
}

void cupola_sim_take_registers(int count, unsigned long long place) {
  meet(Meeting::TakeRegisters, static_cast<uint32_t>(count), {place, asPc(__builtin_return_address(0))});
}
}

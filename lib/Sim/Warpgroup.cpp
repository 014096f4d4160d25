//===- lib/Sim/Warpgroup.cpp - What the four warps of a warpgroup do alike; their registers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The warps drift freely: each checks that it does what the first to come has done.
#include "lib/Sim/Machine.h"

#include <algorithm>
#include <numeric>

namespace cupola::sim {

namespace {

constexpr unsigned kGroupWarps = 4;

unsigned warpInBlock(const Warp &warp) {
  return static_cast<unsigned>(&warp - machine.warps.data()) - warp.block->firstWarp;
}
unsigned countWarps() { return machine.threadCount / kWarpLanes; }

/// How many each thread has when the kernel begins.
uint32_t firstRegisters() {
  return std::min(kRegisters / machine.threadCount / kRegisterGrain * kRegisterGrain, kMaxThreadRegisters);
}

} // namespace

void checkWarpgroup(const Warp &warp, const Thread *lanes, uint64_t a, uint64_t b) {
  Block &block = *warp.block;
  const unsigned number = warpInBlock(warp), group = number / kGroupWarps;
  if ((group + 1) * kGroupWarps > countWarps()) {
    machine.reports.add(Finding::Divergence,
                        threadText(lanes[0]) + " belongs to no whole warpgroup: the block has " +
                            std::to_string(machine.threadCount) + " threads",
                        warp.at.pc);
    abandonLaunch();
  }
  block.groups.resize(countWarps() / kGroupWarps);
  block.steps.resize(countWarps());
  std::vector<WarpgroupStep> &done = block.groups[group];
  const WarpgroupStep step = {warp.at.place, uint32_t(warp.meeting) << 24 | warp.parameter, a, b};
  const size_t at = block.steps[number]++;
  if (at == done.size())
    done.push_back(step);
  else if (done[at] != step)
    machine.reports.add(Finding::Divergence,
                        "the warp of " + threadText(lanes[0]) +
                            " does something else than another warp of its warpgroup did",
                        warp.at.pc);
}

void changeRegisters(Warp &warp, Thread *lanes, uint32_t count, bool takes) {
  checkWarpgroup(warp, lanes, 0, 0);
  Block &block = *warp.block;
  block.registers.resize(countWarps(), firstRegisters());
  uint32_t &now = block.registers[warpInBlock(warp)];
  const std::string who = "the warp of " + threadText(lanes[0]);
  if (takes ? count < now : count > now)
    machine.reports.add(Finding::Registers,
                        who + (takes ? " takes " : " gives all but ") + std::to_string(count) +
                            " registers a thread and has " + std::to_string(now),
                        warp.at.pc);
  if (count * kGroupWarps > firstRegisters() * countWarps())
    machine.reports.add(Finding::Registers, who + " takes more registers than the block has", warp.at.pc);
  now = count;
}

void checkWarpgroupsAtEnd(const Block &block) {
  for (size_t warp = 0; warp < block.groups.size() * kGroupWarps; ++warp) // those behind belong to no whole group
    if (block.steps[warp] != block.groups[warp / kGroupWarps].size()) {
      machine.reports.add(Finding::Divergence,
                          "warp " + std::to_string(warp) + " of " + blockText(block) +
                              " ends before it has done what another warp of its warpgroup did",
                          0);
      break;
    }
  const uint32_t sum = std::accumulate(block.registers.begin(), block.registers.end(), 0u);
  if (sum > firstRegisters() * countWarps())
    machine.reports.add(Finding::Registers,
                        "the warps of " + blockText(block) + " take " + std::to_string(sum * kWarpLanes) +
                            " registers of " + std::to_string(firstRegisters() * countWarps() * kWarpLanes),
                        0);
}

} // namespace cupola::sim

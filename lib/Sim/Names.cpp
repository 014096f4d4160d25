//===- lib/Sim/Names.cpp - Blocks and threads in the grid and in messages ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Machine.h"

namespace cupola::sim {

void placeBlock(Block &block, uint32_t index, uint32_t rank) {
  const uint32_t clusters = machine.grid[0] / machine.cluster;
  block.x = index % clusters * machine.cluster + rank;
  block.y = index / clusters % machine.grid[1];
  block.z = index / clusters / machine.grid[1];
  block.rank = rank;
}

std::string blockText(const Block &block) {
  const std::string x = std::to_string(block.x), y = std::to_string(block.y);
  if (machine.grid[1] * machine.grid[2] == 1)
    return "block " + x;
  return "block (" + x + ", " + y + (machine.grid[2] == 1 ? "" : ", " + std::to_string(block.z)) + ")";
}

std::string blockText(uint64_t serial, uint32_t rank) {
  Block block;
  placeBlock(block, machine.blockOrder[serial - stampBlock(machine.launchStart)], rank);
  return blockText(block);
}

std::string stackText(int index) {
  const auto stack = static_cast<uint32_t>(index);
  if (!machine.isTogether)
    return "thread " + std::to_string(stack);
  Block block;
  placeBlock(block, stack / machine.threadCount, 0);
  return "thread " + std::to_string(stack % machine.threadCount) + " of " + blockText(block);
}

std::string threadText(const Thread &thread) {
  return "thread " + std::to_string(thread.number) + " of " + blockText(*thread.block);
}

std::string threadName(unsigned index) {
  const Thread &thread = machine.threads[index];
  return thread.block == machine.block ? "thread " + std::to_string(thread.number) : threadText(thread);
}

} // namespace cupola::sim

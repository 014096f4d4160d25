//===- lib/Sim/Block.h - What each of the running blocks has for itself ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_BLOCK_H
#define CUPOLA_LIB_SIM_BLOCK_H

#include "lib/Sim/MBarrier.h"

#include <cstdint>
#include <map>
#include <vector>

namespace cupola::sim {

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kMaxThreads = 1024;
/// More than any architecture gives one block.
constexpr uint64_t kMaxSharedBytes = 232448;
/// The most blocks that hardware runs as one cluster.
constexpr uint32_t kMaxCluster = 16;
/// Of a multiprocessor, of a thread, and the grain in which threads get them.
constexpr uint32_t kRegisters = 65536, kMaxThreadRegisters = 256, kRegisterGrain = 8;

/// Where threads meet. `place` is the identity, made where the source says it (lib/Sim/device/primitives.cuh); `pc` is
/// for reports.
struct MeetingPlace {
  uint64_t place = 0;
  uintptr_t pc = 0;
};

/// Something that a warpgroup does as one: equal for its four warps.
struct WarpgroupStep {
  uint64_t place;
  uint32_t parameter;
  uint64_t a, b; ///< descriptors of a product
  bool operator!=(const WarpgroupStep &o) const {
    return place != o.place || parameter != o.parameter || a != o.a || b != o.b;
  }
};

/// A block whose thread 0 waits at a barrier of the grid.
struct GridWait {
  const uint32_t *counter = nullptr; ///< null: it does not wait
  uint32_t arrivals = 0;
  MeetingPlace at;
};

struct Block {
  uint32_t x = 0, y = 0, z = 0;
  uint32_t rank = 0; ///< in its cluster
  unsigned firstThread = 0, firstWarp = 0;
  uintptr_t sharedBase = 0;
  unsigned live = 0, atBarrier = 0;
  MeetingPlace barrier; ///< of the first thread that came
  GridWait gridWait;

  std::map<uint32_t, MBarrier> mbarriers;         ///< by offset in shared memory
  std::map<unsigned, RemoteAccess> remote;        ///< the last of each thread of another block
  Clocks::Vector known;                           ///< what its finished threads knew at their end
  std::vector<uint32_t> registers;                ///< of each thread of a warp
  std::vector<std::vector<WarpgroupStep>> groups; ///< what each warpgroup has done
  std::vector<size_t> steps;                      ///< and each warp of it
};

} // namespace cupola::sim

#endif

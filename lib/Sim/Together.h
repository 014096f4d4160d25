//===- lib/Sim/Together.h - Cooperative launches: blocks that meet at barriers of the grid ---===//
// SPDX-License-Identifier: Apache-2.0
//
// All blocks exist at once, but between two barriers of the grid they still run one after the other: each until it ends
// or nobody in it can go on before other blocks come. So such a barrier is to the order of memory what the end of a
// launch and the begin of the next are, and between two of them all checks are those of a launch.
#ifndef CUPOLA_LIB_SIM_TOGETHER_H
#define CUPOLA_LIB_SIM_TOGETHER_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// Threads of a launch: as many as the largest H100 runs, one block on each multiprocessor.
constexpr uint64_t kMostTogether = 132 * kMaxThreads;
/// Numbers of blocks (Stamp.h) that a launch has, which takes one per block behind each barrier of the grid.
constexpr uint64_t kSerialsTogether = kMaxBlockSerial / 2;

/// Runs all blocks of the launch.
void runTogether();
/// The block, which stopped, waits at a barrier of the grid: holds what it did behind its own last barrier against
/// that.
void checkGridArrival(const Block &block);
/// Ends a launch that wants an order of vectors of clocks, which do not reach beyond a barrier of the grid.
[[noreturn]] void refusePreciseOrder();

} // namespace cupola::sim

#endif

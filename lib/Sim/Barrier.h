//===- lib/Sim/Barrier.h - Barriers of a block and of a cluster ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_BARRIER_H
#define CUPOLA_LIB_SIM_BARRIER_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// A thread of the block has finished: nobody may wait for it.
void checkBarriersAtEnd(const Block &block);
/// Counts what the lanes of a warp have logged.
void mergeTraffic(const Warp &warp);

} // namespace cupola::sim

#endif

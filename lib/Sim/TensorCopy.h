//===- lib/Sim/TensorCopy.h - Boxes of tensors on their way to shared memory ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_TENSORCOPY_H
#define CUPOLA_LIB_SIM_TENSORCOPY_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// The box arrives: its bytes are there for who waits for the barrier's phase.
void deliver(const Delivery &copy, Block &block, const MBarrier &barrier);

} // namespace cupola::sim

#endif

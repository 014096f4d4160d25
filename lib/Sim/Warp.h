//===- lib/Sim/Warp.h - Operations in which the lanes of a warp meet ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_WARP_H
#define CUPOLA_LIB_SIM_WARP_H

#include "lib/Sim/Machine.h"

namespace cupola::sim {

/// The running lane comes to an operation that its whole warp takes part in, at the place `at`; returns when the
/// operation was carried out. Lanes that meet at different places or in different operations are an error.
void meet(Meeting meeting, uint32_t parameter, MeetingPlace at);

} // namespace cupola::sim

#endif

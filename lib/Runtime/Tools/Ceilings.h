//===- lib/Runtime/Tools/Ceilings.h - What a device can do at best ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_CEILINGS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_CEILINGS_H

#include "lib/Runtime/Session.h"

namespace cupola::runtime {

/// Rates per millisecond; 0: not known.
struct Ceilings {
  double bytes = 0;      ///< read and written by a copy of arrays that no cache holds
  double operations = 0; ///< f32, two in a multiply-add
};

/// Measured now, in some tenths of a second: both on `cpu` with the threads of its pool, the copy alone on `cuda`,
/// nothing on `sim`, whose time is not the device's.
Result<Ceilings> measureCeilings(Device &device);

/// The share of the roofline that work done in `milliseconds` reaches: the time that the slower of the two ceilings
/// allows, divided by the time taken. Above 1 where caches hold what is read; 0: no ceiling is known.
double rooflineShare(const Ceilings &ceilings, const StepWork &work, double milliseconds);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_CEILINGS_H

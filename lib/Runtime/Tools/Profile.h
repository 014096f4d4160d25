//===- lib/Runtime/Tools/Profile.h - Where the time of a run goes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_PROFILE_H
#define CUPOLA_LIB_RUNTIME_TOOLS_PROFILE_H

#include "lib/Runtime/Tools/Ceilings.h"

namespace cupola::runtime {

/// Medians of all runs, in each of which a step of a body may run several times: of all of these together.
struct StepTime {
  size_t step = 0;         ///< as of format::stepAt
  double milliseconds = 0; ///< of a control step, without those of its bodies
  StepWork work;           ///< of the last run
  uint64_t times = 1;      ///< in the last run
};

struct Profile {
  std::vector<StepTime> steps; ///< in their order; empty: not asked for
  Ceilings ceilings;
};

/// Of `iterations` runs (at least one) after one to warm up.
Result<Profile> profile(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                        uint64_t iterations);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_PROFILE_H

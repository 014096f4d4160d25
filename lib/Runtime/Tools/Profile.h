//===- lib/Runtime/Tools/Profile.h - Where the time of a run goes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_PROFILE_H
#define CUPOLA_LIB_RUNTIME_TOOLS_PROFILE_H

#include "lib/Runtime/Session.h"

namespace cupola::runtime {

struct StepTime {
  size_t step = 0;
  double milliseconds = 0; ///< median of all runs
  Session::StepWork work;
};

/// In the order of the steps, of `iterations` runs (at least one) after one to warm up.
Result<std::vector<StepTime>> profile(Session &session, const std::vector<TensorRef> &inputs,
                                      const std::vector<TensorRef> &outputs, uint64_t iterations);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_PROFILE_H

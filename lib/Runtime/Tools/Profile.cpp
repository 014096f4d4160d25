//===- lib/Runtime/Tools/Profile.cpp - Where the time of a run goes ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Profile.h"
#include "lib/Runtime/Tools/Latency.h"

#include <algorithm>

namespace cupola::runtime {

Result<Profile> profile(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                        uint64_t iterations) {
  RunTimes times;
  CUPOLA_TRY(session.runTimed(inputs, outputs, times));
  std::vector<std::vector<double>> all(times.steps.size());
  for (uint64_t i = 0; i < std::max<uint64_t>(iterations, 1); ++i) {
    CUPOLA_TRY(session.runTimed(inputs, outputs, times));
    for (size_t step = 0; step < times.steps.size(); ++step)
      all[step].push_back(times.steps[step].milliseconds());
  }
  CUPOLA_ASSIGN(Ceilings ceilings, measureCeilings(session.executable().device()));
  Profile result{{}, ceilings};
  for (size_t step = 0; step < all.size(); ++step)
    result.steps.push_back({step, summarize(std::move(all[step])).median, session.workOf(step)});
  return result;
}

} // namespace cupola::runtime

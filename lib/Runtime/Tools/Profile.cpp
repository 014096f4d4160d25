//===- lib/Runtime/Tools/Profile.cpp - Where the time of a run goes ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Profile.h"
#include "lib/Runtime/Tools/Latency.h"

#include <algorithm>
#include <map>

namespace cupola::runtime {

/// The steps of one run that took some time.
static std::vector<StepTime> stepsOf(const Session &session, const RunTimes &times) {
  std::vector<StepTime> steps;
  for (size_t step = 0; step < times.steps.size(); ++step)
    steps.push_back({step, times.steps[step].milliseconds(), session.workOf(step)});
  for (const RunTimes::Inside &inside : times.bodySteps) {
    double &outer = steps[inside.outer].milliseconds;
    outer = std::max(outer - inside.time.milliseconds, 0.0);
    steps.push_back({inside.time.step, inside.time.milliseconds, inside.time.work, inside.time.times});
  }
  return steps;
}

Result<Profile> profile(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                        uint64_t iterations) {
  RunTimes times;
  CUPOLA_TRY(session.runTimed(inputs, outputs, times));
  const uint64_t runs = std::max<uint64_t>(iterations, 1);
  std::map<size_t, StepTime> last;
  std::map<size_t, std::vector<double>> all;
  for (uint64_t i = 0; i < runs; ++i) {
    CUPOLA_TRY(session.runTimed(inputs, outputs, times));
    for (const StepTime &step : stepsOf(session, times)) {
      last[step.step] = step;
      all[step.step].push_back(step.milliseconds);
    }
  }
  CUPOLA_ASSIGN(Ceilings ceilings, measureCeilings(session.executable().device()));
  Profile result{{}, ceilings};
  for (auto &[number, step] : last) {
    all[number].resize(runs); // 0 where it was not reached
    step.milliseconds = summarize(std::move(all[number])).median;
    result.steps.push_back(step);
  }
  return result;
}

} // namespace cupola::runtime

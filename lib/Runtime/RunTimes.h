//===- lib/Runtime/RunTimes.h - Where the time of one run goes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_RUNTIMES_H
#define CUPOLA_LIB_RUNTIME_RUNTIMES_H

#include "lib/Runtime/StepClock.h"

#include <chrono>
#include <vector>

namespace cupola::runtime {

/// Milliseconds since the call that runs began.
struct TimeSpan {
  double begin = 0, end = 0;
  double milliseconds() const { return end - begin; }
};

/// What the host does, one after the other, and what the device does meanwhile; it is waited for behind the inputs and
/// every step.
class RunTimes {
public:
  TimeSpan prepare; ///< checks, and a bind where shapes are new
  TimeSpan inputs;  ///< bindings, and copies to the device
  TimeSpan work;    ///< the steps
  TimeSpan outputs; ///< copies from the device are queued
  TimeSpan wait;    ///< for them, and for what the run found

  /// Of the program itself, by the device's clock; the time of a control step is that of the bodies that it enters.
  std::vector<TimeSpan> steps;
  /// What was entered from a step of the program, but for control steps.
  struct Inside {
    size_t outer = 0;
    BodyStepTime time;
  };
  std::vector<Inside> bodySteps;

  /// Ends `span` now; it began where the last one ended.
  void mark(TimeSpan &span) {
    const double now = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    span = {last, now};
    last = now;
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double last = 0;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_RUNTIMES_H

//===- lib/Runtime/StepClock.h - The time of steps of bodies ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_STEPCLOCK_H
#define CUPOLA_LIB_RUNTIME_STEPCLOCK_H

#include "lib/Runtime/StepWork.h"

#include <functional>
#include <map>

namespace cupola::runtime {

/// Of one run, in which a step may run often or never. Milliseconds, bytes and operations are of all times together.
struct BodyStepTime {
  uint32_t step = 0; ///< as of format::stepAt
  uint64_t times = 0;
  double milliseconds = 0;
  StepWork work; ///< the grid is that of the last time
};

/// Times what is no control step by the device's clock, and waits for the device after it.
class StepClock {
public:
  /// Both outlive it.
  Status start(const Executable &executable, Stream &stream);
  Status time(const Frame &frame, size_t step, const std::function<Status()> &run);
  /// What was timed since it was asked last, in the order of the steps.
  std::vector<BodyStepTime> take();

private:
  const Executable *executable = nullptr;
  Stream *stream = nullptr;
  std::unique_ptr<Event> begin, end;
  std::map<uint32_t, BodyStepTime> steps;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_STEPCLOCK_H

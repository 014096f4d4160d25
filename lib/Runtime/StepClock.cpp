//===- lib/Runtime/StepClock.cpp - The time of steps of bodies ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/StepClock.h"

namespace cupola::runtime {

Status StepClock::start(const Executable &what, Stream &where) {
  executable = &what;
  stream = &where;
  CUPOLA_ASSIGN(begin, stream->createTimedEvent());
  CUPOLA_ASSIGN(end, stream->createTimedEvent());
  return Status::ok();
}

Status StepClock::time(const Frame &frame, size_t step, const std::function<Status()> &run) {
  CUPOLA_TRY(stream->record(*begin));
  CUPOLA_TRY(run());
  CUPOLA_TRY(stream->record(*end));
  CUPOLA_TRY(stream->synchronize());
  CUPOLA_ASSIGN(const double milliseconds, end->millisecondsSince(*begin));
  const uint32_t number = frame.firstStep() + static_cast<uint32_t>(step);
  const StepWork work = workOf(*executable, frame, step);
  BodyStepTime &sum = steps[number];
  sum.step = number;
  sum.times += 1;
  sum.milliseconds += milliseconds;
  sum.work = {sum.work.bytes + work.bytes, sum.work.operations + work.operations, work.grid};
  return Status::ok();
}

std::vector<BodyStepTime> StepClock::take() {
  std::vector<BodyStepTime> list;
  for (const auto &[number, sum] : steps)
    list.push_back(sum);
  steps.clear();
  return list;
}

} // namespace cupola::runtime

//===- lib/Runtime/SessionTimed.cpp - A run with the time of every step ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Session.h"

namespace cupola::runtime {

/// The device's times count from the end of the inputs.
Status Session::queueTimed(RunTimes &times) {
  const size_t count = program().steps.size();
  std::vector<std::unique_ptr<Event>> events(1 + 2 * count); // behind the inputs; before and behind each step
  for (std::unique_ptr<Event> &event : events) {
    CUPOLA_ASSIGN(event, stream->createTimedEvent());
  }
  CUPOLA_TRY(stream->record(*events[0]));
  CUPOLA_TRY(stream->synchronize());
  times.mark(times.inputs);
  StepClock clock;
  CUPOLA_TRY(clock.start(*shared, *stream));
  const BodyRunner::Clocked clocked(runner, clock);
  for (size_t i = 0; i < count; ++i) {
    CUPOLA_TRY(stream->record(*events[1 + 2 * i]));
    CUPOLA_TRY(runner.runStep(runner.program(), i, 0));
    CUPOLA_TRY(stream->record(*events[2 + 2 * i]));
    CUPOLA_TRY(stream->synchronize());
    for (BodyStepTime &time : clock.take())
      times.bodySteps.push_back({i, std::move(time)});
  }
  times.mark(times.work);
  for (size_t i = 0; i < count; ++i) {
    CUPOLA_ASSIGN(const double begin, events[1 + 2 * i]->millisecondsSince(*events[0]));
    CUPOLA_ASSIGN(const double end, events[2 + 2 * i]->millisecondsSince(*events[0]));
    times.steps.push_back({times.inputs.end + begin, times.inputs.end + end});
  }
  return Status::ok();
}

StepWork Session::workOf(size_t step) const { return runtime::workOf(*shared, runner.program(), step); }

} // namespace cupola::runtime

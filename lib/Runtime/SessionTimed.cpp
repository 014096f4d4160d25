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
  for (size_t i = 0; i < count; ++i) {
    CUPOLA_TRY(stream->record(*events[1 + 2 * i]));
    CUPOLA_TRY(runner.runStep(runner.program(), i, 0));
    CUPOLA_TRY(stream->record(*events[2 + 2 * i]));
    CUPOLA_TRY(stream->synchronize());
  }
  times.mark(times.work);
  for (size_t i = 0; i < count; ++i) {
    CUPOLA_ASSIGN(const double begin, events[1 + 2 * i]->millisecondsSince(*events[0]));
    CUPOLA_ASSIGN(const double end, events[2 + 2 * i]->millisecondsSince(*events[0]));
    times.steps.push_back({times.inputs.end + begin, times.inputs.end + end});
  }
  return Status::ok();
}

Session::StepWork Session::workOf(size_t step) const {
  const format::Step &entry = program().steps[step];
  StepWork work;
  if (const std::optional<format::Transfer> transfer = format::transferOf(entry))
    work.bytes = transfer->buffers.size() * plan().sizes[step].x;
  if (entry.kind == format::Step::HostStep)
    for (const format::Touched &touched : format::touchedBy(program(), entry))
      work.bytes += plan().buffers[touched.buffer].bytes;
  if (entry.kind != format::Step::LaunchStep)
    return work;
  work.grid = plan().sizes[step];
  const bool isCalled = shared->calls().function(step) != nullptr;
  for (uint32_t buffer : isCalled ? entry.launch.call.buffers : entry.launch.buffers)
    work.bytes += plan().buffers[buffer].bytes;
  if (isCalled && entry.launch.call.workspace != 0) // the library's own affair
    work.bytes -= plan().buffers[entry.launch.call.buffers.back()].bytes;
  std::map<std::string, int64_t> scalars;
  for (size_t i = 0; i < entry.launch.scalars.size(); ++i)
    scalars["n" + std::to_string(i)] = runner.program().scalars()[entry.launch.scalars[i]];
  const std::optional<Expr> operations = Expr::parse(program().kernels[entry.launch.kernel].flops, nullptr);
  if (operations)
    work.operations = operations->evaluate(scalars).value_or(0);
  return work;
}

} // namespace cupola::runtime

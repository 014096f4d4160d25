//===- lib/Runtime/RunsInFlight.cpp - The runs of a session that have not been waited for ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/RunsInFlight.h"

namespace cupola::runtime {

Status RunsInFlight::allocate(Device &device, Stream &stream, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    RunSlot &slot = slots.emplace_back();
    CUPOLA_TRY(slot.found.allocate(device));
    CUPOLA_ASSIGN(slot.end, stream.createEvent());
  }
  return Status::ok();
}

uint64_t RunsInFlight::begin() {
  RunSlot &slot = next();
  const uint64_t run = last + 1;
  if (!waiting.empty() && waiting.rbegin()->second == last)
    waiting.rbegin()->second = run;
  else
    waiting.emplace(run, run);
  last = run;
  slot.run = run;
  return run;
}

RunSlot *RunsInFlight::find(uint64_t run) {
  RunSlot &slot = slots[(run - 1) % slots.size()];
  return slot.run == run ? &slot : nullptr;
}

void RunsInFlight::end(RunSlot &slot, const Status &outcome) {
  if (outcome.failed())
    failures.emplace(slot.run, outcome);
  slot.recording.reset();
  slot.run = 0;
}

Status RunsInFlight::check(uint64_t run) const {
  if (run == 0 || run > last)
    return Status::usage("there is no run " + std::to_string(run) + ": the last one has number " +
                         std::to_string(last));
  const auto after = waiting.upper_bound(run);
  if (after == waiting.begin() || std::prev(after)->second < run)
    return Status::usage("run " + std::to_string(run) + " was waited for before");
  return Status::ok();
}

Status RunsInFlight::take(uint64_t run) {
  const auto interval = std::prev(waiting.upper_bound(run));
  if (run < interval->second)
    waiting.emplace(run + 1, interval->second);
  if (run == interval->first)
    waiting.erase(interval);
  else
    interval->second = run - 1;
  const auto failure = failures.extract(run);
  return failure ? failure.mapped() : Status::ok();
}

} // namespace cupola::runtime

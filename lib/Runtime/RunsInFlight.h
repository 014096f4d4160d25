//===- lib/Runtime/RunsInFlight.h - The runs of a session that have not been waited for ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_RUNSINFLIGHT_H
#define CUPOLA_LIB_RUNTIME_RUNSINFLIGHT_H

#include "lib/Runtime/Bindings.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace cupola::runtime {

/// What a run has on the host from being queued until it is known to have ended.
struct RunSlot {
  uint64_t run = 0;           ///< 0: none
  std::unique_ptr<Event> end; ///< recorded behind its work
  Readback found;
  Status queued; ///< what queueing it came to
  /// When the call that queues it began; nothing of a run that is timed step by step, which takes longer.
  std::optional<std::chrono::steady_clock::time_point> begun;
  std::shared_ptr<Recording> recording; ///< that it replays: a session may forget it meanwhile
};

/// Slots, used in turn, of the runs under way; and how those ended that nobody waited for yet.
/// Of these only the ones that failed take memory of their own.
class RunsInFlight {
public:
  /// Runs go to `stream`.
  Status allocate(Device &device, Stream &stream, size_t count);

  /// The slot of the next run. Where a run is in it, that has to end first.
  RunSlot &next() { return slots[last % slots.size()]; }
  /// Gives the slot of `next` to a run, whose number this is: 1, 2, ..
  uint64_t begin();
  /// Of a run that has not ended, else null.
  RunSlot *find(uint64_t run);
  /// The slot is free; `take` will say `outcome`.
  void end(RunSlot &slot, const Status &outcome);

  /// Code::Usage for a run that there never was or that was taken.
  Status check(uint64_t run) const;
  /// How a run ended, once.
  Status take(uint64_t run);

private:
  std::deque<RunSlot> slots; ///< run r in slot (r - 1) mod their number
  uint64_t last = 0;         ///< run
  /// First and last of each interval of runs that were not taken: one where all are waited for
  /// in order, and where none is.
  std::map<uint64_t, uint64_t> waiting;
  std::map<uint64_t, Status> failures; ///< of runs that ended and were not taken
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_RUNSINFLIGHT_H

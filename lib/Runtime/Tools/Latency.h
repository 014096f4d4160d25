//===- lib/Runtime/Tools/Latency.h - Times of repeated runs ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_LATENCY_H
#define CUPOLA_LIB_RUNTIME_TOOLS_LATENCY_H

#include "lib/Runtime/Session.h"

namespace cupola::runtime {

/// Of whole runs, from the call that queues one to its end.
struct Latency {
  double min = 0, median = 0, p99 = 0; ///< milliseconds
};

/// Runs `warmup` times, then `iterations` (at least one) times with the clock.
Result<Latency> measure(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                        uint64_t warmup, uint64_t iterations);

/// Milliseconds of a run of `iterations` (at least one) that are queued one behind the other.
Result<double> measureQueued(Session &session, const std::vector<TensorRef> &inputs,
                             const std::vector<TensorRef> &outputs, uint64_t iterations);

/// Of these times in milliseconds, at least one.
Latency summarize(std::vector<double> times);

/// Most memory that this process had resident.
uint64_t peakResidentBytes();

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_LATENCY_H

//===- lib/Runtime/Tools/Latency.cpp - Times of repeated runs ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Latency.h"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>

namespace cupola::runtime {

Latency summarize(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const size_t count = times.size();
  Latency latency;
  latency.min = times.front();
  latency.median = count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
  latency.p99 = times[(count * 99 + 99) / 100 - 1]; // nearest rank
  return latency;
}

Result<Latency> measure(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs,
                        uint64_t warmup, uint64_t iterations) {
  for (uint64_t i = 0; i < warmup; ++i)
    CUPOLA_TRY(session.run(inputs, outputs));
  std::vector<double> times;
  for (uint64_t i = 0; i < std::max<uint64_t>(iterations, 1); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    CUPOLA_TRY(session.run(inputs, outputs));
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return summarize(std::move(times));
}

Result<double> measureQueued(Session &session, const std::vector<TensorRef> &inputs,
                             const std::vector<TensorRef> &outputs, uint64_t iterations) {
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t count = std::max<uint64_t>(iterations, 1);
  std::vector<uint64_t> runs;
  for (uint64_t i = 0; i < count; ++i) {
    CUPOLA_ASSIGN(const uint64_t run, session.enqueue(inputs, outputs));
    runs.push_back(run);
  }
  for (const uint64_t run : runs)
    CUPOLA_TRY(session.wait(run));
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / static_cast<double>(count);
}

uint64_t peakResidentBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

} // namespace cupola::runtime

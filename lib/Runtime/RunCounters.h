//===- lib/Runtime/RunCounters.h - What the runs of a session came to ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_RUNCOUNTERS_H
#define CUPOLA_LIB_RUNTIME_RUNCOUNTERS_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace cupola::runtime {

/// Upper bounds of latencies in seconds, ascending; what is longer belongs to none.
constexpr std::array<double, 19> kLatencyBounds = {1e-5,   2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2,
                                                   2.5e-2, 5e-2,   0.1,  0.25, 0.5,    1,    2.5,  5,      10};

/// A snapshot of RunCounters.
struct RunCounts {
  uint64_t runs = 0, failures = 0;                      ///< that ended; those of them that returned an error
  double seconds = 0;                                   ///< all latencies
  std::array<uint64_t, kLatencyBounds.size()> within{}; ///< by bound: runs that took longer than the bound before it
  uint64_t arenaBytes = 0, stagingBytes = 0;            ///< at the last bind or run
  uint64_t copiedTensors = 0;
};

/// One thread counts, any may read meanwhile. Each figure is right by itself; two of one snapshot may be a run apart.
class RunCounters {
public:
  void countRun(std::chrono::steady_clock::duration latency, bool failed) {
    using namespace std::chrono;
    const double seconds = duration<double>(latency).count();
    size_t bound = 0;
    while (bound < kLatencyBounds.size() && seconds > kLatencyBounds[bound])
      ++bound;
    if (bound < kLatencyBounds.size())
      add(within[bound], 1);
    add(nanoseconds, static_cast<uint64_t>(duration_cast<std::chrono::nanoseconds>(latency).count()));
    add(failures, failed);
    add(runs, 1);
  }
  void countCopies(uint64_t count) { add(copies, count); }
  void setMemory(uint64_t arena, uint64_t staging) {
    arenaBytes.store(arena, std::memory_order_relaxed);
    stagingBytes.store(staging, std::memory_order_relaxed);
  }

  RunCounts read() const {
    RunCounts counts;
    counts.runs = runs.load(std::memory_order_relaxed);
    counts.failures = failures.load(std::memory_order_relaxed);
    counts.seconds = static_cast<double>(nanoseconds.load(std::memory_order_relaxed)) / 1e9;
    for (size_t i = 0; i < within.size(); ++i)
      counts.within[i] = within[i].load(std::memory_order_relaxed);
    counts.arenaBytes = arenaBytes.load(std::memory_order_relaxed);
    counts.stagingBytes = stagingBytes.load(std::memory_order_relaxed);
    counts.copiedTensors = copies.load(std::memory_order_relaxed);
    return counts;
  }

private:
  using Counter = std::atomic<uint64_t>;
  /// There is one writer: no bus lock.
  static void add(Counter &counter, uint64_t value) {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }

  Counter runs{0}, failures{0}, nanoseconds{0}, copies{0}, arenaBytes{0}, stagingBytes{0};
  std::array<Counter, kLatencyBounds.size()> within{};
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_RUNCOUNTERS_H

//===- lib/Runtime/CUDA/LaunchCounters.h - how often each kernel of a device was launched ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_LAUNCHCOUNTERS_H
#define CUPOLA_LIB_RUNTIME_CUDA_LAUNCHCOUNTERS_H

#include "lib/Runtime/Device.h"

#include <atomic>
#include <map>
#include <mutex>

namespace cupola::runtime::cuda {

struct LaunchCounter {
  std::atomic<uint64_t> launches{0}, blocks{0};
  void add(uint64_t count) {
    launches.fetch_add(1, std::memory_order_relaxed);
    blocks.fetch_add(count, std::memory_order_relaxed);
  }
};

/// Counters by kernel name. Kernels of the same name are the same kernel: names are hashes of the text. Thread-safe.
class LaunchCounters {
public:
  /// Stays valid as long as this object.
  LaunchCounter &of(const std::string &kernel) {
    std::lock_guard<std::mutex> lock(mutex);
    return counters[kernel];
  }

  std::vector<KernelStatistics> read() const {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<KernelStatistics> result;
    for (const auto &[name, counter] : counters) {
      KernelStatistics row;
      row.name = name;
      row.launches = counter.launches.load();
      row.blocks = counter.blocks.load();
      if (row.launches > 0)
        result.push_back(row);
    }
    return result;
  }

  void reset() {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[name, counter] : counters)
      counter.launches = counter.blocks = 0;
  }

private:
  mutable std::mutex mutex;
  std::map<std::string, LaunchCounter> counters;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_LAUNCHCOUNTERS_H

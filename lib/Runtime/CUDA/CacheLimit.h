//===- lib/Runtime/CUDA/CacheLimit.h - what the entries of a cache may take together ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_CACHELIMIT_H
#define CUPOLA_LIB_RUNTIME_CUDA_CACHELIMIT_H

#include <cstdint>
#include <mutex>
#include <string>

namespace cupola::runtime {

/// Holds a folder of entries below a limit: the environment's CUPOLA_CACHE_LIMIT, in MiB, 0 for none. Those go first
/// that were not used for longest, by the time of their change, which readers set. Thread-safe.
class CacheLimit {
public:
  static constexpr uint64_t defaultMiB = 4096;
  /// An entry takes a fourth of the limit at most, so that a large one does not displace all others.
  static constexpr uint64_t entryShare = 4;
  /// Of files that writers are at work on.
  static constexpr const char *temporaryPrefix = ".new-";

  /// Of the environment; what is no number counts as not set.
  CacheLimit();

  /// 0: there is none.
  uint64_t bytes() const { return limit; }
  /// Whether an entry of this size is stored.
  bool takes(uint64_t entryBytes) const { return limit == 0 || entryBytes <= limit / entryShare; }
  /// `bytes` were added to the folder as `name`: removes others where they are too many together, and what killed
  /// writers left. Files whose names are not those of entries stay.
  void hold(int folder, const std::string &name, uint64_t bytes);

private:
  uint64_t limit = 0;
  std::mutex mutex;
  bool isCounted = false;
  uint64_t used = 0; ///< by the last count and what was added since
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CUDA_CACHELIMIT_H

//===- lib/Sim/Traffic.h - Counting memory requests, sectors and bank conflicts ---===//
// SPDX-License-Identifier: Apache-2.0
//
// On a GPU the lanes of a warp issue one request together; here they run one after the other. So every lane logs its
// accesses, and the logs of a warp are merged where its lanes stand still: at a barrier, at the end, or when a log is
// full (the lane then waits for the others). Accesses of the same instruction at the front of the logs are one request.
#ifndef CUPOLA_LIB_SIM_TRAFFIC_H
#define CUPOLA_LIB_SIM_TRAFFIC_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupola::sim {

struct TrafficCounts {
  uint64_t launches = 0, blocks = 0, barriers = 0;
  uint64_t bytesRead = 0, bytesWritten = 0;       ///< global, of every lane
  uint64_t requests = 0, sectors = 0;             ///< global, warp-wide; sectors of 32 bytes
  uint64_t distinctSectors = 0;                   ///< each counted once per launch: what an ideal cache would fetch
  uint64_t sharedRequests = 0, bankConflicts = 0; ///< wavefronts beyond the fewest possible
};

class Traffic {
public:
  static constexpr unsigned kCapacity = 256;

  void begin(unsigned threads);
  /// Global memory that the launch may touch, in ascending order of addresses.
  void addRange(uintptr_t begin, uintptr_t end);
  /// Logs an access of thread `thread`. False: the log is full and the thread must wait until its warp was merged.
  bool log(unsigned thread, uintptr_t pc, uintptr_t address, unsigned bytes, bool write, bool shared) {
    const unsigned at = counts[thread]++;
    entries[thread * kCapacity + at] = {pc | uint64_t(bytes) << 48 | uint64_t(write) << 56 | uint64_t(shared) << 57,
                                        address};
    return at + 1 < kCapacity;
  }
  /// Counts a row of a tensor copy, one request.
  void countCopy(uintptr_t address, uint64_t bytes);
  /// Counts and empties the logs of 32 threads from `firstThread` on.
  void mergeWarp(unsigned firstThread, unsigned lanes);
  /// The place of the newest logged access of `thread` that touches [address, address + bytes), or 0.
  uintptr_t findAccess(unsigned thread, uintptr_t address, unsigned bytes) const;

  /// The place of the newest access that `thread` has logged since its log was merged, or 0.
  uintptr_t newestAccess(unsigned thread) const;

  TrafficCounts counted;

private:
  struct Entry {
    uint64_t key; ///< instruction, size and kind
    uint64_t address;
  };
  void countGlobal(unsigned bytes, bool write, const uint64_t *addresses, unsigned lanes);
  /// `lanesOf`: the lane of each address.
  void countShared(unsigned bytes, const uint64_t *addresses, const unsigned *lanesOf, unsigned lanes);
  void noteSector(uint64_t sector);

  struct Range {
    uint64_t first, count; ///< sectors
    std::vector<bool> isTouched;
  };
  std::vector<Range> ranges;
  size_t lastRange = 0;
  std::vector<Entry> entries;
  std::vector<uint32_t> counts;
};

} // namespace cupola::sim

#endif

//===- lib/Planner/MemoryPlanner.h - where buffers lie in the arena ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic storage allocation: buffers that are alive at the same step must not
// overlap, and the arena is to be as small as possible. NP-hard; on the graphs of
// inference a greedy placement mostly meets the lower bound, and where it does
// not, a search of bounded work follows. The answer depends on the requests
// alone: work is counted, never timed.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_PLANNER_MEMORYPLANNER_H
#define CUPOLA_LIB_PLANNER_MEMORYPLANNER_H

#include <cstdint>
#include <optional>
#include <vector>

namespace cupola {

/// A buffer alive from step `first` to step `last`, both inclusive.
struct MemoryRequest {
  uint64_t bytes = 0;
  uint32_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<uint64_t> offsets; ///< of each request, in bytes; 0 for one of no bytes
  uint64_t bytes = 0;            ///< of the arena, a multiple of the alignment
  uint64_t lowerBound = 0;       ///< the most bytes alive at one step: no arena is smaller
};

constexpr uint64_t memoryAlignment = 256;

/// Buffers looked at by the search after the greedy placement; some nanoseconds
/// each. Nothing of it is used where the greedy placement is within 1 % of the
/// lower bound.
constexpr uint64_t memorySearchWork = uint64_t(1) << 22;

/// Offsets and sizes are rounded up to `alignment`, a power of two. Nullopt if a
/// request ends before it begins, or all of them together exceed 2^62 bytes.
std::optional<MemoryPlan> planMemory(const std::vector<MemoryRequest> &requests, uint64_t alignment = memoryAlignment,
                                     uint64_t work = memorySearchWork);

} // namespace cupola

#endif // CUPOLA_LIB_PLANNER_MEMORYPLANNER_H

//===- lib/Sim/ReadSets.h - Who read a cell, where one stamp cannot say it ---===//
// SPDX-License-Identifier: Apache-2.0
//
// With vectors of clocks (Clocks.h) a later write must be ordered after each reader for itself. A stamp then names one
// reader that all others are ordered before, or a set.
#ifndef CUPOLA_LIB_SIM_READSETS_H
#define CUPOLA_LIB_SIM_READSETS_H

#include "lib/Sim/Stamp.h"

#include <vector>

namespace cupola::sim {

class ReadSets {
public:
  /// Stands for all that threads read before vectors began: stamps of that time do not say who did.
  static constexpr uint32_t kEverybody = ~0u;
  struct Reader {
    uint32_t thread, clock;
  };

  static bool isSet(Stamp reads) { return (reads & kFlagMask) == kReadByMany && (stampClock(reads) & kSetBit); }
  /// Nobody has read anything.
  void clear();
  /// The stamp of `reads` and `read`, of a thread that reads now or of a copy.
  Stamp add(Stamp reads, Stamp read);
  const std::vector<Reader> &of(Stamp reads) const { return sets[indexOf(reads)]; }
  /// A set of its own that holds the same, for a cell that was split.
  Stamp copy(Stamp reads);
  /// The cell was written.
  void release(Stamp reads) { unused.push_back(indexOf(reads)); }

private:
  static constexpr uint32_t kSetBit = 1u << 23;
  static uint32_t indexOf(Stamp reads) { return (stampClock(reads) & ~kSetBit) << 10 | stampThread(reads); }
  Stamp makeSet();

  std::vector<std::vector<Reader>> sets;
  std::vector<uint32_t> unused;
};

} // namespace cupola::sim

#endif

//===- lib/Sim/ReadSets.cpp - Who read a cell, where one stamp cannot say it ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/ReadSets.h"

#include "lib/Sim/Shadow.h"

#include <algorithm>

namespace cupola::sim {

void ReadSets::clear() {
  sets.clear();
  unused.clear();
}

Stamp ReadSets::makeSet() {
  if (unused.empty()) {
    unused.push_back(static_cast<uint32_t>(sets.size()));
    sets.emplace_back();
  }
  const uint32_t index = unused.back();
  unused.pop_back();
  sets[index].clear();
  return makeStamp(machine.blockSerial, kSetBit | index >> 10, index & 1023) | kReadByMany;
}

Stamp ReadSets::copy(Stamp reads) {
  const Stamp made = makeSet();
  sets[indexOf(made)] = sets[indexOf(reads)];
  return made;
}

Stamp ReadSets::add(Stamp reads, Stamp read) {
  const Reader reader = {stampThread(read), stampClock(read)};
  // What a copy reads is ordered for others by its mbarrier, which need not know what came before the copy.
  const bool isCopy = reader.thread >= machine.threads.size();
  const auto isPast = [&](const Reader &r) {
    return r.thread == reader.thread || (!isCopy && isOrderedBefore(r, reader.thread));
  };
  if (!isSet(reads)) {
    const bool one = (reads & kFlagMask) == kReadByOne;
    const Reader earlier = {one ? stampThread(reads) : kEverybody, stampClock(reads)};
    if (isPast(earlier))
      return read | kReadByOne; // whoever is ordered after this read is ordered after those, too
    reads = makeSet();
    sets[indexOf(reads)] = {earlier};
  }
  std::vector<Reader> &set = sets[indexOf(reads)];
  set.erase(std::remove_if(set.begin(), set.end(), isPast), set.end());
  set.push_back(reader);
  return reads;
}

} // namespace cupola::sim

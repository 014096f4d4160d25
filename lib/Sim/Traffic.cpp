//===- lib/Sim/Traffic.cpp - Counting memory requests, sectors and bank conflicts ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Traffic.h"

#include <algorithm>

namespace cupola::sim {

namespace {
constexpr unsigned kLanes = 32, kSectorBytes = 32, kBanks = 32, kBankBytes = 4;
constexpr uint64_t kPcMask = (uint64_t(1) << 48) - 1;

unsigned keyBytes(uint64_t key) { return static_cast<unsigned>(key >> 48) & 31; }
bool keyIsWrite(uint64_t key) { return key >> 56 & 1; }
bool keyIsShared(uint64_t key) { return key >> 57 & 1; }

/// The most distinct words in one bank.
unsigned countMostWords(uint64_t *words, unsigned count) {
  std::sort(words, words + count);
  uint8_t perBank[kBanks] = {};
  unsigned most = 0;
  for (unsigned i = 0; i < count; ++i)
    if (i == 0 || words[i] != words[i - 1])
      most = std::max<unsigned>(most, ++perBank[words[i] % kBanks]);
  return most;
}

/// How many passes over the banks the words take: 1 unless two distinct words lie in one bank.
unsigned countWavefronts(const uint64_t *addresses, unsigned lanes, unsigned bytes) {
  uint64_t words[kLanes * 4], inBank[kBanks];
  uint32_t taken = 0;
  unsigned count = 0;
  bool conflict = false;
  for (unsigned l = 0; l < lanes; ++l)
    for (uint64_t word = addresses[l] / kBankBytes; word <= (addresses[l] + bytes - 1) / kBankBytes; ++word) {
      const unsigned bank = word % kBanks;
      conflict |= (taken >> bank & 1) && inBank[bank] != word;
      inBank[bank] = word;
      taken |= 1u << bank;
      words[count++] = word;
    }
  return conflict ? countMostWords(words, count) : 1;
}
} // namespace

void Traffic::begin(unsigned threads) {
  counted = {};
  if (entries.size() < size_t(threads) * kCapacity)
    entries.resize(size_t(threads) * kCapacity);
  counts.assign(threads, 0);
  ranges.clear();
  lastRange = 0;
}

void Traffic::addRange(uintptr_t begin, uintptr_t end) {
  const uint64_t first = begin / kSectorBytes, count = (end - 1) / kSectorBytes - first + 1;
  ranges.push_back({first, count, std::vector<bool>(count)});
}

void Traffic::noteSector(uint64_t sector) {
  if (sector - ranges[lastRange].first >= ranges[lastRange].count) {
    const auto next =
        std::upper_bound(ranges.begin(), ranges.end(), sector, [](uint64_t s, const Range &r) { return s < r.first; });
    lastRange = static_cast<size_t>(next - ranges.begin()) - 1;
  }
  Range &range = ranges[lastRange];
  counted.distinctSectors += !range.isTouched[sector - range.first];
  range.isTouched[sector - range.first] = true;
}

void Traffic::countCopy(uintptr_t address, uint64_t bytes) {
  ++counted.requests;
  counted.bytesRead += bytes;
  for (uint64_t sector = address / kSectorBytes; sector <= (address + bytes - 1) / kSectorBytes; ++sector) {
    ++counted.sectors;
    noteSector(sector);
  }
}

void Traffic::mergeWarp(unsigned firstThread, unsigned lanes) {
  unsigned cursor[kLanes] = {};
  uint64_t addresses[kLanes];
  unsigned lanesOf[kLanes];
  for (unsigned first = 0; first < lanes;) {
    if (cursor[first] == counts[firstThread + first]) {
      ++first;
      continue;
    }
    const uint64_t key = entries[size_t(firstThread + first) * kCapacity + cursor[first]].key;
    unsigned taking = 0;
    for (unsigned l = first; l < lanes; ++l) {
      if (cursor[l] == counts[firstThread + l])
        continue;
      const Entry &e = entries[size_t(firstThread + l) * kCapacity + cursor[l]];
      if (e.key != key)
        continue;
      addresses[taking] = e.address;
      lanesOf[taking++] = l;
      ++cursor[l];
    }
    if (keyIsShared(key))
      countShared(keyBytes(key), addresses, lanesOf, taking);
    else
      countGlobal(keyBytes(key), keyIsWrite(key), addresses, taking);
  }
  std::fill_n(counts.begin() + firstThread, lanes, 0);
}

void Traffic::countGlobal(unsigned bytes, bool write, const uint64_t *addresses, unsigned lanes) {
  uint64_t sectors[kLanes];
  for (unsigned l = 0; l < lanes; ++l)
    sectors[l] = addresses[l] / kSectorBytes;
  if (!std::is_sorted(sectors, sectors + lanes))
    std::sort(sectors, sectors + lanes);
  const uint64_t *const end = std::unique(sectors, sectors + lanes);
  counted.sectors += static_cast<uint64_t>(end - sectors);
  for (const uint64_t *sector = sectors; sector != end; ++sector)
    noteSector(*sector);
  ++counted.requests;
  (write ? counted.bytesWritten : counted.bytesRead) += uint64_t(lanes) * bytes;
}

void Traffic::countShared(unsigned bytes, const uint64_t *addresses, const unsigned *lanesOf, unsigned lanes) {
  // Accesses of 8 bytes go by half warps, those of 16 by quarters; each part that asks has at least one wavefront.
  const unsigned group = bytes <= 4 ? kLanes : kLanes * 4 / bytes;
  for (unsigned l = 0, count; l < lanes; l += count) {
    count = 1;
    while (l + count < lanes && lanesOf[l + count] / group == lanesOf[l] / group)
      ++count;
    counted.bankConflicts += countWavefronts(addresses + l, count, bytes) - 1;
  }
  ++counted.sharedRequests;
}

uintptr_t Traffic::newestAccess(unsigned thread) const {
  return counts[thread] == 0 ? 0 : entries[size_t(thread) * kCapacity + counts[thread] - 1].key & kPcMask;
}

uintptr_t Traffic::findAccess(unsigned thread, uintptr_t address, unsigned bytes) const {
  for (unsigned i = counts[thread]; i-- > 0;) {
    const Entry &e = entries[size_t(thread) * kCapacity + i];
    if (e.address < address + bytes && address < e.address + keyBytes(e.key))
      return e.key & kPcMask;
  }
  return 0;
}

} // namespace cupola::sim

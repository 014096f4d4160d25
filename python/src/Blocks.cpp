//===- python/src/Blocks.cpp - memory of numpy arrays ---===//
// SPDX-License-Identifier: Apache-2.0
#include "python/src/Blocks.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace cupola::python {

Blocks &Blocks::all() {
  static Blocks &blocks = *new Blocks;
  return blocks;
}

Blocks::Blocks() { kept.reserve(mostKept); }

Block Blocks::take(size_t bytes) {
  const size_t rounded = (bytes / alignment + 1) * alignment;
  if (rounded >= fewestBytes) {
    const std::lock_guard lock(mutex);
    const auto isOfSize = [&](const Block &block) { return block.bytes == rounded; };
    const auto last = std::find_if(kept.rbegin(), kept.rend(), isOfSize); // the warmest
    if (last != kept.rend()) {
      const Block block = *last;
      kept.erase(std::next(last).base());
      keptBytes -= rounded;
      return block;
    }
  }
  void *memory = std::aligned_alloc(alignment, rounded);
  if (!memory)
    throw std::bad_alloc();
  return {memory, rounded};
}

void Blocks::give(Block block) noexcept {
  if (block.bytes < fewestBytes || block.bytes > mostKeptBytes)
    return std::free(block.memory);
  const std::lock_guard lock(mutex);
  while (kept.size() == mostKept || keptBytes + block.bytes > mostKeptBytes) {
    std::free(kept.front().memory);
    keptBytes -= kept.front().bytes;
    kept.erase(kept.begin());
  }
  kept.push_back(block);
  keptBytes += block.bytes;
}

} // namespace cupola::python

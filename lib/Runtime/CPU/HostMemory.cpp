//===- lib/Runtime/CPU/HostMemory.cpp - memory that kernels walk through ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/HostMemory.h"
#include "lib/Runtime/Format/Plan.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace cupola::runtime {

/// A kernel walks through many rows at a time, each in a page of its own, and finding a
/// page takes longer than finding a line. Linux gives larger pages where it is asked to.
constexpr uint64_t kHugePage = uint64_t(2) << 20;

void *allocateHostMemory(uint64_t bytes) {
  void *memory = nullptr;
  const uint64_t alignment = bytes < kHugePage ? format::kBufferAlignment : kHugePage;
  if (::posix_memalign(&memory, alignment, std::max<uint64_t>(bytes, 1)) != 0)
    return nullptr;
  if (bytes >= kHugePage)
    ::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE); // a wish
  return memory;
}

} // namespace cupola::runtime

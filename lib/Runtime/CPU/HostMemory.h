//===- lib/Runtime/CPU/HostMemory.h - memory that kernels walk through ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_HOSTMEMORY_H
#define CUPOLA_LIB_RUNTIME_CPU_HOSTMEMORY_H

#include <cstdint>

namespace cupola::runtime {

/// Aligned to format::kBufferAlignment, in large pages where it is large; null where there is
/// none. For std::free.
void *allocateHostMemory(uint64_t bytes);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_HOSTMEMORY_H

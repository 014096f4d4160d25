//===- lib/Runtime/CUDA/GrowingMemory.h - device memory that grows without moving ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_GROWINGMEMORY_H
#define CUPOLA_LIB_RUNTIME_CUDA_GROWINGMEMORY_H

#include "lib/Runtime/CUDA/CudaContext.h"

#include <vector>

namespace cupola::runtime::cuda {

/// A range of addresses of which a prefix has memory behind it. An arena that grows for a larger shape keeps its
/// address this way, and with it every CUDA graph that holds it. The range costs nothing: it is as large as the
/// device's memory. One thread at a time.
class GrowingMemory {
public:
  explicit GrowingMemory(std::shared_ptr<CudaContext> context) : context(std::move(context)) {}
  /// No work that uses the memory may be under way.
  ~GrowingMemory();
  GrowingMemory(const GrowingMemory &) = delete;

  /// Takes a range of at least `most` bytes. Call once. The context must be current, as for `grow`.
  CuResult reserve(uint64_t most);
  /// Puts memory behind the first `bytes`. After an error what was there before is as it was.
  CuResult grow(uint64_t bytes);

  CuPointer address() const { return start; }
  uint64_t bytes() const { return mapped; }

private:
  CuResult append(uint64_t bytes);
  CuMemoryProperties properties() const;

  struct Piece {
    CuMemoryHandle handle;
    uint64_t bytes;
  };
  std::shared_ptr<CudaContext> context;
  CuPointer start = 0;
  uint64_t reserved = 0, mapped = 0;
  size_t granularity = 0; ///< pieces are multiples of it, 2 MiB usually
  std::vector<Piece> pieces;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_GROWINGMEMORY_H

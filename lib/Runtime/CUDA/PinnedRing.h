//===- lib/Runtime/CUDA/PinnedRing.h - page-locked staging memory for small uploads ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_PINNEDRING_H
#define CUPOLA_LIB_RUNTIME_CUDA_PINNEDRING_H

#include "lib/Runtime/CUDA/CudaContext.h"

#include <array>

namespace cupola::runtime::cuda {

/// Small uploads, such as the table of bindings before each run, are copied here first: a copy from page-locked memory
/// does not stop the calling thread, and the caller may reuse its memory at once. Slots are used in turn; a slot is
/// waited for only when the copy that last used it has not happened yet. For one stream and one thread at a time.
class PinnedRing {
public:
  static constexpr size_t slotBytes = size_t(64) * 1024;
  static constexpr size_t slotCount = 8;

  explicit PinnedRing(std::shared_ptr<CudaContext> context);
  ~PinnedRing();
  PinnedRing(const PinnedRing &) = delete;

  /// Queues a copy of at most slotBytes. The context must be current.
  Status upload(CuPointer target, const void *source, size_t bytes, CuStream stream);

private:
  Status prepare();
  std::shared_ptr<CudaContext> context;
  char *memory = nullptr;
  std::array<CuEvent, slotCount> events = {}; ///< recorded behind the copy out of each slot
  std::array<bool, slotCount> pending = {};
  size_t next = 0;
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_PINNEDRING_H

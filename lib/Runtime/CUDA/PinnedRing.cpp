//===- lib/Runtime/CUDA/PinnedRing.cpp - page-locked staging memory for small uploads ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/PinnedRing.h"

#include <cassert>
#include <cstring>

namespace cupola::runtime::cuda {

PinnedRing::PinnedRing(std::shared_ptr<CudaContext> of) : context(std::move(of)) {}

PinnedRing::~PinnedRing() {
  const ContextScope scope(*context);
  if (!scope.mayRelease())
    return;
  for (CuEvent event : events)
    if (event)
      context->api().eventDestroy(event);
  if (memory)
    context->api().memFreeHost(memory);
}

/// Made at the first upload: many streams never have one.
Status PinnedRing::prepare() {
  const DriverApi &api = context->api();
  for (CuEvent &event : events)
    if (!event)
      CUPOLA_TRY(context->check(api.eventCreate(&event, cuEventDisableTiming), "making an event"));
  void *allocated = nullptr;
  CUPOLA_TRY(context->check(api.memHostAlloc(&allocated, slotBytes * slotCount, cuHostPortable),
                            "allocating page-locked memory"));
  memory = static_cast<char *>(allocated);
  return {};
}

Status PinnedRing::upload(CuPointer target, const void *source, size_t bytes, CuStream stream) {
  assert(bytes <= slotBytes && "larger uploads do not go through the ring");
  const DriverApi &api = context->api();
  if (!memory)
    CUPOLA_TRY(prepare());
  const size_t slot = next;
  if (pending[slot])
    CUPOLA_TRY(context->check(api.eventSynchronize(events[slot]), "waiting for an upload"));
  pending[slot] = false;
  char *staged = memory + slot * slotBytes;
  std::memcpy(staged, source, bytes);
  Status copied = context->check(api.memcpyHtoDAsync(target, staged, bytes, stream), "an upload");
  // Also behind a copy that is said to have failed: the error may be an earlier one's.
  pending[slot] = true;
  next = (slot + 1) % slotCount;
  CUPOLA_TRY(context->check(api.eventRecord(events[slot], stream), "marking an upload"));
  return copied;
}

} // namespace cupola::runtime::cuda

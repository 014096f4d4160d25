//===- lib/Runtime/CUDA/GrowingMemory.cpp - device memory that grows without moving ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/GrowingMemory.h"

namespace cupola::runtime::cuda {

static uint64_t roundUp(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

CuMemoryProperties GrowingMemory::properties() const {
  CuMemoryProperties result = {};
  result.type = cuMemoryPinned;
  result.location = {cuLocationDevice, context->device()};
  return result;
}

CuResult GrowingMemory::reserve(uint64_t most) {
  const DriverApi &api = context->api();
  const CuMemoryProperties wanted = properties();
  if (const CuResult code = api.memGetAllocationGranularity(&granularity, &wanted, cuGranularityMinimum))
    return code;
  const uint64_t bytes = roundUp(most, granularity);
  if (const CuResult code = api.memAddressReserve(&start, bytes, 0, 0, 0))
    return code;
  reserved = bytes;
  return cuSuccess;
}

CuResult GrowingMemory::grow(uint64_t bytes) {
  if (bytes <= mapped)
    return cuSuccess;
  if (bytes > reserved)
    return cuOutOfMemory;
  return append(roundUp(bytes - mapped, granularity));
}

CuResult GrowingMemory::append(uint64_t bytes) {
  const DriverApi &api = context->api();
  const CuMemoryProperties wanted = properties();
  const CuMemoryAccess access = {wanted.location, cuAccessReadWrite};
  Piece piece = {0, bytes};
  if (const CuResult code = api.memCreate(&piece.handle, bytes, &wanted, 0))
    return code;
  CuResult code = api.memMap(start + mapped, bytes, 0, piece.handle, 0);
  if (code == cuSuccess) {
    code = api.memSetAccess(start + mapped, bytes, &access, 1);
    if (code != cuSuccess)
      api.memUnmap(start + mapped, bytes);
  }
  if (code != cuSuccess) {
    api.memRelease(piece.handle);
    return code;
  }
  pieces.push_back(piece);
  mapped += bytes;
  return cuSuccess;
}

GrowingMemory::~GrowingMemory() {
  const ContextScope scope(*context);
  if (!scope.mayRelease() || reserved == 0)
    return;
  const DriverApi &api = context->api();
  CuPointer at = start;
  for (const Piece &piece : pieces) {
    api.memUnmap(at, piece.bytes);
    api.memRelease(piece.handle);
    at += piece.bytes;
  }
  api.memAddressFree(start, reserved);
}

} // namespace cupola::runtime::cuda

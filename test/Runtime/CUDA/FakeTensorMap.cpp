//===- test/Runtime/CUDA/FakeTensorMap.cpp - the fake driver's tensor maps ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The rules are those of the CUDA driver's reference, "Tensor Map Object Management".
#include "test/Runtime/CUDA/FakeCalls.h"

#include <cstring>

namespace cupola::runtime::cuda {

namespace {

/// By CuTensorType.
constexpr unsigned kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};

/// The first rule that the arguments break, or null.
const char *brokenRule(const FakeTensorMap &map, const unsigned *elementStrides) {
  if (map.rank == 0 || map.rank > 5)
    return "rank";
  if (map.address == 0 || map.address % 16 != 0)
    return "address";
  for (unsigned d = 0; d < map.rank; ++d) {
    if (map.extents[d] == 0 || map.extents[d] > uint64_t(1) << 32)
      return "extent";
    if (d > 0 && (map.strides[d - 1] % 16 != 0 || map.strides[d - 1] >= uint64_t(1) << 40))
      return "stride";
    if (map.box[d] == 0 || map.box[d] > 256 || elementStrides[d] != 1)
      return "box";
  }
  const unsigned inner = map.box[0] * kElementBytes[map.type];
  if (inner % 16 != 0 || (map.swizzle != cuSwizzleNone && inner > 16u << map.swizzle))
    return "innermost box";
  return nullptr;
}

} // namespace

void FakeCalls::fillTensorMaps(DriverApi &api) {
  api.tensorMapEncodeTiled = [](void *to, CuTensorType type, unsigned rank, void *address,
                                const unsigned long long *extents, const unsigned long long *strides,
                                const unsigned *box, const unsigned *elementStrides, int interleave,
                                CuTensorSwizzle swizzle, int promotion, int fill) {
    if (const CuResult code = self().enter("cuTensorMapEncodeTiled"))
      return code;
    FakeTensorMap map;
    map.magic = FakeTensorMap::kMagic;
    map.type = uint8_t(type);
    map.rank = uint8_t(rank);
    map.swizzle = uint8_t(swizzle);
    map.address = CuPointer(address);
    for (unsigned d = 0; d < rank; ++d) {
      map.extents[d] = extents[d];
      map.box[d] = uint16_t(box[d]);
      if (d > 0)
        map.strides[d - 1] = strides[d - 1];
    }
    if (const char *rule = brokenRule(map, elementStrides))
      self().violation(std::string("cuTensorMapEncodeTiled: ") + rule);
    if (uintptr_t(to) % 64 != 0 || interleave != cuTensorNoInterleave || promotion != cuTensorPromote128 ||
        fill != cuTensorFillWithZeros || self().capability < 90)
      self().violation("cuTensorMapEncodeTiled with bad arguments");
    static_assert(sizeof(map) <= 128);
    std::memset(to, 0, 128);
    std::memcpy(to, &map, sizeof(map));
    return CuResult(cuSuccess);
  };
}

} // namespace cupola::runtime::cuda

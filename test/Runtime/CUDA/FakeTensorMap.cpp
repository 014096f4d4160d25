//===- test/Runtime/CUDA/FakeTensorMap.cpp - the fake driver's tensor maps ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The rules are those of the CUDA driver's reference, "Tensor Map Object Management".
#include "test/Runtime/CUDA/FakeCalls.h"

#include <algorithm>
#include <cstring>

namespace cupola::runtime::cuda {

namespace {

/// By CuTensorType.
constexpr unsigned kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};

/// The first rule of both kinds of maps that the map breaks, or null.
const char *brokenRule(const FakeTensorMap &map) {
  if (map.rank == 0 || map.rank > 5)
    return "rank";
  if (map.address == 0 || map.address % 16 != 0)
    return "address";
  for (unsigned d = 0; d < map.rank; ++d) {
    if (map.extents[d] == 0 || map.extents[d] > uint64_t(1) << 32)
      return "extent";
    if (d > 0 && (map.strides[d - 1] % 16 != 0 || map.strides[d - 1] >= uint64_t(1) << 40))
      return "stride";
    if (map.steps[d] < 1 || map.steps[d] > 8)
      return "element stride";
  }
  const unsigned inner = map.box[0] * kElementBytes[map.type];
  if (inner % 16 != 0 || (map.swizzle != cuSwizzleNone && inner > 16u << map.swizzle))
    return "innermost box";
  return nullptr;
}

const char *brokenBoxRule(const FakeTensorMap &map) {
  for (unsigned d = 0; d < map.rank; ++d)
    if (map.box[d] == 0 || map.box[d] > 256)
      return "box";
  return nullptr;
}

const char *brokenWindowRule(const FakeTensorMap &map) {
  if (map.rank < 3)
    return "rank of a window";
  if (map.box[0] == 0 || map.box[0] > 256 || map.box[1] == 0 || map.box[1] > 1024)
    return "channels or places";
  const int limit = map.rank == 3 ? 32768 : map.rank == 4 ? 128 : 16;
  for (unsigned d = 0; d < map.rank - 2u; ++d) {
    if (map.lower[d] < -limit || map.lower[d] >= limit || map.upper[d] < -limit || map.upper[d] >= limit)
      return "corner";
    if (map.lower[d] > int64_t(map.extents[d + 1]) - 1 + map.upper[d])
      return "empty window";
  }
  return map.steps[0] == 1 && map.steps[map.rank - 1] == 1 ? nullptr : "step";
}

/// What both functions are given.
struct MapArguments {
  void *to;
  CuTensorType type;
  unsigned rank;
  void *address;
  const unsigned long long *extents, *strides;
  const unsigned *elementStrides;
  int interleave;
  CuTensorSwizzle swizzle;
  int promotion, fill;
};

FakeTensorMap mapOf(const MapArguments &args) {
  FakeTensorMap map;
  map.magic = FakeTensorMap::kMagic;
  map.type = uint8_t(args.type);
  map.rank = uint8_t(args.rank);
  map.swizzle = uint8_t(args.swizzle);
  map.address = CuPointer(args.address);
  for (unsigned d = 0; d < args.rank; ++d) {
    map.extents[d] = args.extents[d];
    map.steps[d] = uint8_t(args.elementStrides[d]);
    if (d > 0)
      map.strides[d - 1] = args.strides[d - 1];
  }
  return map;
}

/// The first rule that a call breaks, or null; `ofKind`: of those for its kind of maps.
const char *brokenRule(const MapArguments &args, const FakeTensorMap &map, const char *ofKind, int capability) {
  if (uintptr_t(args.to) % 64 != 0 || args.interleave != cuTensorNoInterleave || args.promotion != cuTensorPromote128 ||
      args.fill != cuTensorFillWithZeros || capability < 90)
    return "bad arguments";
  const char *common = brokenRule(map);
  return common ? common : ofKind;
}

} // namespace

/// Keeps a map.
static void keepMap(void *to, const FakeTensorMap &map) {
  static_assert(sizeof(map) <= 128);
  std::memset(to, 0, 128);
  std::memcpy(to, &map, sizeof(map));
}

void FakeCalls::fillTensorMaps(DriverApi &api) {
  api.tensorMapEncodeTiled = [](void *to, CuTensorType type, unsigned rank, void *address,
                                const unsigned long long *extents, const unsigned long long *strides,
                                const unsigned *box, const unsigned *elementStrides, int interleave,
                                CuTensorSwizzle swizzle, int promotion, int fill) {
    if (const CuResult code = self().enter("cuTensorMapEncodeTiled"))
      return code;
    const MapArguments args = {to,         type,    rank,      address, extents, strides, elementStrides,
                               interleave, swizzle, promotion, fill};
    FakeTensorMap map = mapOf(args);
    std::copy(box, box + rank, map.box.begin());
    if (const char *rule = brokenRule(args, map, brokenBoxRule(map), self().capability))
      self().violation(std::string("cuTensorMapEncodeTiled: ") + rule);
    keepMap(to, map);
    return CuResult(cuSuccess);
  };
  api.tensorMapEncodeIm2col = [](void *to, CuTensorType type, unsigned rank, void *address,
                                 const unsigned long long *extents, const unsigned long long *strides, const int *lower,
                                 const int *upper, unsigned channels, unsigned places, const unsigned *elementStrides,
                                 int interleave, CuTensorSwizzle swizzle, int promotion, int fill) {
    if (const CuResult code = self().enter("cuTensorMapEncodeIm2col"))
      return code;
    const MapArguments args = {to,         type,    rank,      address, extents, strides, elementStrides,
                               interleave, swizzle, promotion, fill};
    FakeTensorMap map = mapOf(args);
    map.box = {uint16_t(channels), uint16_t(places)};
    if (rank >= 3) {
      std::copy(lower, lower + rank - 2, map.lower.begin());
      std::copy(upper, upper + rank - 2, map.upper.begin());
    }
    if (const char *rule = brokenRule(args, map, brokenWindowRule(map), self().capability))
      self().violation(std::string("cuTensorMapEncodeIm2col: ") + rule);
    keepMap(to, map);
    return CuResult(cuSuccess);
  };
}

} // namespace cupola::runtime::cuda

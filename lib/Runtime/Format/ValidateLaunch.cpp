//===- lib/Runtime/Format/ValidateLaunch.cpp - The rules of a launch's grid and tensor maps ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/TensorMapLimits.h"
#include "lib/Runtime/Format/ValidateProgram.h"

namespace cupola::format {

namespace {

constexpr size_t kMaxMaps = 32;

Status checkShape(const TensorMap &map, const std::string &what) {
  const size_t rank = map.extents.size();
  if (rank == 0 || rank > kTensorMapRank)
    return bad(what + " has " + std::to_string(rank) + " extents, possible are 1 to " + std::to_string(kTensorMapRank));
  if (map.strides.size() + 1 != rank || map.box.size() != rank)
    return bad(what + " of " + std::to_string(rank) + " extents has " + std::to_string(map.strides.size()) +
               " strides and a box of " + std::to_string(map.box.size()));
  for (uint32_t elements : map.box)
    if (elements == 0 || elements > kTensorMapBox)
      return bad(what + " copies " + std::to_string(elements) + " elements at once, possible are 1 to " +
                 std::to_string(kTensorMapBox));
  const TensorWindow &window = map.window;
  if (window.isNone() && (!window.lower.empty() || !window.upper.empty()))
    return bad(what + " has the corners of a window, and no steps");
  if (!window.isNone())
    if (const std::string fault = tensorWindowFault(rank, window.lower, window.upper, window.steps); !fault.empty())
      return bad(what + " has " + fault);
  return Status::ok();
}

Status checkMap(const Launch &launch, const TensorMap &map, const std::string &what) {
  CUPOLA_TRY(checkIndices(what, {map.buffer}, launch.buffers.size()));
  if (!isValid(map.dtype) || !isComputed(map.dtype))
    return bad(what + " has no known element type");
  CUPOLA_TRY(checkShape(map, what));
  const uint32_t innermost = map.box[0] * byteSize(map.dtype);
  if (innermost % kTensorMapUnit != 0)
    return bad(what + " copies rows of " + std::to_string(innermost) + " bytes, which are no multiple of " +
               std::to_string(kTensorMapUnit));
  if (!isSwizzle(map.swizzle))
    return bad(what + " has an unknown swizzle of " + std::to_string(map.swizzle) + " bytes");
  if (map.swizzle != 0 && map.swizzle < innermost)
    return bad(what + " copies rows of " + std::to_string(innermost) + " bytes, more than its swizzle of " +
               std::to_string(map.swizzle));
  return Status::ok();
}

} // namespace

Status checkGrid(const Variant &variant, const Launch &launch, const std::string &what) {
  const size_t most = variant.target == "cuda" ? 3 : 1;
  if (launch.grid.empty() || launch.grid.size() > most)
    return bad(what + " has a grid of " + std::to_string(launch.grid.size()) + " extents, possible are 1 to " +
               std::to_string(most));
  return Status::ok();
}

Status checkMaps(const Variant &variant, const Launch &launch, const std::string &what) {
  if (!launch.maps.empty() && variant.target != "cuda")
    return bad(what + " has tensor maps, which " + variant.target + " does not know");
  if (launch.maps.size() > kMaxMaps)
    return bad(what + " has " + std::to_string(launch.maps.size()) + " tensor maps, at most " +
               std::to_string(kMaxMaps) + " are possible");
  for (size_t i = 0; i < launch.maps.size(); ++i)
    CUPOLA_TRY(checkMap(launch, launch.maps[i], what + ", " + item("tensor map", i)));
  return Status::ok();
}

} // namespace cupola::format

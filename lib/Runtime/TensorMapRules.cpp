//===- lib/Runtime/TensorMapRules.cpp - What a GPU's tensor copies can copy from ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/TensorMapRules.h"
#include "lib/Runtime/Format/TensorMapLimits.h"

namespace cupola::runtime {

namespace {

constexpr uint64_t kStrideEnd = uint64_t(1) << 40, kMaxExtent = uint64_t(1) << 32;

Status bad(const std::string &what) { return Status::package("a tensor map has " + what); }

Status checkDimension(const TensorMapValue &value, size_t d) {
  if (value.extents[d] == 0 || value.extents[d] > kMaxExtent)
    return Status::limit("a tensor map has an extent of " + std::to_string(value.extents[d]) + ", possible are 1 to " +
                         std::to_string(kMaxExtent));
  if (value.box[d] == 0 || value.box[d] > format::kTensorMapBox)
    return bad("a box of " + std::to_string(value.box[d]) + " elements, possible are 1 to " +
               std::to_string(format::kTensorMapBox));
  if (d > 0 && value.strides[d - 1] % format::kTensorMapUnit != 0)
    return bad("a stride of " + std::to_string(value.strides[d - 1]) + " bytes, which is no multiple of " +
               std::to_string(format::kTensorMapUnit));
  if (d > 0 && value.strides[d - 1] >= kStrideEnd)
    return Status::limit("a tensor map has a stride of " + std::to_string(value.strides[d - 1]) +
                         " bytes, possible are less than " + std::to_string(kStrideEnd));
  return {};
}

/// Some place begins in every dimension.
Status checkWindow(const TensorMapValue &value) {
  const format::TensorWindow &window = value.window;
  const std::string fault = format::tensorWindowFault(value.rank, window.lower, window.upper, window.steps);
  if (!fault.empty())
    return bad(fault);
  for (size_t d = 0; d < window.steps.size(); ++d)
    if (window.lower[d] > static_cast<int64_t>(value.extents[d + 1]) - 1 + window.upper[d])
      return bad("a window from " + std::to_string(window.lower[d]) + " to " + std::to_string(window.upper[d]) +
                 " without a place in " + std::to_string(value.extents[d + 1]) + " elements");
  return {};
}

} // namespace

Status checkTensorMap(const TensorMapValue &value) {
  if (value.rank == 0 || value.rank > value.extents.size())
    return bad(std::to_string(value.rank) + " dimensions");
  if (value.address % format::kTensorMapUnit != 0)
    return bad("an address that is no multiple of " + std::to_string(format::kTensorMapUnit));
  for (size_t d = 0; d < value.rank; ++d)
    CUPOLA_TRY(checkDimension(value, d));
  const uint64_t innermost = uint64_t(value.box[0]) * format::byteSize(value.dtype);
  if (innermost % format::kTensorMapUnit != 0)
    return bad("an innermost box of " + std::to_string(innermost) + " bytes, which is no multiple of " +
               std::to_string(format::kTensorMapUnit));
  if (value.swizzle != 0 && innermost > value.swizzle)
    return bad("an innermost box of " + std::to_string(innermost) + " bytes, more than its swizzle of " +
               std::to_string(value.swizzle));
  return value.window.isNone() ? Status() : checkWindow(value);
}

} // namespace cupola::runtime

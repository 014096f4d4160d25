//===- lib/Runtime/TensorMaps.cpp - Tensor maps at symbol values, then at addresses ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/TensorMaps.h"
#include "lib/Runtime/Checks.h"
#include "lib/Runtime/Format/Checked.h"
#include "lib/Runtime/StepList.h"

#include <algorithm>

namespace cupola::runtime {

namespace {

constexpr uint64_t kStrideUnit = 16; // bytes

Status evaluateAll(const std::vector<Expr> &exprs, const SymbolValues &symbols, const std::string &what,
                   uint64_t *values) {
  for (const Expr &expr : exprs) {
    CUPOLA_ASSIGN(*values++, evaluateSize(expr, symbols, what));
  }
  return Status::ok();
}

bool isEmpty(const TensorMapValue &value) {
  const auto end = value.extents.begin() + static_cast<ptrdiff_t>(value.rank);
  return std::find(value.extents.begin(), end, 0u) != end;
}

/// Whether all elements lie in a buffer of `bytes` bytes.
bool liesWithin(const BoundMap &map, uint64_t bytes) {
  const TensorMapValue &value = map.value;
  format::Size end = map.offset;
  if (!isEmpty(value)) {
    end = end + format::Size(value.extents[0]) * format::byteSize(value.dtype);
    for (size_t d = 1; d < value.rank; ++d)
      end = end + format::Size(value.extents[d] - 1) * value.strides[d - 1];
  }
  return end.value() && *end.value() <= bytes;
}

/// No extent may be 0, and a stride over nothing may be none that a map has. Nobody copies from such a part.
void makeEncodable(TensorMapValue &value) {
  if (!isEmpty(value))
    return;
  for (uint64_t &extent : value.extents)
    extent = std::max<uint64_t>(extent, 1);
  for (uint64_t &stride : value.strides)
    stride = std::max(stride, kStrideUnit);
}

Status bindMap(const format::TensorMap &map, const ParsedMap &parsed, const SymbolValues &symbols,
               const std::string &what, BoundMap &bound) {
  TensorMapValue &value = bound.value;
  value.dtype = map.dtype;
  value.rank = map.extents.size();
  value.swizzle = map.swizzle;
  value.window = map.window;
  std::copy(map.box.begin(), map.box.end(), value.box.begin());
  CUPOLA_TRY(evaluateAll({parsed.offset}, symbols, what, &bound.offset));
  CUPOLA_TRY(evaluateAll(parsed.extents, symbols, what, value.extents.data()));
  return evaluateAll(parsed.strides, symbols, what, value.strides.data());
}

} // namespace

Status bindMaps(const std::vector<format::Step> &steps, const std::vector<ParsedStep> &parsed,
                const std::vector<bool> &needed, const SymbolValues &values, BoundPlan &plan) {
  for (size_t i = 0; i < steps.size(); ++i)
    for (size_t m = 0; m < parsed[i].maps.size(); ++m) {
      const format::Launch &launch = steps[i].launch;
      BoundMap &bound = plan.maps.emplace_back();
      bound.step = static_cast<uint32_t>(i);
      bound.buffer = launch.buffers[launch.maps[m].buffer];
      bound.needed = needed[i];
      if (!bound.needed)
        continue;
      const std::string what = "step " + std::to_string(i) + ", tensor map " + std::to_string(m);
      CUPOLA_TRY(bindMap(launch.maps[m], parsed[i].maps[m], values, what, bound));
      if (!liesWithin(bound, plan.buffers[bound.buffer].bytes))
        return Status::package("the manifest is inconsistent: " + what + " reaches beyond its buffer");
      makeEncodable(bound.value);
    }
  return Status::ok();
}

Status encodeMaps(Device &device, const std::vector<BoundMap> &maps, const std::vector<BufferValue> &buffers,
                  Bindings &bindings, const std::function<std::string(uint32_t)> &stepName) {
  for (size_t i = 0; i < maps.size(); ++i) {
    if (!maps[i].needed)
      continue;
    TensorMapValue value = maps[i].value;
    value.address = buffers[maps[i].buffer].address + maps[i].offset;
    TensorMapBytes bytes = {};
    if (const Status status = device.encodeTensorMap(value, bytes); status.failed())
      return status.within(stepName(maps[i].step));
    bindings.setMap(i, bytes);
  }
  return Status::ok();
}

} // namespace cupola::runtime

//===- lib/Runtime/CUDA/TensorMap.cpp - what the tensor-copy instructions of a GPU read ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/TensorMap.h"
#include "lib/Runtime/TensorMapRules.h"

#include <algorithm>

namespace cupola::runtime::cuda {

namespace {

struct TensorTypeRow {
  format::DType dtype;
  CuTensorType cuda;
};

/// Only the size matters to a copy: signed types without one of their own go as unsigned ones.
constexpr TensorTypeRow kTensorTypes[] = {
    {format::DType::F32, cuTensorF32}, {format::DType::F16, cuTensorF16}, {format::DType::BF16, cuTensorBF16},
    {format::DType::F64, cuTensorF64}, {format::DType::I8, cuTensorU8},   {format::DType::I16, cuTensorU16},
    {format::DType::I32, cuTensorI32}, {format::DType::I64, cuTensorI64}, {format::DType::U8, cuTensorU8},
    {format::DType::U16, cuTensorU16}, {format::DType::U32, cuTensorU32}, {format::DType::U64, cuTensorU64},
    {format::DType::Bool, cuTensorU8},
};

CuTensorType typeOf(format::DType dtype) {
  for (const TensorTypeRow &row : kTensorTypes)
    if (row.dtype == dtype)
      return row.cuda;
  return cuTensorU8; // not reached: every element type has a row
}

CuTensorSwizzle swizzleOf(uint32_t bytes) {
  return bytes == 32 ? cuSwizzle32 : bytes == 64 ? cuSwizzle64 : bytes == 128 ? cuSwizzle128 : cuSwizzleNone;
}

/// What both functions of the driver take.
struct Dimensions {
  unsigned long long extents[5], strides[4];
  unsigned steps[5] = {1, 1, 1, 1, 1};

  explicit Dimensions(const TensorMapValue &value) {
    std::copy(value.extents.begin(), value.extents.end(), extents);
    std::copy(value.strides.begin(), value.strides.end(), strides);
    std::copy(value.window.steps.begin(), value.window.steps.end(), steps + 1);
  }
};

CuResult encodeBox(const DriverApi &api, const TensorMapValue &value, void *map) {
  const Dimensions d(value);
  return api.tensorMapEncodeTiled(map, typeOf(value.dtype), unsigned(value.rank),
                                  reinterpret_cast<void *>(value.address), d.extents, d.strides, value.box.data(),
                                  d.steps, cuTensorNoInterleave, swizzleOf(value.swizzle), cuTensorPromote128,
                                  cuTensorFillWithZeros);
}

CuResult encodeWindow(const DriverApi &api, const TensorMapValue &value, void *map) {
  const Dimensions d(value);
  const std::vector<int> lower(value.window.lower.begin(), value.window.lower.end());
  const std::vector<int> upper(value.window.upper.begin(), value.window.upper.end());
  return api.tensorMapEncodeIm2col(map, typeOf(value.dtype), unsigned(value.rank),
                                   reinterpret_cast<void *>(value.address), d.extents, d.strides, lower.data(),
                                   upper.data(), value.box[0], value.box[1], d.steps, cuTensorNoInterleave,
                                   swizzleOf(value.swizzle), cuTensorPromote128, cuTensorFillWithZeros);
}

} // namespace

Status encodeTensorMap(CudaContext &context, const TensorMapValue &value, TensorMapBytes &map) {
  CUPOLA_TRY(checkTensorMap(value));
  const ContextScope scope(context);
  CUPOLA_TRY(scope.status());
  alignas(128) TensorMapBytes made = {};
  const CuResult code = value.window.isNone() ? encodeBox(context.api(), value, made.data())
                                              : encodeWindow(context.api(), value, made.data());
  CUPOLA_TRY(context.check(code, "making a tensor map"));
  map = made;
  return {};
}

} // namespace cupola::runtime::cuda

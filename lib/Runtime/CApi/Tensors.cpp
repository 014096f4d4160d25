//===- lib/Runtime/CApi/Tensors.cpp - DLPack's tensors and ours ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CApi/Handles.h"
#include "lib/Runtime/Text.h"

#include <algorithm>

namespace cupola::runtime::capi {

using format::DType;

namespace {

/// DLPack's DLDeviceType.
enum DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, CudaManaged = 13 };

Status readType(const cupola_type &type, DType &dtype) {
  const format::ElementType *row = format::findElementType([&](const format::ElementType &candidate) {
    const cupola_type known = toC(candidate.dtype);
    return known.code == type.code && known.bits == type.bits && known.lanes == type.lanes;
  });
  if (row) {
    dtype = row->dtype;
    return Status::ok();
  }
  return Status::usage("element type with code " + std::to_string(type.code) + ", " + std::to_string(type.bits) +
                       " bits and " + std::to_string(type.lanes) + " lanes is not known");
}

Status checkDense(const cupola_tensor &tensor) {
  const bool isEmpty =
      std::any_of(tensor.shape, tensor.shape + tensor.ndim, [](int64_t extent) { return extent == 0; });
  if (!tensor.strides || isEmpty)
    return Status::ok(); // without elements every stride will do
  int64_t expected = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected)
      return Status::usage("its stride of dimension " + std::to_string(d) + " is " + std::to_string(tensor.strides[d]) +
                           ", dense row-major tensors have " + std::to_string(expected));
    if (__builtin_mul_overflow(expected, tensor.shape[d], &expected))
      return Status::limit("it has more than 2^63 elements");
  }
  return Status::ok();
}

Status readPlace(const cupola_tensor &tensor, const Device &device, int32_t ordinal, bool &onDevice) {
  const int32_t type = tensor.device.type;
  onDevice = type == Cuda || type == CudaManaged;
  if (type == Cpu || type == CudaHost)
    return Status::ok();
  if (onDevice && device.properties().name == "cuda" && tensor.device.id == ordinal)
    return Status::ok();
  return Status::usage("it lies on device type " + std::to_string(type) + ", number " +
                       std::to_string(tensor.device.id) + "; the session runs on " + device.properties().name + " " +
                       std::to_string(ordinal));
}

} // namespace

static_assert(static_cast<int>(format::NumberClass::Int) == CUPOLA_TYPE_INT &&
              static_cast<int>(format::NumberClass::UInt) == CUPOLA_TYPE_UINT &&
              static_cast<int>(format::NumberClass::Float) == CUPOLA_TYPE_FLOAT &&
              static_cast<int>(format::NumberClass::BFloat) == CUPOLA_TYPE_BFLOAT &&
              static_cast<int>(format::NumberClass::Bool) == CUPOLA_TYPE_BOOL &&
              static_cast<int>(format::NumberClass::Opaque) == CUPOLA_TYPE_OPAQUE &&
              static_cast<int>(format::NumberClass::Float8E4M3FN) == CUPOLA_TYPE_FLOAT8_E4M3FN &&
              static_cast<int>(format::NumberClass::Float8E4M3FNUZ) == CUPOLA_TYPE_FLOAT8_E4M3FNUZ &&
              static_cast<int>(format::NumberClass::Float8E5M2) == CUPOLA_TYPE_FLOAT8_E5M2 &&
              static_cast<int>(format::NumberClass::Float8E5M2FNUZ) == CUPOLA_TYPE_FLOAT8_E5M2FNUZ &&
              static_cast<int>(format::NumberClass::Float8E8M0) == CUPOLA_TYPE_FLOAT8_E8M0FNU &&
              static_cast<int>(format::NumberClass::Float4E2M1) == CUPOLA_TYPE_FLOAT4_E2M1FN);

cupola_type toC(DType dtype) {
  const format::ElementType &row = format::rowOf(dtype);
  return {static_cast<uint8_t>(row.number),
          static_cast<uint8_t>(row.number == format::NumberClass::Bool ? 8 : row.bits), 1};
}

Status fromC(const cupola_tensor &tensor, const Device &device, int32_t ordinal, bool isShared, TensorRef &result) {
  CUPOLA_TRY(readType(tensor.dtype, result.dtype));
  CUPOLA_TRY(readPlace(tensor, device, ordinal, result.onDevice));
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape))
    return Status::usage("it has " + std::to_string(tensor.ndim) + " dimensions and no shape");
  if (!isShared)
    CUPOLA_TRY(checkDense(tensor));
  else if (tensor.strides)
    result.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  result.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  result.data = tensor.data ? static_cast<char *>(tensor.data) + tensor.byte_offset : nullptr;
  return Status::ok();
}

Status readTensors(const cupola_session &session, const cupola_tensor *tensors, size_t count, bool areInputs,
                   std::vector<TensorRef> &refs) {
  const format::Package &package = session.session->executable().package();
  const std::vector<format::Tensor> &declared = areInputs ? package.inputs : package.outputs;
  if (count > 0)
    CUPOLA_TRY(present({tensors}));
  for (size_t i = 0; i < count; ++i) {
    const std::string name = i < declared.size() ? quote(declared[i].name) : std::to_string(i);
    const bool isShared = i < declared.size() && !declared[i].storage.empty();
    CUPOLA_TRY(fromC(tensors[i], session.session->executable().device(), session.ordinal, isShared, refs.emplace_back())
                   .within((areInputs ? "input " : "output ") + name));
  }
  return Status::ok();
}

} // namespace cupola::runtime::capi

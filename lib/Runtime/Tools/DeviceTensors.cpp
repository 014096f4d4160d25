//===- lib/Runtime/Tools/DeviceTensors.cpp - Inputs and outputs in the memory of a device ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/DeviceTensors.h"

namespace cupola::runtime {

/// 0 without an address.
static Result<uint64_t> bytesOf(const TensorRef &tensor) {
  return tensor.data ? tensorBytes(tensor.dtype, tensor.shape) : Result<uint64_t>(0);
}

/// The output that an input lies in; their number where it lies in none.
size_t DeviceTensors::outputAround(const TensorRef &input) const {
  const auto *begin = static_cast<const uint8_t *>(input.data);
  size_t i = 0;
  for (; i < hosts.size(); ++i) {
    const auto *output = static_cast<const uint8_t *>(hosts[i].tensor.data);
    if (begin >= output && begin < output + hosts[i].bytes)
      break;
  }
  return i;
}

Result<TensorRef> DeviceTensors::copyOf(Device &device, const TensorRef &tensor, uint64_t bytes) {
  TensorRef ref = tensor;
  if (bytes == 0)
    return ref;
  DeviceMemory &own = memory.emplace_back();
  CUPOLA_TRY(own.allocate(device, bytes));
  CUPOLA_TRY(stream->upload(own.address(), tensor.data, bytes));
  ref.data = reinterpret_cast<void *>(own.address());
  ref.onDevice = true;
  return ref;
}

Result<DeviceTensors> DeviceTensors::create(Device &device, const std::vector<TensorRef> &inputs,
                                            const std::vector<TensorRef> &outputs) {
  DeviceTensors self;
  CUPOLA_ASSIGN(self.stream, device.createStream(nullptr));
  for (const TensorRef &output : outputs) {
    CUPOLA_ASSIGN(const uint64_t bytes, bytesOf(output));
    CUPOLA_ASSIGN(TensorRef ref, self.copyOf(device, output, bytes));
    self.hosts.push_back({output, bytes});
    self.out.push_back(std::move(ref));
  }
  for (const TensorRef &input : inputs) {
    CUPOLA_ASSIGN(const uint64_t bytes, bytesOf(input));
    const size_t around = self.outputAround(input);
    const bool isShared = bytes != 0 && around < self.hosts.size();
    CUPOLA_ASSIGN(TensorRef ref, isShared ? Result<TensorRef>(input) : self.copyOf(device, input, bytes));
    if (isShared) {
      const auto offset = static_cast<const uint8_t *>(input.data) - static_cast<const uint8_t *>(outputs[around].data);
      ref.data = static_cast<uint8_t *>(self.out[around].data) + offset;
      ref.onDevice = true;
    }
    self.in.push_back(std::move(ref));
  }
  CUPOLA_TRY(self.stream->synchronize());
  return self;
}

Status DeviceTensors::download() {
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i].onDevice)
      CUPOLA_TRY(stream->download(hosts[i].tensor.data, reinterpret_cast<DeviceAddress>(out[i].data), hosts[i].bytes));
  return stream->synchronize();
}

} // namespace cupola::runtime

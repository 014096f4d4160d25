//===- lib/Runtime/Tools/DeviceTensors.h - Inputs and outputs in the memory of a device ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_DEVICETENSORS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_DEVICETENSORS_H

#include "lib/Runtime/DeviceMemory.h"
#include "lib/Runtime/Tensor.h"

#include <memory>
#include <vector>

namespace cupola::runtime {

/// Copies of a run's tensors on a device, as a program that embeds the runtime has them, so that a run copies none.
/// An input within the memory of an output lies within that output's copy, too. Tensors without an address stay
/// without: their shape is known only after a run. The device outlives it.
class DeviceTensors {
public:
  /// Copies the bytes of both: those of `outputs` may hold rows of an input.
  static Result<DeviceTensors> create(Device &device, const std::vector<TensorRef> &inputs,
                                      const std::vector<TensorRef> &outputs);

  const std::vector<TensorRef> &inputs() const { return in; }
  const std::vector<TensorRef> &outputs() const { return out; }
  /// What the outputs hold now, into the tensors on the host that were given.
  Status download();

private:
  struct Host {
    TensorRef tensor;
    uint64_t bytes = 0;
  };

  size_t outputAround(const TensorRef &input) const;
  Result<TensorRef> copyOf(Device &device, const TensorRef &tensor, uint64_t bytes);

  std::unique_ptr<Stream> stream;
  std::vector<DeviceMemory> memory;
  std::vector<TensorRef> in, out;
  std::vector<Host> hosts; ///< of the outputs
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_DEVICETENSORS_H

//===- lib/Runtime/CUDA/DeviceHeaders.h - the headers of emitted kernels, as text ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_DEVICEHEADERS_H
#define CUPOLA_LIB_RUNTIME_CUDA_DEVICEHEADERS_H

#include <string_view>
#include <vector>

namespace cupola::runtime::cuda {

struct EmbeddedHeader {
  std::string_view name; ///< as sources include it: "device.cuh"
  std::string_view text; ///< ends with a NUL that is not counted
};

/// Every header of lib/Target/CUDA/device/, sorted by name.
std::vector<EmbeddedHeader> deviceHeaders();

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_DEVICEHEADERS_H

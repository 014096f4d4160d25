//===- lib/Runtime/CUDA/DeviceHeaders.cpp - the headers of emitted kernels, as text ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/DeviceHeaders.h"

#include "lib/Runtime/CUDA/embeddedDeviceHeaders.h"

#include <algorithm>

namespace cupola::runtime::cuda {

std::vector<EmbeddedHeader> deviceHeaders() {
  std::vector<EmbeddedHeader> headers;
  for (const EmbeddedDeviceHeadersFile &file : embeddedDeviceHeaders)
    headers.push_back({file.name, file.text});
  std::sort(headers.begin(), headers.end(),
            [](const EmbeddedHeader &a, const EmbeddedHeader &b) { return a.name < b.name; });
  return headers;
}

} // namespace cupola::runtime::cuda

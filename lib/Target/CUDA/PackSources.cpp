//===- lib/Target/CUDA/PackSources.cpp - kernels into modules ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaTarget.h"

using namespace cupola;

/// Small kernels of one module share the cost of the headers; more than this many would
/// keep too few compilers busy.
static constexpr unsigned kernelsPerModule = 16;

std::vector<format::Source> cuda::packSources(llvm::MutableArrayRef<CudaKernel> kernels) {
  std::vector<format::Source> sources;
  auto open = [&] {
    format::Source &source = sources.emplace_back();
    source.name = "m" + std::to_string(sources.size() - 1) + ".cu";
    source.text = "#include \"device.cuh\"\n";
    return static_cast<uint32_t>(sources.size() - 1);
  };
  std::optional<uint32_t> shared;
  unsigned inShared = 0;
  for (CudaKernel &kernel : kernels) {
    if (kernel.compilesAlone) {
      kernel.record.source = open();
    } else {
      if (!shared || inShared == kernelsPerModule) {
        shared = open();
        inShared = 0;
      }
      ++inShared;
      kernel.record.source = *shared;
    }
    sources[kernel.record.source].text += "\n" + kernel.text;
  }
  return sources;
}

//===- test/Runtime/CUDA/FakeParameters.h - what kernels of the fake driver read their parameters by ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_FAKEPARAMETERS_H
#define CUPOLA_TEST_RUNTIME_CUDA_FAKEPARAMETERS_H

#include "lib/Runtime/CUDA/DriverApi.h"
#include "lib/Runtime/Format/Plan.h"

namespace cupola::runtime::cuda {

/// The parameters of a kernel that a package holds, as its text reads them.
struct PackageParameters {
  const CuLaunchConfig &config;
  void *const *values;
  const uint64_t *bindings() const {
    return reinterpret_cast<const uint64_t *>(*static_cast<const uint64_t *>(values[0]));
  }
  template <typename T> T *buffer(size_t i) const {
    const uint64_t reference = *static_cast<const uint64_t *>(values[1 + i]);
    return reinterpret_cast<T *>(reference & format::kReferenceBit ? bindings()[reference & 0xffffffff] : reference);
  }
  int64_t scalar(size_t parameter) const {
    return int64_t(bindings()[*static_cast<const uint32_t *>(values[parameter])]);
  }
  int64_t threads() const { return int64_t(config.gridX) * config.blockX; }
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_FAKEPARAMETERS_H

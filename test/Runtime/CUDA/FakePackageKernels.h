//===- test/Runtime/CUDA/FakePackageKernels.h - the test package's kernels for the fake driver ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_FAKEPACKAGEKERNELS_H
#define CUPOLA_TEST_RUNTIME_CUDA_FAKEPACKAGEKERNELS_H

#include "test/Runtime/CUDA/DeviceFixture.h"
#include "test/Runtime/CUDA/FakeParameters.h"

#include <algorithm>

namespace cupola::runtime::cuda {

/// k_..1: in, out; count, factor
inline void scale(const CuLaunchConfig &config, void *const *values) {
  const PackageParameters p{config, values};
  for (int64_t i = 0; i < std::min(p.scalar(3), p.threads()); ++i)
    p.buffer<float>(1)[i] = p.buffer<float>(0)[i] * float(p.scalar(4));
}

/// k_..2: x, table, ids, out; count, rows; an index out of range raises the flag
inline void gather(const CuLaunchConfig &config, void *const *values) {
  const PackageParameters p{config, values};
  auto *flags = reinterpret_cast<uint32_t *>(p.bindings()[0]);
  for (int64_t i = 0; i < std::min(p.scalar(5), p.threads()); ++i) {
    int64_t id = p.buffer<int64_t>(2)[i / 4];
    if (id < 0 || id >= p.scalar(6)) {
      flags[0] = std::max(flags[0], *static_cast<const uint32_t *>(values[7]) + 1);
      id = 0;
    }
    p.buffer<float>(3)[i] = p.buffer<float>(0)[i] + p.buffer<float>(1)[id * 4 + i % 4];
  }
}

/// k_..3: in, out; bound
inline void less(const CuLaunchConfig &config, void *const *values) {
  const PackageParameters p{config, values};
  *p.buffer<uint8_t>(1) = *p.buffer<float>(0) < float(p.scalar(3));
}

/// k_..4: in, out; count, those of in
inline void extend(const CuLaunchConfig &config, void *const *values) {
  const PackageParameters p{config, values};
  for (int64_t i = 0; i < std::min(p.scalar(3), p.threads()); ++i)
    p.buffer<float>(1)[i] = i < p.scalar(4) ? p.buffer<float>(0)[i] : float(i);
}

inline std::unique_ptr<FakeDriver> fakeWithKernels() {
  auto fake = makeFake();
  fake->kernels["k_0000000000000001"] = {scale, {8, 8, 8, 4, 4, 4}};
  fake->kernels["k_0000000000000002"] = {gather, {8, 8, 8, 8, 8, 4, 4, 4}};
  fake->kernels["k_0000000000000003"] = {less, {8, 8, 8, 4, 4}};
  fake->kernels["k_0000000000000004"] = {extend, {8, 8, 8, 4, 4, 4}};
  return fake;
}

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_FAKEPACKAGEKERNELS_H

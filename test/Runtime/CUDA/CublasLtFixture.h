//===- test/Runtime/CUDA/CublasLtFixture.h - products, and a device over the fakes for them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CUDA_CUBLASLTFIXTURE_H
#define CUPOLA_TEST_RUNTIME_CUDA_CUBLASLTFIXTURE_H

#include "test/Runtime/CUDA/DeviceFixture.h"
#include "test/Runtime/CUDA/FakeCublasLt.h"

namespace cupola::runtime::cuda {

using Strides = std::vector<int64_t>;

inline constexpr uint64_t kWorkspace = 4096;

inline format::LibraryCall product(format::DType dtype, int64_t batch, int64_t m, int64_t n, int64_t k, Strides source,
                                   Strides weights, std::vector<format::PostOp> ops = {}) {
  format::LibraryCall call;
  call.kind = format::LibraryCallKind::StridedProduct;
  call.source = {batch, m, k};
  call.weights = {batch, k, n};
  call.result = {batch, m, n};
  call.postOps = std::move(ops);
  call.dtype = dtype;
  call.sourceStrides = std::move(source);
  call.weightsStrides = std::move(weights);
  call.workspace = kWorkspace;
  return call;
}

inline format::LibraryCall dense(int64_t m = 3, int64_t n = 5, int64_t k = 4, std::vector<format::PostOp> ops = {}) {
  return product(format::DType::F32, 1, m, n, k, {0, k, 1}, {0, n, 1}, std::move(ops));
}

inline std::shared_ptr<const CublasLt> fakeLibrary() { return CublasLt::create(FakeCublasLt::table(), "fake").take(); }

/// A driver, a library and a device, in the order in which they go.
struct Machine {
  std::unique_ptr<FakeDriver> driver = makeFake();
  FakeCublasLt blas;
  std::shared_ptr<Device> device;

  explicit Machine(const std::string &cache = "none", int driverVersion = 13000, size_t version = 130100,
                   int capability = 86) {
    driver->version = driverVersion;
    driver->capability = capability;
    blas.version = version;
    DeviceOptions options;
    options.cacheDir = cache;
    device = openDevice(options, fakeLibrary()).take();
  }
  Result<std::unique_ptr<Function>> prepare(const format::LibraryCall &call) {
    return device->prepareCall(call, "sm_80", nullptr);
  }
  void expectClean() {
    device.reset();
    EXPECT_EQ(blas.leaks(), "");
    for (const std::string &violation : blas.violations)
      ADD_FAILURE() << violation;
    cuda::expectClean(*driver, "afterwards");
  }
};

} // namespace cupola::runtime::cuda

#endif // CUPOLA_TEST_RUNTIME_CUDA_CUBLASLTFIXTURE_H

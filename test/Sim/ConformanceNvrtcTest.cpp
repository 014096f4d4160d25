//===- test/Sim/ConformanceNvrtcTest.cpp - The conformance kernels compile with NVRTC ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The GPU's half of the headers cannot run here; this shows at least that NVRTC and ptxas accept every wrapper. Skipped
// where NVRTC is not installed.
#include "lib/Runtime/CUDA/CubinCache.h"
#include "lib/Runtime/CUDA/DeviceHeaders.h"
#include "test/Sim/Conformance.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace cupola;
using namespace cupola::test;

namespace {

class ConformanceNvrtc : public ::testing::TestWithParam<const char *> {};

TEST_P(ConformanceNvrtc, AllKernelsCompile) {
  Result<std::shared_ptr<runtime::cuda::Nvrtc>> nvrtc = runtime::cuda::Nvrtc::load();
  if (nvrtc.failed())
    GTEST_SKIP() << nvrtc.status().message();
  const int arch = std::atoi(GetParam() + 3);
  std::string text;
  size_t kernels = 0;
  for (const ConformanceCase &c : allConformanceCases())
    if (c.minimumArch <= arch && (c.run.arch.empty() || c.run.arch == GetParam())) {
      text += c.run.text;
      ++kernels;
    }
  runtime::cuda::NvrtcRequest request;
  request.source = text;
  request.arch = GetParam();
  for (const runtime::cuda::EmbeddedHeader &header : runtime::cuda::deviceHeaders())
    request.headers.push_back({std::string(header.name), header.text});
  Result<runtime::cuda::CudaBinary> binary = (*nvrtc)->compile(request);
  ASSERT_TRUE(binary.isOk()) << binary.status().message();
  EXPECT_EQ(binary->kernels.size(), kernels);
  for (const runtime::cuda::KernelResources &k : binary->kernels)
    EXPECT_EQ(k.spillStoreBytes + k.spillLoadBytes, 0u) << k.name;
}

/// Took NVVM more than 400 s, if it ends at all, as long as the flag was raised through a generic pointer.
TEST_P(ConformanceNvrtc, ProductThenGatherEnds) {
  Result<std::shared_ptr<runtime::cuda::Nvrtc>> nvrtc = runtime::cuda::Nvrtc::load();
  if (nvrtc.failed())
    GTEST_SKIP() << nvrtc.status().message();
  std::stringstream text;
  text << std::ifstream("test/Sim/kernels/product_then_gather.cu").rdbuf();
  const std::string source = text.str();
  runtime::cuda::NvrtcRequest request;
  request.source = source;
  request.arch = GetParam();
  for (const runtime::cuda::EmbeddedHeader &header : runtime::cuda::deviceHeaders())
    request.headers.push_back({std::string(header.name), header.text});
  const auto noCache = std::make_shared<runtime::ByteCache>("none", nullptr);
  const Result<runtime::cuda::CudaBinary> binary =
      runtime::cuda::CubinCache(noCache, *nvrtc, /*deadline=*/20).compile(request);
  ASSERT_TRUE(binary.isOk()) << binary.status().message();
  EXPECT_EQ(binary->kernels.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Headers, ConformanceNvrtc, ::testing::Values("sm_75", "sm_80", "sm_90a", "sm_120"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace

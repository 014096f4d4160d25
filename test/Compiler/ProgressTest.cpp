//===- test/Compiler/ProgressTest.cpp - long work says what it is at ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Compiler/Compilation.h"
#include "lib/Runtime/CUDA/Nvrtc.h"
#include "test/Compiler/Layers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cupola::compiler {
namespace {

TEST(Progress, EverySourceThatNvrtcCompiles) {
  if (auto nvrtc = runtime::cuda::Nvrtc::load(); nvrtc.failed())
    GTEST_SKIP() << nvrtc.status().message();
  const onnx_import::ScratchFolder folder;
  std::vector<std::string> told;
  Options options;
  options.targets = {"cuda"};
  options.archs = {"sm_75", "sm_80"};
  options.cacheDir = "none";
  options.progress = [&](const std::string &what) { told.push_back(what); };
  auto compilation = test::need(Compilation::load(folder.write("m.onnx", test::layers().SerializeAsString()), options));
  const Status built = compilation->build();
  ASSERT_TRUE(built.isOk()) << built.message();
  for (const char *arch : {"sm_75", "sm_80"})
    for (const char *which : {"1 of 2", "2 of 2"}) // the model has two distinct kernels
      EXPECT_EQ(std::count(told.begin(), told.end(), "NVRTC for " + std::string(arch) + ": source " + which), 1)
          << arch << " " << which;
}

} // namespace
} // namespace cupola::compiler

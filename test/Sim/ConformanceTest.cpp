//===- test/Sim/ConformanceTest.cpp - Runs the conformance cases of the device headers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// On the simulator; with CUPOLA_TEST_DEVICE=cuda on a GPU. On the simulator a case runs on the oldest architecture that
// has what it uses.
#include "test/Sim/Conformance.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::test;

namespace {

std::shared_ptr<runtime::Device> makeDevice(int minimumArch) {
  const char *name = std::getenv("CUPOLA_TEST_DEVICE");
  if (!name || name == std::string("sim"))
    return makeSimulator("sm_" + std::to_string(minimumArch));
  Result<std::shared_ptr<runtime::Device>> device = runtime::createDevice(name, {});
  return device.isOk() ? *device : nullptr;
}

class Conformance : public ::testing::TestWithParam<ConformanceCase> {};

TEST_P(Conformance, MatchesTheDefinition) {
  const std::shared_ptr<runtime::Device> device = makeDevice(GetParam().minimumArch);
  ASSERT_TRUE(device);
  const KernelOutcome outcome = runKernel(*device, GetParam().run);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message() << "\n" << GetParam().run.text;
  EXPECT_EQ(GetParam().check(outcome.buffers), "") << GetParam().run.text;
}

INSTANTIATE_TEST_SUITE_P(Headers, Conformance, ::testing::ValuesIn(allConformanceCases()),
                         [](const auto &info) { return info.param.name; });

} // namespace

//===- test/Sim/ConformanceTest.cpp - Runs the conformance cases of the device headers ---===//
// SPDX-License-Identifier: Apache-2.0
//
// On the simulator; with CUPOLA_TEST_DEVICE=cuda on a GPU. On the simulator a case runs on the oldest architecture that
// has what it uses.
#include "test/Sim/Conformance.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace cupola;
using namespace cupola::test;

namespace {

std::shared_ptr<runtime::Device> makeDevice(const ConformanceCase &c) {
  const char *name = std::getenv("CUPOLA_TEST_DEVICE");
  if (!name || name == std::string("sim"))
    return makeSimulator(c.run.arch.empty() ? "sm_" + std::to_string(c.minimumArch) : c.run.arch);
  Result<std::shared_ptr<runtime::Device>> device = runtime::createDevice(name, {});
  return device.isOk() ? *device : nullptr;
}

class Conformance : public ::testing::TestWithParam<ConformanceCase> {};

TEST_P(Conformance, MatchesTheDefinition) {
  const std::shared_ptr<runtime::Device> device = makeDevice(GetParam());
  ASSERT_TRUE(device);
  if (const std::string &arch = GetParam().run.arch; !arch.empty() && arch.find(device->properties().arch) != 0)
    GTEST_SKIP() << "needs " << arch;
  const KernelOutcome outcome = runKernel(*device, GetParam().run);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message() << "\n" << GetParam().run.text;
  EXPECT_EQ(GetParam().check(outcome.buffers), "") << GetParam().run.text;
}

/// What a header offers to kernels: functions outside namespaces.
std::set<std::string> wrappersOf(const std::string &header) {
  static const std::regex function("CUPOLA_DEVICE [^{}=()]*?(\\w+)\\(");
  const std::string end = "} // namespace cupola_device";
  const size_t inner = header.rfind(end);
  const std::string text = inner == std::string::npos ? header : header.substr(inner + end.size());
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), function), last; at != last; ++at)
    names.insert((*at)[1]);
  return names;
}

/// Those of the headers whose two halves, here and on a GPU, differ most.
TEST(Headers, EveryCollectiveHasACase) {
  const std::set<std::string> collectives = {"async_copy.cuh", "cluster.cuh",     "mma.cuh",
                                             "reduce.cuh",     "tensor_copy.cuh", "wgmma.cuh"};
  std::string all;
  for (const ConformanceCase &c : allConformanceCases())
    all += c.run.text;
  for (const format::Source &header : headerSources())
    if (collectives.count(header.name)) {
      const std::set<std::string> names = wrappersOf(header.text);
      EXPECT_FALSE(names.empty()) << header.name;
      for (const std::string &name : names)
        EXPECT_TRUE(std::regex_search(all, std::regex("\\b" + name + "\\b"))) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Headers, Conformance, ::testing::ValuesIn(allConformanceCases()),
                         [](const auto &info) { return info.param.name; });

} // namespace

//===- test/Runtime/Devices.h - The devices that a suite runs on ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_DEVICES_H
#define CUPOLA_TEST_RUNTIME_DEVICES_H

#include "lib/Runtime/Device.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace cupola::test {

/// A suite over "cpu", "sim" and "cuda". A device that this machine or this build
/// does not have is skipped; cpu is always there.
class DeviceTest : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (GetParam() == std::string("sim") && !simulatorCompiles())
      GTEST_SKIP() << "sim compiles kernels with clang++, which is not here";
    runtime::DeviceOptions options;
    options.threads = 3;
    options.cacheDir = "none";
    if (GetParam() == std::string("sim"))
      options.arch = "sm_80";
    Result<std::shared_ptr<runtime::Device>> made = runtime::createDevice(GetParam(), options);
    if (made.isOk()) {
      device = made.take();
      return;
    }
    ASSERT_STRNE(GetParam(), "cpu") << made.status().message();
    ASSERT_EQ(made.status().code(), Code::Environment) << made.status().message();
    GTEST_SKIP() << made.status().message();
  }

  static bool simulatorCompiles() {
    static const bool found =
        std::getenv("CUPOLA_CLANG") || std::system("{ command -v clang++-22 || command -v clang++; } > /dev/null") == 0;
    return found;
  }

  std::shared_ptr<runtime::Device> device;
};

#define CUPOLA_FOR_ALL_DEVICES(SUITE)                                                                                  \
  INSTANTIATE_TEST_SUITE_P(Devices, SUITE, ::testing::Values("cpu", "sim", "cuda"),                                    \
                           [](const auto &info) { return std::string(info.param); })

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_DEVICES_H

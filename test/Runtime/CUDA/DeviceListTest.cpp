//===- test/Runtime/CUDA/DeviceListTest.cpp - the GPUs of a machine, listed ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/DeviceList.h"
#include "lib/Runtime/CUDA/Driver.h"
#include "test/Runtime/CUDA/FakeDriver.h"

#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

std::vector<DeviceInfo> list() { return listGpus(**Driver::create(FakeDriver::table())); }

TEST(DeviceList, SaysWhatEachGpuIs) {
  FakeDriver fake;
  fake.devices = 2;
  fake.capability = 90;
  const std::vector<DeviceInfo> gpus = list();
  ASSERT_EQ(gpus.size(), 2u);
  for (int i : {0, 1}) {
    EXPECT_EQ(gpus[i].name, "cuda");
    EXPECT_EQ(gpus[i].ordinal, i);
    EXPECT_EQ(gpus[i].arch, "sm_90");
    EXPECT_EQ(gpus[i].description, "Fake GPU");
    EXPECT_EQ(gpus[i].memoryBytes, fake.totalBytes);
    EXPECT_EQ(gpus[i].driver, "13.0");
    EXPECT_EQ(gpus[i].reason, "");
  }
  EXPECT_EQ(fake.leaks(), "");
  for (const std::string &call : fake.log)
    EXPECT_EQ(call.find("Ctx"), std::string::npos) << "a context takes memory of the GPU";
}

TEST(DeviceList, SaysWhyThereIsNone) {
  FakeDriver fake;
  fake.devices = 0;
  const std::vector<DeviceInfo> gpus = list();
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].reason, "the driver finds no GPU");
  EXPECT_EQ(gpus[0].driver, "13.0");
  EXPECT_EQ(gpus[0].arch, "");
}

TEST(DeviceList, SaysWhatFails) {
  uint64_t before = 0, after = 0;
  {
    FakeDriver fake;
    auto driver = Driver::create(FakeDriver::table());
    before = fake.calls;
    listGpus(**driver);
    after = fake.calls;
  }
  ASSERT_GT(after, before);
  for (uint64_t at = before + 1; at <= after; ++at) {
    FakeDriver fake;
    fake.failAt = at;
    const std::vector<DeviceInfo> gpus = list();
    ASSERT_EQ(gpus.size(), 1u) << at;
    EXPECT_NE(gpus[0].reason.find(at == before + 1 ? "counts no GPUs: " : "does not describe it: "), std::string::npos)
        << at << gpus[0].reason;
    EXPECT_EQ(gpus[0].arch, "") << at;
  }
}

} // namespace

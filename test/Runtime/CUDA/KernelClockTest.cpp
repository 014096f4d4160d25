//===- test/Runtime/CUDA/KernelClockTest.cpp - the clock of `cupola tune` on a GPU ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/KernelClock.h"
#include "test/Runtime/CUDA/FakePackageKernels.h"
#include "test/Runtime/TestPackage.h"

using namespace cupola;
using namespace cupola::runtime;
using namespace cupola::runtime::cuda;

namespace {

constexpr uint64_t kSteps = 2; ///< launches of a run of the test package

struct Timed {
  Result<double> time = 0.0;
  uint64_t runs = 0;
};

Timed timed(const format::Package &package, uint64_t runs, double seconds) {
  auto fake = fakeWithKernels();
  ClockOptions options;
  options.inputs.shapes = {"batch=5"};
  options.runs = runs;
  options.seconds = seconds;
  Timed result;
  {
    auto executable = test::need(Executable::create(test::loadPackage(package), test::need(openDevice())));
    const size_t before = fake->launches.size();
    result.time = timeLastStep(executable, options);
    result.runs = (fake->launches.size() - before) / kSteps;
  }
  expectClean(*fake, "after the clock");
  return result;
}

/// The driver's clock has a millisecond for each kernel.
TEST(KernelClock, IsTheMedianOfEventsInMicroseconds) {
  const Timed found = timed(test::makePackage(), 7, 1e9);
  ASSERT_TRUE(found.time.isOk()) << found.time.status().message();
  EXPECT_NEAR(*found.time, 1000, 1e-3);
  EXPECT_EQ(found.runs, 1u + 7);
}

TEST(KernelClock, RunsThreeTimesHoweverLittleTimeThereIs) {
  EXPECT_EQ(timed(test::makePackage(), 100, 0).runs, 1u + 3);
  EXPECT_EQ(timed(test::makePackage(), 1, 1e9).runs, 1u + 3);
}

TEST(KernelClock, TakesTheTimeOfAKernelThatComplainsOfItsInputs) {
  format::Package package = test::makePackage();
  package.inputs[1].indexedExtent = 1000; // of three rows
  const Timed found = timed(package, 3, 1e9);
  ASSERT_TRUE(found.time.isOk()) << found.time.status().message();
  EXPECT_NEAR(*found.time, 1000, 1e-3);
}

TEST(KernelClock, ErrorsOfTheDriverAreItsOwn) {
  auto fake = fakeWithKernels();
  auto executable = test::need(Executable::create(test::loadPackage(test::makePackage()), test::need(openDevice())));
  fake->failAt = fake->calls + 40;
  ClockOptions options;
  options.inputs.shapes = {"batch=5"};
  EXPECT_TRUE(timeLastStep(executable, options).failed());
}

TEST(KernelClock, NamesTheNvrtcThatCompiles) {
  auto fake = fakeWithKernels();
  EXPECT_EQ(test::need(test::need(openDevice())->sourceCompiler()), "13.0");
}

} // namespace

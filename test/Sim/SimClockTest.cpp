//===- test/Sim/SimClockTest.cpp - the simulator's counts as a clock of kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/KernelClock.h"
#include "test/Runtime/TestPackage.h"

#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::runtime;

namespace {

Result<double> countsAt(const std::shared_ptr<Device> &device, int64_t rows, uint64_t seed) {
  auto executable = test::need(Executable::create(test::loadPackage(test::makeRunnablePackage()), device));
  ClockOptions options;
  options.inputs.shapes = {"batch=" + std::to_string(rows)};
  options.inputs.seed = seed;
  return timeLastStep(executable, options);
}

/// Of one run, whatever ran before, and of that run alone.
TEST(SimClock, IsASumOfWhatTheSimulatorCounts) {
  DeviceOptions options;
  options.cacheDir = "none";
  std::shared_ptr<Device> device = test::need(createDevice("sim", options));
  const double once = test::need(countsAt(device, 5, 1));
  double sum = 0;
  for (const KernelStatistics &kernel : device->statistics()) {
    EXPECT_EQ(kernel.launches, 1u) << kernel.name;
    sum += double(kernel.sectors + kernel.sharedRequests + kernel.bankConflicts + 8 * kernel.barriers);
  }
  EXPECT_GT(once, 0);
  EXPECT_EQ(once, sum);
  EXPECT_GT(test::need(countsAt(device, 500, 1)), once);
  EXPECT_EQ(test::need(countsAt(device, 5, 1)), once);
  EXPECT_EQ(test::need(device->sourceCompiler()), "sim");
}

} // namespace

//===- test/Runtime/BodiesTest.cpp - What steps and launches say about themselves ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Bodies.h"

#include <gtest/gtest.h>

namespace cupola::format {

TEST(Bodies, ALaunchSaysWhatItHasBesidesBlocksAlongX) {
  Kernel kernel;
  Launch launch;
  launch.grid = {"s0"};
  EXPECT_EQ(launchText(kernel, launch, launch.grid), "");
  launch.grid = {"s0", "8"};
  EXPECT_EQ(launchText(kernel, launch, launch.grid), "grid s0 * 8");
  launch.grid = {"s0"};
  launch.maps.resize(1);
  kernel.programmatic = true;
  EXPECT_EQ(launchText(kernel, launch, launch.grid), "programmatic, 1 tensor map");
  launch.grid = {"s0", "8", "2"};
  launch.maps.resize(2);
  kernel.cluster = 2;
  EXPECT_EQ(launchText(kernel, launch, {"5", "8", "2"}), "grid 5 * 8 * 2, clusters of 2, programmatic, 2 tensor maps");
  kernel = Kernel();
  kernel.cooperative = true;
  EXPECT_EQ(launchText(kernel, Launch(), {"s0"}), "cooperative");
}

TEST(Bodies, OnlyLaunchesHaveTensorMaps) {
  Step launch, copy;
  launch.launch.maps.resize(3);
  copy.kind = Step::CopyStep;
  copy.launch.maps.resize(7);
  EXPECT_EQ(mapCount({launch, copy, launch}), 6u);
}

} // namespace cupola::format

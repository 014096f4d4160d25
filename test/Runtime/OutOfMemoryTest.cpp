//===- test/Runtime/OutOfMemoryTest.cpp - Memory that runs out is an error, at any point ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Format/PackageWriter.h"
#include "test/Runtime/ControlPackage.h"
#include "test/Runtime/Scratch.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace cupola {

namespace {

struct Outcome {
  int code = -1; ///< minus the signal that ended it
  std::string text;
};

Outcome runCommand(const std::string &command) {
  Outcome outcome;
  FILE *pipe = ::popen(("exec " + command + " 2>&1 >/dev/null").c_str(), "r");
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    outcome.text.append(buffer, count);
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return outcome;
}

/// The programs take the path of a package.
class OutOfMemory : public ::testing::TestWithParam<const char *> {};

TEST_P(OutOfMemory, AtAnyPointIsCode6AndNoSignal) {
#ifdef CUPOLA_SANITIZED
  GTEST_SKIP() << "a sanitizer has an allocator of its own, which cannot be preloaded over";
#endif
  constexpr long kPoints = 60;
  test::Scratch scratch;
  const std::string package = scratch.path("m.cupola"), counted = scratch.path("count");
  const bool hasLoop = std::string(GetParam()).find("found") != std::string::npos;
  const format::Package made = hasLoop ? test::scanPackage(true) : test::makePackage();
  ASSERT_TRUE(format::writePackage(made, test::packageWeights(), package).isOk());
  char command[4096];
  std::snprintf(command, sizeof(command), GetParam(), package.c_str());
  const std::string preload = "env LD_PRELOAD=" CUPOLA_FAILING_MALLOC " CUPOLA_";
  const Outcome sound = runCommand(preload + "COUNT_ALLOCATIONS=" + counted + " " + command);
  ASSERT_EQ(sound.code, 0) << sound.text;
  const long total = std::stol(test::need(format::readFile(counted, 100)));
  for (long point = 0; point < kPoints; ++point) {
    const long at = 1 + total * point / kPoints;
    const Outcome outcome = runCommand(preload + "FAIL_AT=" + std::to_string(at) + " " + command);
    // 127: the loader, or env, had no memory to start the program.
    if (outcome.code == 0 || outcome.code == 127)
      continue;
    EXPECT_TRUE(outcome.code == 6 && outcome.text.find("memory") != std::string::npos)
        << "allocation " << at << " of " << total << ": " << outcome.code << ": " << outcome.text;
  }
}

const char *const kNames[] = {"Tool", "CApi", "CApiQueued", "CApiWithALoop"};

INSTANTIATE_TEST_SUITE_P(Runtime, OutOfMemory,
                         ::testing::Values(CUPOLA_RUN " %s --device cpu --threads 2 --shape batch=2",
                                           CUPOLA_CAPI_RUN " %s", CUPOLA_CAPI_RUN " %s queued",
                                           CUPOLA_CAPI_RUN " %s found"),
                         [](const auto &info) { return kNames[info.index]; });

TEST(MachineMemory, MoreThanThereIsIsRefusedWithBothNumbers) {
  EXPECT_LE(format::availableMemory(), format::totalMemory());
  EXPECT_TRUE(format::checkMemory("a cup", 1 << 20).isOk());
  const Status status = format::checkMemory("the ocean", uint64_t(1) << 60);
  EXPECT_EQ(status.code(), Code::Environment);
  EXPECT_EQ(status.message().find("the ocean takes 1152921504606846976 bytes, "), 0u) << status.message();
  EXPECT_NE(status.message().find(" are available"), std::string::npos);
}

} // namespace
} // namespace cupola

//===- test/Target/CodeJobsTest.cpp - pieces of code on several threads ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Target/Target.h"

#include <gtest/gtest.h>

#include <thread>

namespace cupola {
namespace {

/// Jobs of `count` pieces whose piece i ends as `work` says; `joined` counts joins.
CodeJobs jobsOf(size_t count, const std::function<Status(size_t)> &work, int &joined) {
  CodeJobs jobs;
  for (size_t i = 0; i < count; ++i)
    jobs.pieces.push_back([work, i] { return work(i); });
  jobs.join = [&joined]() -> Status {
    ++joined;
    return {};
  };
  return jobs;
}

TEST(CodeJobs, RunAllPiecesAndJoinInOrder) {
  for (unsigned threads : {1u, 2u, 8u}) {
    std::atomic<size_t> sum{0};
    int joined = 0;
    auto add = [&](size_t i) -> Status {
      sum += i + 1;
      return {};
    };
    std::vector<CodeJobs> jobs = {jobsOf(50, add, joined), jobsOf(0, add, joined), jobsOf(7, add, joined)};
    EXPECT_TRUE(runJobs(jobs, {threads}).isOk());
    EXPECT_EQ(sum, 50u * 51 / 2 + 7 * 8 / 2);
    EXPECT_EQ(joined, 3);
  }
}

TEST(CodeJobs, TheFirstFailureInOrderIsTheAnswerForAnyNumberOfThreads) {
  for (unsigned threads : {1u, 2u, 8u})
    for (int round = 0; round < 20; ++round) {
      int joined = 0;
      auto fail = [&](size_t i) -> Status {
        if (i == 3) // slower than those that fail behind it
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return i < 3 ? Status() : Status::internal("piece " + std::to_string(i));
      };
      std::vector<CodeJobs> jobs = {jobsOf(2, [](size_t) { return Status(); }, joined), jobsOf(9, fail, joined)};
      const Status status = runJobs(jobs, {threads});
      EXPECT_EQ(status.message().substr(0, 7), "piece 3") << threads << " threads";
      EXPECT_EQ(joined, 0);
    }
}

TEST(CodeJobs, StopBeforeTheNextPiece) {
  for (unsigned threads : {1u, 2u}) {
    std::atomic<int> ran{0};
    int joined = 0;
    auto count = [&](size_t) -> Status {
      ++ran;
      return {};
    };
    std::vector<CodeJobs> jobs = {jobsOf(50, count, joined)};
    const Status status = runJobs(jobs, {threads, [&] { return ran >= 3; }});
    EXPECT_EQ(status.code(), Code::Cancelled);
    EXPECT_LE(ran, 3 + static_cast<int>(threads));
    EXPECT_EQ(joined, 0);
  }
}

TEST(Targets, AreFoundByTheirNames) {
  for (const Target *target : targets())
    EXPECT_EQ(findTarget(target->name()), target);
  EXPECT_EQ(findTarget("tpu"), nullptr);
}

TEST(Targets, ChooseFamiliesByArchitectures) {
  std::vector<std::string> archs;
  const Target &cuda = *findTarget("cuda");
  EXPECT_TRUE(cuda.chooseArchitectures({}, archs).isOk());
  EXPECT_EQ(archs, (std::vector<std::string>{"sm_75", "sm_80", "sm_86", "sm_90a"}));
  archs.clear();
  EXPECT_TRUE(cuda.chooseArchitectures({{"sm_120", "sm_90a", "sm_100"}, false, {}}, archs).isOk());
  EXPECT_EQ(archs, (std::vector<std::string>{"sm_80", "sm_86", "sm_90a"}));
  archs.clear();
  EXPECT_EQ(cuda.chooseArchitectures({{"sm_12"}, false, {}}, archs).code(), Code::Usage);
  EXPECT_EQ(findTarget("cpu")->chooseArchitectures({{}, false, {"x86-64-v5"}}, archs).code(), Code::Usage);
}

} // namespace
} // namespace cupola

//===- test/Runtime/ThreadPoolTest.cpp - The parallel-for ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/ThreadPool.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>

namespace cupola::runtime {

namespace {

struct Parts {
  std::mutex lock;
  std::vector<std::vector<int64_t>> list; ///< begin, end, worker
};

std::vector<std::vector<int64_t>> partsOf(ThreadPool &pool, int64_t total, int64_t grain) {
  Parts parts;
  pool.parallelFor(
      total, grain,
      [](void *context, int64_t begin, int64_t end, unsigned worker) {
        Parts &parts = *static_cast<Parts *>(context);
        const std::lock_guard<std::mutex> lock(parts.lock);
        parts.list.push_back({begin, end, worker});
      },
      &parts);
  std::sort(parts.list.begin(), parts.list.end());
  return parts.list;
}

} // namespace

/// The first range of the caller lasts until everything else is done, which the other
/// worker can only do by taking what the caller has left.
TEST(ThreadPool, WhoIsDoneTakesFromOthers) {
  ThreadPool pool(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::atomic<int64_t> left{64};
    pool.parallelFor(
        64, 1,
        [](void *context, int64_t begin, int64_t end, unsigned worker) {
          auto &left = *static_cast<std::atomic<int64_t> *>(context);
          while (worker == 0 && begin == 0 && left > end - begin)
            std::this_thread::yield();
          left -= end - begin;
        },
        &left);
    ASSERT_EQ(left, 0);
  }
}

TEST(ThreadPool, CoversTheRangeOnceForAnySize) {
  ThreadPool pool(3);
  for (int64_t total = 0; total < 40; ++total)
    for (int64_t grain : {1, 4, 100}) {
      int64_t reached = 0;
      const auto parts = partsOf(pool, total, grain);
      for (const auto &part : parts) {
        ASSERT_EQ(part[0], reached);
        ASSERT_GT(part[1], part[0]);
        ASSERT_TRUE(parts.size() == 1 || part[1] - part[0] >= grain);
        reached = part[1];
      }
      ASSERT_EQ(reached, total);
    }
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 100; ++repeat)
        pool.parallelFor(
            100, 1,
            [](void *context, int64_t begin, int64_t end, unsigned) {
              *static_cast<std::atomic<int64_t> *>(context) += end - begin;
            },
            &sum);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 4 * 100 * 100);
}

} // namespace cupola::runtime

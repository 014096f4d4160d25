//===- test/Runtime/ThreadPoolTest.cpp - The parallel-for ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <unistd.h>

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

/// Keeps a thread where it is, as a system does that gives its core to another process.
class Halted {
public:
  explicit Halted(pthread_t thread) {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      isHalted = true;
      while (!goesOn)
        usleep(100);
      isHalted = false;
    };
    sigaction(SIGUSR1, &action, &before);
    goesOn = false;
    pthread_kill(thread, SIGUSR1);
    while (!isHalted)
      std::this_thread::yield();
  }
  ~Halted() {
    goesOn = true;
    while (isHalted)
      std::this_thread::yield();
    sigaction(SIGUSR1, &before, nullptr);
  }

private:
  static inline std::atomic<bool> isHalted{false}, goesOn{false};
  struct sigaction before = {};
};

pthread_t threadOfWorker(ThreadPool &pool) {
  std::atomic<pthread_t> thread{};
  pool.parallelFor(
      2, 1,
      [](void *context, int64_t, int64_t, unsigned worker) {
        auto &thread = *static_cast<std::atomic<pthread_t> *>(context);
        if (worker == 1)
          thread = pthread_self();
        while (worker == 0 && thread == pthread_t())
          std::this_thread::yield();
      },
      &thread);
  return thread;
}

} // namespace

/// A worker without a piece in hand is not waited for, whatever keeps it.
TEST(ThreadPool, AHaltedWorkerDelaysNobody) {
  ThreadPool pool(2);
  const pthread_t worker = threadOfWorker(pool);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::optional<Halted> halted(std::in_place, worker);
    std::atomic<int64_t> done{0};
    auto round = std::async(std::launch::async, [&] {
      pool.parallelFor(
          100, 1,
          [](void *context, int64_t begin, int64_t end, unsigned) {
            *static_cast<std::atomic<int64_t> *>(context) += end - begin;
          },
          &done);
    });
    const bool ended = round.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    halted.reset();
    ASSERT_TRUE(ended);
    EXPECT_EQ(done, 100);
  }
}

/// Rounds follow each other while workers come late to them: no piece is lost or done twice.
TEST(ThreadPool, ManyShortRoundsAreEachWhole) {
  ThreadPool pool(4);
  for (int64_t repeat = 0; repeat < 20000; ++repeat) {
    std::vector<int> times(1 + repeat % 9, 0); // each element is written by who has its piece
    pool.parallelFor(
        static_cast<int64_t>(times.size()), 1,
        [](void *context, int64_t begin, int64_t end, unsigned) {
          for (int64_t i = begin; i < end; ++i)
            ++(*static_cast<std::vector<int> *>(context))[static_cast<size_t>(i)];
        },
        &times);
    ASSERT_EQ(std::count(times.begin(), times.end(), 1), static_cast<int64_t>(times.size()));
  }
}

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

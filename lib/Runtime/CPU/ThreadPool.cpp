//===- lib/Runtime/CPU/ThreadPool.cpp - One parallel-for over threads that stay ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels follow each other within microseconds, a sleeping thread needs tens of
// them to wake. So workers spin for a short while before they sleep. A worker
// that has no part in a round still reports to it: then nobody can look at a
// round that is already being replaced.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/CPU/ThreadPool.h"

#include <algorithm>
#include <sched.h>
#include <system_error>

namespace cupola::runtime {

namespace {
constexpr int kSpins = 1000; // some tens of microseconds

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

unsigned usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}
} // namespace

ThreadPool::ThreadPool(unsigned threads) {
  const unsigned wanted = std::min(threads ? threads : usableCores(), 1024u);
  try {
    for (unsigned worker = 1; worker < wanted; ++worker)
      workers.emplace_back([this, worker] { work(worker); });
  } catch (const std::system_error &) { // fewer threads than wanted give the same answers
  }
  count = static_cast<unsigned>(workers.size()) + 1;
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(sleep);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &thread : workers)
    thread.join();
}

void ThreadPool::runPart(unsigned worker) {
  if (worker >= current.parts)
    return;
  const int64_t size = current.total / current.parts;
  const int64_t larger = current.total % current.parts; // get one more
  const int64_t begin = worker * size + std::min<int64_t>(worker, larger);
  const int64_t end = begin + size + (worker < larger ? 1 : 0);
  current.body(current.context, begin, end, worker);
}

/// False when the pool ends.
bool ThreadPool::awaitRound(uint64_t seen) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (round.load(std::memory_order_acquire) != seen)
      return true;
    pause();
  }
  std::unique_lock<std::mutex> lock(sleep);
  wake.wait(lock, [&] { return stopping || round != seen; });
  return round != seen;
}

void ThreadPool::work(unsigned worker) {
  for (uint64_t seen = 0; awaitRound(seen);) {
    ++seen;
    runPart(worker);
    unfinished.fetch_sub(1, std::memory_order_release);
  }
}

void ThreadPool::parallelFor(int64_t total, int64_t grain, Body body, void *context) {
  if (total <= 0)
    return;
  const std::lock_guard<std::mutex> lock(turn);
  const int64_t most = std::max<int64_t>(1, total / std::max<int64_t>(1, grain));
  current = {total, static_cast<unsigned>(std::min<int64_t>(count, most)), body, context};
  if (current.parts == 1)
    return body(context, 0, total, 0);
  unfinished = count - 1;
  {
    const std::lock_guard<std::mutex> signal(sleep);
    round.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
  runPart(0);
  for (int spin = 0; unfinished.load(std::memory_order_acquire) != 0; ++spin) {
    if (spin < kSpins)
      pause();
    else
      std::this_thread::yield();
  }
}

} // namespace cupola::runtime

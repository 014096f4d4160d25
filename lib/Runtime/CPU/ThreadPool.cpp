//===- lib/Runtime/CPU/ThreadPool.cpp - One parallel-for over threads that stay ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels follow each other within microseconds, a sleeping thread needs tens of
// them to wake. So workers spin for a short while before they sleep. A worker
// that has no part in a round still reports to it: then nobody can look at a
// round that is already being replaced.
//
// Iterations differ in length, and cores are lent to others. So a part is cut into
// pieces: its worker takes half of what is left at a time, from the front, and one
// whose own part is done takes half of another's, from the back.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/CPU/ThreadPool.h"

#include <algorithm>
#include <sched.h>
#include <system_error>

namespace cupola::runtime {

namespace {
constexpr int kSpins = 1000; // some tens of microseconds
constexpr int64_t kPiecesPerPart = 16;

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
uint64_t rangeOf(uint64_t first, uint64_t end) { return first << 32 | end; }

/// Takes half of the pieces, rounded up, from the front or the back; false: none left.
bool takeHalf(std::atomic<uint64_t> &range, bool fromFront, uint64_t &first, uint64_t &end) {
  uint64_t known = range.load(std::memory_order_relaxed);
  for (;;) {
    first = known >> 32, end = known & UINT32_MAX;
    if (first >= end)
      return false;
    const uint64_t half = (end - first + 1) / 2;
    const uint64_t rest = fromFront ? rangeOf(first + half, end) : rangeOf(first, end - half);
    if (!range.compare_exchange_weak(known, rest, std::memory_order_relaxed))
      continue;
    (fromFront ? end : first) = fromFront ? first + half : end - half;
    return true;
  }
}
} // namespace

ThreadPool::ThreadPool(unsigned threads) {
  const unsigned wanted = std::min(threads ? threads : usableCores(), 1024u);
  shares = std::vector<Share>(wanted);
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

/// Pieces are equal but for one iteration.
void ThreadPool::runPieces(uint64_t first, uint64_t end, unsigned worker) {
  const int64_t size = current.total / current.pieces, larger = current.total % current.pieces;
  const auto start = [&](uint64_t piece) {
    const auto at = static_cast<int64_t>(piece);
    return at * size + std::min(at, larger);
  };
  current.body(current.context, start(first), start(end), worker);
}

void ThreadPool::runPart(unsigned worker) {
  if (worker >= current.parts)
    return;
  uint64_t first = 0, end = 0;
  for (unsigned i = 0; i < current.parts; ++i)
    while (takeHalf(shares[(worker + i) % current.parts].range, /*fromFront=*/i == 0, first, end))
      runPieces(first, end, worker);
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
  const int64_t parts = std::min<int64_t>(count, most);
  current = {total, std::min(most, parts * kPiecesPerPart), static_cast<unsigned>(parts), body, context};
  if (parts == 1)
    return body(context, 0, total, 0);
  for (int64_t i = 0; i < parts; ++i)
    shares[i].range.store(rangeOf(i * current.pieces / parts, (i + 1) * current.pieces / parts),
                          std::memory_order_relaxed);
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

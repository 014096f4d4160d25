//===- lib/Runtime/CPU/ThreadPool.cpp - One parallel-for over threads that stay ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels follow each other within microseconds, a sleeping thread needs tens of
// them to wake. So workers spin for a short while before they sleep.
//
// Iterations differ in length, and cores are lent to others. So a part is cut into
// pieces: its worker takes a quarter of what is left at a time, from the front, and
// one whose own part is done takes from another's, from the back. A round ends with
// its last piece. Who spins for a thread without a core burns the time that the
// system would give both at once, so the caller sleeps, too.
//===----------------------------------------------------------------------===//
#include "lib/Runtime/CPU/ThreadPool.h"

#include <algorithm>
#include <sched.h>
#include <system_error>

namespace cupola::runtime {

namespace {
constexpr int kWorkerSpins = 1000; // some tens of microseconds, as between two kernels
constexpr int kCallerSpins = 4000; // some more: the last pieces of a round are being done
constexpr int64_t kPiecesPerPart = 16;
constexpr unsigned kMostThreads = 1024; // their pieces are counted in 16 bits

unsigned usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

uint64_t piecesOf(uint64_t round, uint64_t first, uint64_t end) { return round << 32 | first << 16 | end; }

/// Takes a quarter of the pieces, rounded up, from the front or the back; false: none left.
bool takeSome(std::atomic<uint64_t> &pieces, bool fromFront, uint64_t &first, uint64_t &end) {
  uint64_t known = pieces.load(std::memory_order_relaxed);
  for (;;) {
    first = known >> 16 & UINT16_MAX, end = known & UINT16_MAX;
    if (first >= end)
      return false;
    const uint64_t some = (end - first + 3) / 4;
    const uint64_t rest = fromFront ? piecesOf(known >> 32, first + some, end) : known - some;
    if (!pieces.compare_exchange_weak(known, rest, std::memory_order_acquire, std::memory_order_relaxed))
      continue;
    (fromFront ? end : first) = fromFront ? first + some : end - some;
    return true;
  }
}
} // namespace

ThreadPool::ThreadPool(unsigned threads) {
  const unsigned wanted = std::min(threads ? threads : usableCores(), kMostThreads);
  shares = std::vector<Share>(wanted);
  workers = std::vector<Worker>(wanted - 1);
  try {
    for (; count < wanted; ++count)
      workers[count - 1].thread = std::thread([this, worker = count] { work(worker); });
  } catch (const std::system_error &) { // fewer threads than wanted give the same answers
  }
}

ThreadPool::~ThreadPool() {
  stopping = true;
  for (Worker &worker : workers) {
    worker.waiter.wake();
    if (worker.thread.joinable())
      worker.thread.join();
  }
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

/// Whatever is left of the round, whichever it is by now.
void ThreadPool::runShares(unsigned worker) {
  uint64_t first = 0, end = 0;
  for (size_t i = 0; i < shares.size(); ++i)
    while (takeSome(shares[(worker + i) % shares.size()].pieces, /*fromFront=*/i == 0, first, end)) {
      runPieces(first, end, worker);
      const auto done = static_cast<int64_t>(end - first);
      if (unfinished.fetch_sub(done) == done)
        caller.wake();
    }
}

void ThreadPool::work(unsigned worker) {
  for (uint64_t seen = 0;;) {
    workers[worker - 1].waiter.wait(kWorkerSpins, [&] { return stopping || round != seen; });
    if (stopping)
      return;
    seen = round;
    runShares(worker);
  }
}

void ThreadPool::parallelFor(int64_t total, int64_t grain, Body body, void *context) {
  if (total <= 0)
    return;
  const std::lock_guard<std::mutex> lock(turn);
  const int64_t most = std::max<int64_t>(1, total / std::max<int64_t>(1, grain));
  const int64_t parts = std::min<int64_t>(count, most);
  if (parts == 1)
    return body(context, 0, total, 0);
  current = {total, std::min(most, parts * kPiecesPerPart), body, context};
  unfinished = current.pieces;
  const uint64_t number = round + 1;
  for (int64_t i = 0; i < parts; ++i)
    shares[i].pieces.store(piecesOf(number, i * current.pieces / parts, (i + 1) * current.pieces / parts),
                           std::memory_order_release);
  round = number;
  for (int64_t i = 1; i < parts; ++i)
    workers[i - 1].waiter.wake();
  runShares(0);
  caller.wait(kCallerSpins, [&] { return unfinished == 0; });
}

} // namespace cupola::runtime

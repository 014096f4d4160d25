//===- lib/Runtime/CPU/ThreadPool.h - One parallel-for over threads that stay ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_THREADPOOL_H
#define CUPOLA_LIB_RUNTIME_CPU_THREADPOOL_H

#include "lib/Runtime/CPU/Waiter.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace cupola::runtime {

class ThreadPool {
public:
  /// A range for this worker, one of several; worker 0 is the calling thread.
  using Body = void (*)(void *context, int64_t begin, int64_t end, unsigned worker);

  /// 0 threads: one per core that this process may use.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const { return count; }

  /// Runs all of [0, total), each number once, in ranges of at least `grain`. At most
  /// threads() workers have an equal part each; who is done, and who has none, takes from what
  /// others have left. Returns when all is done; a worker that has no range in hand is not
  /// waited for. Callers take turns; a body must not call it.
  void parallelFor(int64_t total, int64_t grain, Body body, void *context);

private:
  /// Pieces that nobody has taken yet, in a line of their own. The number of the round is part of
  /// the word, so that no value comes twice: who looked at it in an earlier round takes nothing.
  struct alignas(64) Share {
    std::atomic<uint64_t> pieces{0};
  };
  struct alignas(64) Worker {
    Waiter waiter;
    std::thread thread;
  };
  /// Written between rounds, read by who has taken a piece of the round.
  struct Round {
    int64_t total = 0, pieces = 0;
    Body body = nullptr;
    void *context = nullptr;
  };

  void work(unsigned worker);
  void runShares(unsigned worker);
  void runPieces(uint64_t first, uint64_t end, unsigned worker);

  unsigned count = 1; ///< workers and the caller
  std::mutex turn;    ///< held by the caller whose round it is
  Round current;
  alignas(64) std::atomic<uint64_t> round{0};
  std::atomic<bool> stopping{false};
  alignas(64) std::atomic<int64_t> unfinished{0}; ///< pieces of the round
  Waiter caller;
  std::vector<Share> shares;   ///< by worker
  std::vector<Worker> workers; ///< all but the caller
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_THREADPOOL_H

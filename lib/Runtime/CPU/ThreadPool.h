//===- lib/Runtime/CPU/ThreadPool.h - One parallel-for over threads that stay ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_THREADPOOL_H
#define CUPOLA_LIB_RUNTIME_CPU_THREADPOOL_H

#include <atomic>
#include <condition_variable>
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
  /// threads() workers have an equal part each; who is done takes from what others have
  /// left. Returns when all are done. Callers take turns; a body must not call it.
  void parallelFor(int64_t total, int64_t grain, Body body, void *context);

private:
  void work(unsigned worker);
  void runPart(unsigned worker);
  void runPieces(uint64_t first, uint64_t end, unsigned worker);
  bool awaitRound(uint64_t seen);

  /// Pieces that nobody has taken yet, as first << 32 | end, in a line of their own.
  struct alignas(64) Share {
    std::atomic<uint64_t> range{0};
  };

  struct Round {
    int64_t total = 0, pieces = 0;
    unsigned parts = 0;
    Body body = nullptr;
    void *context = nullptr;
  };

  unsigned count = 1; ///< workers and the caller
  std::mutex turn;    ///< held by the caller whose round it is
  std::mutex sleep;
  std::condition_variable wake;
  std::atomic<uint64_t> round{0};
  std::atomic<unsigned> unfinished{0};
  std::atomic<bool> stopping{false};
  Round current;
  std::vector<Share> shares; ///< by worker
  std::vector<std::thread> workers;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_THREADPOOL_H

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
  /// `begin` and `end` of this worker's part; worker 0 is the calling thread.
  using Body = void (*)(void *context, int64_t begin, int64_t end, unsigned worker);

  /// 0 threads: one per core that this process may use.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const { return count; }

  /// Cuts [0, total) into at most threads() equal parts of at least `grain` and
  /// runs them; the cut depends on these numbers alone. Returns when all are
  /// done. Callers take turns; a body must not call it.
  void parallelFor(int64_t total, int64_t grain, Body body, void *context);

private:
  void work(unsigned worker);
  void runPart(unsigned worker);
  bool awaitRound(uint64_t seen);

  struct Round {
    int64_t total = 0;
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
  std::vector<std::thread> workers;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_THREADPOOL_H

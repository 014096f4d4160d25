//===- lib/Runtime/Format/Parallel.cpp - independent pieces of work on several threads ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cupola {

void parallelFor(size_t count, size_t threads, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next{0};
  std::mutex throwing;
  std::exception_ptr thrown;
  const auto take = [&]() noexcept {
    try {
      for (size_t i; (i = next++) < count;)
        work(i);
    } catch (...) {
      const std::lock_guard lock(throwing);
      next = count;
      if (!thrown)
        thrown = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < std::min(count, threads))
      others.emplace_back(take);
  } catch (const std::exception &) { // no more threads, or memory for them: those there are do all
  }
  take();
  for (std::thread &other : others)
    other.join();
  if (thrown)
    std::rethrow_exception(thrown);
}

} // namespace cupola

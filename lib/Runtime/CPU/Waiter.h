//===- lib/Runtime/CPU/Waiter.h - A thread that waits awake, then asleep ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_WAITER_H
#define CUPOLA_LIB_RUNTIME_CPU_WAITER_H

#include <atomic>
#include <semaphore.h>

namespace cupola::runtime {

/// Where one thread waits for others. No lock is involved: a thread that lost its core while it
/// held one would stop everybody.
class Waiter {
public:
  Waiter() { sem_init(&signal, 0, 0); }
  ~Waiter() { sem_destroy(&signal); }
  Waiter(const Waiter &) = delete;
  Waiter &operator=(const Waiter &) = delete;

  /// Returns once `ready` holds: after `spins` looks at it, the thread sleeps. What `ready`
  /// reads has to be written, sequentially consistent as it is read, before `wake` is called.
  template <typename Ready> void wait(int spins, Ready ready) {
    for (int spin = 0; spin < spins; ++spin) {
      if (ready())
        return;
      pause();
    }
    while (!ready()) {
      asleep = true;
      if (ready() && asleep.exchange(false))
        return;
      while (sem_wait(&signal) != 0) { // a signal came in between
      }
    }
  }

  /// Any thread, any time; without effect on a thread that is awake.
  void wake() {
    if (asleep && asleep.exchange(false))
      sem_post(&signal);
  }

private:
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::atomic<bool> asleep{false};
  sem_t signal;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_WAITER_H

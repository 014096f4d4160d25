//===- lib/Runtime/SessionTurn.h - Keeps a second thread out of a session ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_SESSIONTURN_H
#define CUPOLA_LIB_RUNTIME_SESSIONTURN_H

#include "lib/Runtime/Session.h"

namespace cupola::runtime {

/// Takes the session's flag for its own life. A mutex would hide the mistake and
/// serialise threads that should have a session each.
class Session::Turn {
public:
  explicit Turn(std::atomic<bool> &busy) : busy(busy), taken(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (taken)
      busy.store(false, std::memory_order_release);
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

  Status status() const {
    if (taken)
      return Status::ok();
    return Status::usage("the session is in use by another thread; make one "
                         "session per thread of the same executable");
  }

private:
  std::atomic<bool> &busy;
  const bool taken;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_SESSIONTURN_H

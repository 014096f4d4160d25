//===- lib/Target/Cancel.h - whether a compilation is to stop ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CANCEL_H
#define CUPOLA_LIB_TARGET_CANCEL_H

#include "lib/Runtime/Status.h"

#include <functional>

namespace cupola {

/// True once the caller asked to stop, and from then on; any thread may ask. Empty: it never does.
using CancelPoll = std::function<bool()>;

/// Code::Cancelled where work is to stop.
inline Status pollCancel(const CancelPoll &poll) {
  return poll && poll() ? Status(Code::Cancelled, "cancelled") : Status();
}

} // namespace cupola

#endif // CUPOLA_LIB_TARGET_CANCEL_H

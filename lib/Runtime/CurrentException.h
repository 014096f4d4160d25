//===- lib/Runtime/CurrentException.h - The exception in flight as a Status ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CURRENTEXCEPTION_H
#define CUPOLA_LIB_RUNTIME_CURRENTEXCEPTION_H

#include "lib/Runtime/Status.h"

#include <cstddef>
#include <new>

namespace cupola::runtime {

/// A std::bad_alloc that knows what was asked for; of the command line tools' `operator new`.
struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(size_t wanted) : wanted(wanted) {}
  const size_t wanted;
};

/// To be called in a `catch`: no memory and no help from the system are Code::Environment,
/// whatever else was thrown is a bug of ours. May itself throw std::bad_alloc.
Status currentException();

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CURRENTEXCEPTION_H

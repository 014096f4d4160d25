//===- lib/Runtime/Tools/OutOfMemory.h - A command that gets no memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// In the command line tools `operator new` is ours: where memory is out, libraries that are
// asked for an answer tell lies (a model that cannot be parsed is taken for a bad one) or end
// the process by a signal. A small allocation that fails therefore ends the command, with the
// code and text of what happened. A large one throws OutOfMemory (CurrentException.h): who
// asked for it may know what it was for, and there is still memory to say so.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_OUTOFMEMORY_H
#define CUPOLA_LIB_RUNTIME_TOOLS_OUTOFMEMORY_H

#include "lib/Runtime/Status.h"

#include <cstddef>

namespace cupola::runtime {

/// How this process ends when memory is out; Code::Environment without a call. `advice` is
/// appended to the text and must live on.
void answerOutOfMemory(Code code, const char *advice);

/// Prints "error: out of memory: N bytes wanted" and ends the process, without any allocation.
[[noreturn]] void exitOutOfMemory(size_t wanted);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_OUTOFMEMORY_H

//===- lib/Runtime/Tools/OutOfMemory.cpp - A command that gets no memory ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/OutOfMemory.h"
#include "lib/Runtime/CurrentException.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace cupola::runtime {

namespace {

constexpr size_t kLarge = size_t(1) << 20;

Code answerCode = Code::Environment;
const char *answerAdvice = "";

[[maybe_unused]] void *refuse(size_t bytes) {
  if (bytes < kLarge)
    exitOutOfMemory(bytes);
  throw OutOfMemory(bytes);
}

} // namespace

void answerOutOfMemory(Code code, const char *advice) {
  answerCode = code;
  answerAdvice = advice;
}

void exitOutOfMemory(size_t wanted) {
  char text[256];
  const int length =
      wanted ? std::snprintf(text, sizeof(text), "error: out of memory: %zu bytes wanted%s\n", wanted, answerAdvice)
             : std::snprintf(text, sizeof(text), "error: out of memory%s\n", answerAdvice);
  (void)!::write(STDERR_FILENO, text, std::min(static_cast<size_t>(length), sizeof(text) - 1));
  ::_exit(static_cast<int>(answerCode));
}

} // namespace cupola::runtime

// The sanitizers bring their own, which end the process with a report.
#ifndef CUPOLA_SANITIZED

// The other forms come to these two; memory is given back by free() in all of them.
void *operator new(size_t bytes) {
  void *memory = std::malloc(bytes ? bytes : 1);
  return memory ? memory : cupola::runtime::refuse(bytes);
}

void *operator new(size_t bytes, const std::nothrow_t &) noexcept { return std::malloc(bytes ? bytes : 1); }

#endif

//===- lib/Runtime/Tools/Progress.cpp - What long work is at, on a terminal ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Progress.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace cupola::runtime {

using Clock = std::chrono::steady_clock;

static bool quiet = false, shown = false;
static Clock::time_point last; ///< when something was shown

void showProgress(const std::string &what) {
  const Clock::time_point now = Clock::now();
  if (quiet || !isatty(STDERR_FILENO) || (shown && now - last < std::chrono::milliseconds(100)))
    return;
  std::fprintf(stderr, "\r\033[K%s ..", what.c_str());
  std::fflush(stderr);
  shown = true;
  last = now;
}

void clearProgress() {
  if (shown)
    std::fputs("\r\033[K", stderr);
  shown = false;
}

void printWarning(const std::string &text) {
  if (quiet)
    return;
  clearProgress();
  std::fprintf(stderr, "warning: %s\n", text.c_str());
}

void beQuiet() { quiet = true; }
bool isQuiet() { return quiet; }

} // namespace cupola::runtime

//===- lib/Runtime/Tools/Progress.h - What long work is at, on a terminal ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_PROGRESS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_PROGRESS_H

#include <string>

namespace cupola::runtime {

/// Shows `what` in place of what was shown before, if standard error is a terminal; at most ten times a second, so that
/// short steps cost nothing.
void showProgress(const std::string &what);
/// Takes it away. Call it before anything is printed.
void clearProgress();
/// A line "warning: .." on standard error.
void printWarning(const std::string &text);

/// From here on the two above show nothing. For --quiet, before there are threads.
void beQuiet();
bool isQuiet();

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_PROGRESS_H

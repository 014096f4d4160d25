//===- lib/Runtime/Tools/Errors.h - How a command line tool fails ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_ERRORS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_ERRORS_H

#include "lib/Runtime/Status.h"

namespace cupola::runtime {

/// The values of Code in words, for --help.
inline constexpr const char *kExitCodes =
    "Exit codes: 0 done, 1 outputs differ or the simulator found a defect, 2 usage, 3 bad model, 4 unsupported,\n"
    "            5 limit, 6 environment or memory, 7 damaged package, 8 file error, 70 a bug of Cupola, 130 cancelled";

/// Prints a failure, a line "error: .." per problem, and returns the exit code.
int printError(const Status &status);

/// What a command that ended with `code` returns: a file error where its output could not be written.
int flushOutput(int code);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_ERRORS_H

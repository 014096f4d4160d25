//===- lib/Sim/FindClang.h - The compiler of the simulator's kernels ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_FINDCLANG_H
#define CUPOLA_LIB_SIM_FINDCLANG_H

#include "lib/Runtime/Status.h"

#include <string>

namespace cupola::sim {

/// The program's path as a shell would find it, or empty.
std::string findProgram(const std::string &name);

/// The path of what $CUPOLA_CLANG names, else of clang++-22 or clang++. Code::Environment where there is none.
Result<std::string> findClang();

} // namespace cupola::sim

#endif // CUPOLA_LIB_SIM_FINDCLANG_H

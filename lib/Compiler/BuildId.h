//===- lib/Compiler/BuildId.h - which compiler this is ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_BUILDID_H
#define CUPOLA_LIB_COMPILER_BUILDID_H

#include <string>

namespace cupola::compiler {

/// What the linker wrote into the library or program that holds this function (--build-id): another one for other code.
/// Empty where it wrote none.
const std::string &buildId();

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_BUILDID_H

//===- lib/Compiler/ExplainText.h - what was decided and why, for people ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_COMPILER_EXPLAINTEXT_H
#define CUPOLA_LIB_COMPILER_EXPLAINTEXT_H

#include <string>

namespace cupola::compiler {

/// Of what Compilation::explain returns. `allEdges`: also those that were fused, and every contraction that no library
/// may do.
std::string explainText(const std::string &json, bool allEdges);

} // namespace cupola::compiler

#endif // CUPOLA_LIB_COMPILER_EXPLAINTEXT_H

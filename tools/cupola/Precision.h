//===- tools/cupola/Precision.h - what 16 bits cost, printed ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TOOLS_CUPOLA_PRECISION_H
#define CUPOLA_TOOLS_CUPOLA_PRECISION_H

#include "tools/cupola/Command.h"

namespace cupola::tool {

/// The inputs of a model: from an .npz file, or random ones where `path` is empty.
Result<std::vector<npz::Array>> sampleInputs(const compiler::Compilation &compilation, const std::string &path,
                                             const runtime::PinnedInputs &pinned);

/// A line for each of the first `most`: node, op, local and accumulated error, overflow or not.
void printErrors(const std::vector<compiler::NodeError> &errors, size_t most);

/// A number; null for what JSON has none for.
Json jsonOf(double number);
Json jsonOf(const std::vector<compiler::NodeError> &errors);
std::vector<compiler::NodeError> errorsOf(const Json &list);

} // namespace cupola::tool

#endif // CUPOLA_TOOLS_CUPOLA_PRECISION_H

//===- lib/Transforms/Fusion/Rules/Prologue.cpp - computed where it is read ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Transforms/Fusion/Rules/Rule.h"

namespace cupola::fusion {

/// Which ops are is up to those that refuse.
std::optional<Decision> decidePrologue(const Edge &edge) {
  if (!edge.isWithin)
    return std::nullopt;
  return Decision{true, edge.makers.size() > 1 ? "computed in both kernels that read it"
                                               : "computed where its only reader is"};
}

} // namespace cupola::fusion

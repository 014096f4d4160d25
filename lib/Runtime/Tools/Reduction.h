//===- lib/Runtime/Tools/Reduction.h - Few nodes that still fail ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_REDUCTION_H
#define CUPOLA_LIB_RUNTIME_TOOLS_REDUCTION_H

#include "lib/Runtime/Status.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace cupola::runtime {

/// Whether a model of these nodes, ascending, fails as the whole does. An error ends the search.
using PartFails = std::function<Result<bool>(const std::vector<uint32_t> &)>;

/// Of `nodes`, in the model's order, which fail, some that fail, too, and from which no single one can be left out
/// (delta debugging: Zeller and Hildebrandt, 2002). The end and then the beginning are cut off by bisection first: most
/// failures are of nodes that stand together, and each half that goes makes all later tries cheaper. Of a failure that
/// needs m nodes among n in one place, about 2 log2(n) + m^2 tries.
Result<std::vector<uint32_t>> reduceNodes(std::vector<uint32_t> nodes, const PartFails &fails);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_REDUCTION_H

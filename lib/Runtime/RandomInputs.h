//===- lib/Runtime/RandomInputs.h - Input values from a seed ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_RANDOMINPUTS_H
#define CUPOLA_LIB_RUNTIME_RANDOMINPUTS_H

#include "lib/Runtime/Tensor.h"

namespace cupola::runtime {

/// Floats from N(0, 1); masks all ones; integers below the smallest extent that
/// they index (10 where they index nothing known); bools 0 or 1. The same seed,
/// input number and shape give the same values on every machine.
HostTensor randomTensor(const format::Tensor &tensor, const Shape &shape, uint64_t seed, uint32_t input);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_RANDOMINPUTS_H

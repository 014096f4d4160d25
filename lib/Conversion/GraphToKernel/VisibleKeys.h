//===- lib/Conversion/GraphToKernel/VisibleKeys.h - keys that positions hide from a row ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_VISIBLEKEYS_H
#define CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_VISIBLEKEYS_H

#include "dialects/Kernel/Kernel.h"

namespace cupola {

/// A causal mask, a window: `scores`, in `steps` over `keysOfStep` keys each, is a loop over rows and the keys of a
/// step whose elements are -inf where a comparison of positions fails. Says so in `steps`, if both bounds of the
/// visible steps do not decrease as the row grows. What reads the scores must leave a row as it is where all are -inf.
void markVisibleSteps(kernel::ForOp steps, kernel::MapOp scores, int64_t keysOfStep);

} // namespace cupola

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_VISIBLEKEYS_H

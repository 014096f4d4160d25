//===- lib/Runtime/StepWork.h - How much a step does ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_STEPWORK_H
#define CUPOLA_LIB_RUNTIME_STEPWORK_H

#include "lib/Runtime/Executable.h"
#include "lib/Runtime/Frame.h"

namespace cupola::runtime {

/// The size of the buffers that a step names, and what its kernel computes.
struct StepWork {
  uint64_t bytes = 0;
  int64_t operations = 0; ///< 0: unknown
  Grid grid;              ///< of a launch
};

/// At the shapes that `frame` is bound to.
StepWork workOf(const Executable &executable, const Frame &frame, size_t step);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_STEPWORK_H

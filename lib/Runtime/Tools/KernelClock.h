//===- lib/Runtime/Tools/KernelClock.h - How long a kernel takes, for comparing schedules ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_KERNELCLOCK_H
#define CUPOLA_LIB_RUNTIME_TOOLS_KERNELCLOCK_H

#include "lib/Runtime/Tools/Inputs.h"

namespace cupola::runtime {

struct ClockOptions {
  InputOptions inputs = {};
  uint64_t runs = 100; ///< at most
  double seconds = 1;  ///< after which no further run begins
};

/// What the last step of a program takes. On a GPU: microseconds, the median of runs (at least three,
/// after one to warm up) by events of the device, each on caches that hold none of the operands. On `sim`, of one
/// run, a function of the kernel and its inputs:
///   32-byte sectors of global memory, each as often as a warp asks for it
///   + requests to shared memory + bank conflicts, of which each is one more turn
///   + 8 * barriers
/// which is nothing that a GPU takes, but tells schedules apart. A kernel may complain of random inputs, as of an index
/// that lies outside (Code::Usage): it has run all the same.
Result<double> timeLastStep(const std::shared_ptr<const Executable> &executable, const ClockOptions &options);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_KERNELCLOCK_H

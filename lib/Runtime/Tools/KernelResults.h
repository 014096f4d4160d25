//===- lib/Runtime/Tools/KernelResults.h - what each kernel of a run computed ---===//
// SPDX-License-Identifier: Apache-2.0
//
// For packages whose outputs are, besides the model's own, the results of all kernels
// (compiler::Options::kernelResults): the steps of such a package write to outputs only,
// so that one run shows every value that passes from a kernel to another.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_KERNELRESULTS_H
#define CUPOLA_LIB_RUNTIME_TOOLS_KERNELRESULTS_H

#include "lib/Runtime/Format/Plan.h"
#include "lib/Runtime/Tools/Compare.h"

namespace cupola::runtime {

/// What one step wrote, and how far it is from its reference. A branch or loop has no kernel; its schedule is
/// "if", "call" or "while".
struct KernelResult {
  uint32_t step = 0;           ///< into Program::steps
  std::vector<uint32_t> nodes; ///< into Package::nodes
  std::string kernel, schedule;
  Difference difference;
};

/// Every result of a launch, and of a branch or loop as a whole, in the order of execution. `outputs` and `references`
/// are parallel to the package's outputs. The first that does not pass is the first wrong kernel: all that it read
/// agrees.
std::vector<KernelResult> compareKernelResults(const format::Program &program, const std::vector<npz::Array> &outputs,
                                               const std::vector<npz::Array> &references, double tolerance);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_KERNELRESULTS_H

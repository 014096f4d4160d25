//===- tools/cupola/VerifyKernels.h - where an answer goes wrong first ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TOOLS_CUPOLA_VERIFYKERNELS_H
#define CUPOLA_TOOLS_CUPOLA_VERIFYKERNELS_H

#include "tools/cupola/Command.h"

namespace cupola::tool {

/// A run of a package that was compiled with CompileFlags::kernelResults.
struct KernelRun {
  const CompileFlags &flags;
  const runtime::Executable &executable;
  const std::vector<npz::Array> &inputs, &outputs; ///< of the package, by position
  const std::vector<npz::Array> &expected;         ///< of a case; empty: there is none
  double tolerance;
};

/// `verify --per-node`: holds the imported graph against the case, the passes against the
/// imported graph, every kernel's result against the graph that became kernels. Prints a
/// line per kernel, then the first that differs; adds `kernels` and `first_difference` to
/// `report`. True: nothing differs.
Result<bool> verifyKernels(const KernelRun &run, Json &report);

} // namespace cupola::tool

#endif // CUPOLA_TOOLS_CUPOLA_VERIFYKERNELS_H

//===- lib/Runtime/Tools/KernelResults.cpp - what each kernel of a run computed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Tools/KernelResults.h"

namespace cupola::runtime {

std::vector<KernelResult> compareKernelResults(const format::Program &program, const std::vector<npz::Array> &outputs,
                                               const std::vector<npz::Array> &references, double tolerance) {
  std::vector<KernelResult> results;
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const format::Step &step = program.steps[s];
    if (step.kind != format::Step::LaunchStep)
      continue;
    const format::Kernel &kernel = program.kernels[step.launch.kernel];
    for (size_t p = 0; p < step.launch.buffers.size(); ++p) {
      const format::Buffer &buffer = program.buffers[step.launch.buffers[p]];
      if (kernel.readWrite[p] == "r" || buffer.kind != format::BufferKind::Output)
        continue;
      const uint32_t i = buffer.index;
      results.push_back({static_cast<uint32_t>(s), step.nodes, kernel.name, kernel.schedule,
                         compare(outputs[i], references[i], tolerance)});
    }
  }
  return results;
}

} // namespace cupola::runtime

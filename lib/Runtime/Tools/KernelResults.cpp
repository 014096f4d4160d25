//===- lib/Runtime/Tools/KernelResults.cpp - what each kernel of a run computed ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Tools/KernelResults.h"
#include "lib/Runtime/Format/Bodies.h"

#include <functional>
#include <set>

namespace cupola::runtime {

/// A control step stands for the kernels of its bodies: which of them ran, and how often, is found in a run.
static void addControl(const format::Program &program, uint32_t number,
                       const std::function<Difference(uint32_t)> &compareOutput, std::vector<KernelResult> &results) {
  const format::Step &step = program.steps[number];
  std::set<uint32_t> written;
  for (const format::Touched &handed : format::handedOver(step))
    if (handed.written)
      written.insert(handed.buffer);
  for (const format::Scanned &scan : step.loop.scans)
    written.insert(scan.rows);
  for (uint32_t buffer : written)
    if (program.buffers[buffer].kind == format::BufferKind::Output)
      results.push_back(
          {number, step.nodes, "", format::stepKindName(step.kind), compareOutput(program.buffers[buffer].index)});
}

std::vector<KernelResult> compareKernelResults(const format::Program &program, const std::vector<npz::Array> &outputs,
                                               const std::vector<npz::Array> &references, double tolerance) {
  std::vector<KernelResult> results;
  const auto compareOutput = [&](uint32_t i) { return compare(outputs[i], references[i], tolerance); };
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const format::Step &step = program.steps[s];
    if (format::isControl(step.kind))
      addControl(program, static_cast<uint32_t>(s), compareOutput, results);
    if (step.kind != format::Step::LaunchStep)
      continue;
    const format::Kernel &kernel = program.kernels[step.launch.kernel];
    for (size_t p = 0; p < step.launch.buffers.size(); ++p) {
      const format::Buffer &buffer = program.buffers[step.launch.buffers[p]];
      if (kernel.readWrite[p] == "r" || buffer.kind != format::BufferKind::Output)
        continue;
      results.push_back(
          {static_cast<uint32_t>(s), step.nodes, kernel.name, kernel.schedule, compareOutput(buffer.index)});
    }
  }
  return results;
}

} // namespace cupola::runtime

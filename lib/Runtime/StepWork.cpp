//===- lib/Runtime/StepWork.cpp - How much a step does ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/StepWork.h"

namespace cupola::runtime {

StepWork workOf(const Executable &executable, const Frame &frame, size_t step) {
  const format::Step &entry = frame.body().steps[step];
  const auto bytesOf = [&](uint32_t buffer) {
    const Placement &placement = frame.plan().buffers[buffer];
    return placement.isOpen ? frame.value(buffer).bytes : placement.bytes;
  };
  StepWork work;
  if (const std::optional<format::Transfer> transfer = format::transferOf(entry))
    work.bytes = transfer->buffers.size() * frame.plan().sizes[step].x;
  if (entry.kind == format::Step::HostStep)
    for (const format::Touched &touched : format::touchedBy(executable.program(), entry))
      work.bytes += bytesOf(touched.buffer);
  if (entry.kind != format::Step::LaunchStep)
    return work;
  work.grid = frame.plan().sizes[step];
  if (work.grid.isEmpty()) // another kernel does it
    return work;
  const bool isCalled = executable.calls().function(frame.firstStep() + step) != nullptr;
  for (uint32_t buffer : isCalled ? entry.launch.call.buffers : entry.launch.buffers)
    work.bytes += bytesOf(buffer);
  if (isCalled && entry.launch.call.workspace != 0) // the library's own affair
    work.bytes -= bytesOf(entry.launch.call.buffers.back());
  std::map<std::string, int64_t> scalars;
  for (size_t i = 0; i < entry.launch.scalars.size(); ++i)
    scalars["n" + std::to_string(i)] = frame.scalars()[entry.launch.scalars[i]];
  const std::optional<Expr> operations = Expr::parse(executable.program().kernels[entry.launch.kernel].flops, nullptr);
  if (operations)
    work.operations = operations->evaluate(scalars).value_or(0);
  return work;
}

} // namespace cupola::runtime

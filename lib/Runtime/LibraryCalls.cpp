//===- lib/Runtime/LibraryCalls.cpp - The steps that a library does ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/LibraryCalls.h"
#include "lib/Runtime/Format/Bodies.h"

#include <algorithm>
#include <optional>

namespace cupola::runtime {

void LibraryCalls::prepare(Device &device, const format::Variant &variant, const std::vector<DeviceAddress> &weights) {
  const format::Program &program = variant.program;
  const size_t steps = format::stepCount(program);
  functions.clear();
  functions.resize(steps);
  refusals.assign(steps, "");
  format::forEachStep(program, [&](const format::Body &body, const format::Step &step, uint32_t number) {
    const format::LibraryCall &call = step.launch.call;
    if (step.kind != format::Step::LaunchStep || !call)
      return;
    ++wanted;
    const format::Buffer &operand = body.buffers[call.buffers[1]];
    const bool isWeight = operand.kind == format::BufferKind::Weight && device.properties().hostMemory;
    const void *const weight = isWeight ? reinterpret_cast<const void *>(weights[operand.index]) : nullptr;
    Result<std::unique_ptr<Function>> function = device.prepareCall(call, variant.arch, weight);
    if (function.failed()) {
      refusals[number] = function.status().message();
      return;
    }
    functions[number] = function.take();
    resident += functions[number]->residentBytes();
    ++made;
  });
}

std::vector<std::string> LibraryCalls::reasons() const {
  std::vector<std::string> list;
  for (const std::string &reason : refusals)
    if (!reason.empty() && std::find(list.begin(), list.end(), reason) == list.end())
      list.push_back(reason);
  return list;
}

namespace {

/// The program's buffer that a body's one is a part of or stands for, where that is one of the init steps.
std::optional<uint32_t> initBuffer(const format::Program &program, const format::Body &body, uint32_t buffer) {
  while (body.buffers[buffer].kind == format::BufferKind::View)
    buffer = body.buffers[buffer].index;
  if (body.buffers[buffer].kind != format::BufferKind::Init)
    return std::nullopt;
  return &body == &program ? buffer : body.buffers[buffer].index;
}

} // namespace

InitNeeds LibraryCalls::initNeeds(const format::Program &program) const {
  InitNeeds needs;
  needs.steps.resize(program.init.size());
  needs.buffers.resize(program.buffers.size());
  const auto need = [&](const format::Body &body, const format::Step &step) {
    for (const format::Touched &touched : format::touchedBy(program, step))
      if (const auto owner = initBuffer(program, body, touched.buffer))
        needs.buffers[*owner] = true;
  };
  const auto isStepNeeded = [&](const format::Step &step) {
    const std::vector<format::Touched> touched = format::touchedBy(program, step);
    return std::any_of(touched.begin(), touched.end(), [&](const format::Touched &entry) {
      const auto owner = entry.written ? initBuffer(program, program, entry.buffer) : std::nullopt;
      return owner && needs.buffers[*owner];
    });
  };
  format::forEachStep(program, [&](const format::Body &body, const format::Step &step, uint32_t number) {
    if (!functions[number])
      need(body, step);
  });
  for (size_t i = program.init.size(); i-- > 0;)
    if ((needs.steps[i] = isStepNeeded(program.init[i])))
      need(program, program.init[i]);
  return needs;
}

} // namespace cupola::runtime

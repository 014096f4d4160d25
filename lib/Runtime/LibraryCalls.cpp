//===- lib/Runtime/LibraryCalls.cpp - The steps that a library does ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/LibraryCalls.h"

#include <algorithm>

namespace cupola::runtime {

void LibraryCalls::prepare(Device &device, const format::Variant &variant, const std::vector<DeviceAddress> &weights) {
  const format::Program &program = variant.program;
  functions.clear();
  functions.resize(program.steps.size());
  refusals.assign(program.steps.size(), "");
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const format::LibraryCall &call = program.steps[i].launch.call;
    if (program.steps[i].kind != format::Step::LaunchStep || !call)
      continue;
    ++wanted;
    const uint32_t weight = program.buffers[call.buffers[1]].index;
    Result<std::unique_ptr<Function>> function =
        device.prepareCall(call, variant.arch, reinterpret_cast<const void *>(weights[weight]));
    if (function.failed()) {
      refusals[i] = function.status().message();
      continue;
    }
    functions[i] = function.take();
    resident += functions[i]->residentBytes();
    ++made;
  }
}

std::vector<std::string> LibraryCalls::reasons() const {
  std::vector<std::string> list;
  for (const std::string &reason : refusals)
    if (!reason.empty() && std::find(list.begin(), list.end(), reason) == list.end())
      list.push_back(reason);
  return list;
}

InitNeeds LibraryCalls::initNeeds(const format::Program &program) const {
  const auto ownerOf = [&](uint32_t buffer) {
    while (program.buffers[buffer].kind == format::BufferKind::View)
      buffer = program.buffers[buffer].index;
    return buffer;
  };
  InitNeeds needs;
  needs.steps.resize(program.init.size());
  needs.buffers.resize(program.buffers.size());
  const auto need = [&](const format::Step &step) {
    if (step.kind == format::Step::CopyStep)
      needs.buffers[ownerOf(step.copy.source)] = needs.buffers[ownerOf(step.copy.target)] = true;
    else
      for (uint32_t buffer : step.launch.buffers)
        needs.buffers[ownerOf(buffer)] = true;
  };
  const auto isNeeded = [&](const format::Step &step) {
    if (step.kind == format::Step::CopyStep)
      return needs.buffers[ownerOf(step.copy.target)] == true;
    const std::vector<std::string> &access = program.kernels[step.launch.kernel].readWrite;
    for (size_t i = 0; i < access.size(); ++i)
      if (access[i] != "r" && needs.buffers[ownerOf(step.launch.buffers[i])])
        return true;
    return false;
  };
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (!functions[i])
      need(program.steps[i]);
  for (size_t i = program.init.size(); i-- > 0;)
    if ((needs.steps[i] = isNeeded(program.init[i])))
      need(program.init[i]);
  return needs;
}

} // namespace cupola::runtime

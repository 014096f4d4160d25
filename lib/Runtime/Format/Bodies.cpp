//===- lib/Runtime/Format/Bodies.cpp - The bodies of a program and their steps ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Bodies.h"

#include <charconv>

namespace cupola::format {

size_t stepCount(const Program &program) {
  size_t count = 0;
  for (size_t position = 0; position < bodyCount(program); ++position)
    count += bodyAt(program, position).steps.size();
  return count;
}

const Step *stepAt(const Program &program, uint32_t number) {
  size_t rest = number;
  for (size_t position = 0; position < bodyCount(program); ++position) {
    const std::vector<Step> &steps = bodyAt(program, position).steps;
    if (rest < steps.size())
      return &steps[rest];
    rest -= steps.size();
  }
  return nullptr;
}

size_t mapCount(const std::vector<Step> &steps) {
  size_t count = 0;
  for (const Step &step : steps)
    count += step.kind == Step::LaunchStep ? step.launch.maps.size() : 0;
  return count;
}

std::string launchText(const Kernel &kernel, const Launch &launch, const std::vector<std::string> &grid) {
  std::string extents, text;
  for (const std::string &extent : grid)
    extents += (extents.empty() ? "grid " : " * ") + extent;
  const auto add = [&](bool has, const std::string &what) { text += has ? (text.empty() ? "" : ", ") + what : ""; };
  add(launch.grid.size() > 1, extents);
  add(kernel.cluster > 1, "clusters of " + std::to_string(kernel.cluster));
  add(kernel.programmatic, "programmatic");
  add(kernel.cooperative, "cooperative");
  add(launch.maps.size() == 1, "1 tensor map");
  add(launch.maps.size() > 1, std::to_string(launch.maps.size()) + " tensor maps");
  return text;
}

std::vector<uint32_t> bodiesOf(const Step &step) {
  if (!isControl(step.kind))
    return {};
  return step.kind == Step::WhileStep ? std::vector<uint32_t>{step.loop.body} : step.branch.bodies;
}

std::vector<Touched> handedOver(const Step &step) {
  std::vector<Touched> list;
  if (step.kind != Step::WhileStep) {
    for (uint32_t buffer : step.branch.captures)
      list.push_back({buffer, false});
    for (uint32_t buffer : step.branch.results)
      list.push_back({buffer, true});
    return list;
  }
  for (uint32_t buffer : step.loop.captures)
    list.push_back({buffer, false});
  for (const Carried &carried : step.loop.carried)
    list.push_back({carried.initial, false});
  for (const Carried &carried : step.loop.carried)
    list.push_back({carried.result, true});
  for (const Scanned &scanned : step.loop.scans)
    list.push_back({scanned.row, true});
  if (step.loop.proceed != 0)
    list.push_back({step.loop.proceed - 1, true});
  return list;
}

std::optional<uint64_t> countersBytes(const Buffer &buffer) {
  uint64_t bytes = 0;
  const char *end = buffer.bytes.data() + buffer.bytes.size();
  const std::from_chars_result read = std::from_chars(buffer.bytes.data(), end, bytes);
  if (read.ec != std::errc() || read.ptr != end || bytes > uint64_t(1) << 20)
    return std::nullopt;
  return bytes;
}

std::vector<Touched> touchedBy(const Program &program, const Step &step) {
  if (const std::optional<Transfer> transfer = transferOf(step))
    return transfer->buffers;
  std::vector<Touched> list;
  if (step.kind == Step::LaunchStep) {
    const std::vector<std::string> &access = program.kernels[step.launch.kernel].readWrite;
    for (size_t i = 0; i < access.size(); ++i) {
      if (access[i] != "w")
        list.push_back({step.launch.buffers[i], false});
      if (access[i] != "r")
        list.push_back({step.launch.buffers[i], true});
    }
    return list;
  }
  if (step.kind == Step::HostStep) {
    for (uint32_t buffer : step.host.operands)
      list.push_back({buffer, false});
    for (uint32_t buffer : step.host.results)
      list.push_back({buffer, true});
    return list;
  }
  if (step.kind == Step::IfStep)
    list.push_back({step.branch.condition, false});
  if (step.kind == Step::WhileStep)
    for (uint32_t optional : {step.loop.trip, step.loop.condition})
      if (optional != 0)
        list.push_back({optional - 1, false});
  const std::vector<Touched> handed = handedOver(step);
  list.insert(list.end(), handed.begin(), handed.end());
  return list;
}

} // namespace cupola::format

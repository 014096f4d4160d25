//===- lib/Runtime/Format/Bodies.cpp - The bodies of a program and their steps ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Bodies.h"

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

const char *stepKindName(Step::Kind kind) {
  constexpr const char *kNames[] = {"launch", "copy", "if", "call", "while"};
  return kNames[kind - Step::LaunchStep];
}

size_t mapCount(const std::vector<Step> &steps) {
  size_t count = 0;
  for (const Step &step : steps)
    count += step.kind == Step::LaunchStep ? step.launch.maps.size() : 0;
  return count;
}

std::vector<uint32_t> bodiesOf(const Step &step) {
  if (!isControl(step.kind))
    return {};
  return step.kind == Step::WhileStep ? std::vector<uint32_t>{step.loop.body} : step.branch.bodies;
}

std::vector<Handed> handedOver(const Step &step) {
  std::vector<Handed> list;
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

std::vector<Handed> touchedBy(const Program &program, const Step &step) {
  if (step.kind == Step::CopyStep)
    return {{step.copy.source, false}, {step.copy.target, true}};
  std::vector<Handed> list;
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
  if (step.kind == Step::IfStep)
    list.push_back({step.branch.condition, false});
  if (step.kind == Step::WhileStep)
    for (uint32_t optional : {step.loop.trip, step.loop.condition})
      if (optional != 0)
        list.push_back({optional - 1, false});
  const std::vector<Handed> handed = handedOver(step);
  list.insert(list.end(), handed.begin(), handed.end());
  return list;
}

} // namespace cupola::format

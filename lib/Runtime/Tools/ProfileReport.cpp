//===- lib/Runtime/Tools/ProfileReport.cpp - What is said about the steps of a run ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/ProfileReport.h"
#include "lib/Runtime/Text.h"

#include <algorithm>
#include <cstdio>

namespace cupola::runtime {

static const format::Step &entryOf(const Executable &executable, size_t step) {
  return *format::stepAt(executable.program(), static_cast<uint32_t>(step));
}

std::string stepName(const Executable &executable, size_t step) {
  const format::Step &entry = entryOf(executable, step);
  if (entry.kind == format::Step::HostStep)
    return "host " + entry.host.op;
  if (entry.kind != format::Step::LaunchStep)
    return format::stepKindName(entry.kind);
  if (const Function *call = executable.calls().function(step))
    return call->library();
  const format::Kernel &kernel = executable.program().kernels[entry.launch.kernel];
  return kernel.schedule + " " + kernel.name;
}

std::string launchOf(const Executable &executable, size_t step, const Grid &grid) {
  const format::Step &entry = entryOf(executable, step);
  if (entry.kind != format::Step::LaunchStep || executable.calls().function(step))
    return {};
  const std::vector<std::string> extents = {std::to_string(grid.x), std::to_string(grid.y), std::to_string(grid.z)};
  return format::launchText(executable.program().kernels[entry.launch.kernel], entry.launch, extents);
}

std::string profileText(const Executable &executable, const Profile &profile) {
  std::vector<StepTime> sorted = profile.steps;
  std::sort(sorted.begin(), sorted.end(), [](const StepTime &a, const StepTime &b) {
    return a.milliseconds != b.milliseconds ? a.milliseconds > b.milliseconds : a.step < b.step;
  });
  double total = 0;
  for (const StepTime &step : sorted)
    total += step.milliseconds;
  const Ceilings &ceilings = profile.ceilings;
  char head[160];
  std::snprintf(head, sizeof(head), "ceilings: copy %.1f GB/s, multiply-add %.1f GFLOP/s\n", ceilings.bytes / 1e6,
                ceilings.operations / 1e6);
  std::string text = std::string(ceilings.bytes > 0 ? head : "") +
                     "step         ms      %   GFLOP/s      GB/s  roof %  kernel and nodes\n";
  for (const StepTime &step : sorted) {
    char line[96];
    std::snprintf(line, sizeof(line), "%4zu %10.4f %6.2f %9.2f %9.2f %7.1f  ", step.step, step.milliseconds,
                  100 * step.milliseconds / total,
                  static_cast<double>(step.work.operations) / std::max(step.milliseconds, 1e-9) / 1e6,
                  static_cast<double>(step.work.bytes) / std::max(step.milliseconds, 1e-9) / 1e6,
                  100 * rooflineShare(ceilings, step.work, step.milliseconds));
    const std::string launch = launchOf(executable, step.step, step.work.grid);
    text += line + stepName(executable, step.step) + (launch.empty() ? "" : " (" + launch + ")") +
            (step.times == 1 ? "" : ", " + std::to_string(step.times) + " times") + ": " +
            nodeList(executable.package(), entryOf(executable, step.step).nodes) + "\n";
  }
  return text;
}

nlohmann::ordered_json profileJson(const Executable &executable, const Profile &profile) {
  auto list = nlohmann::ordered_json::array();
  for (const StepTime &step : profile.steps) {
    auto names = nlohmann::ordered_json::array();
    for (uint32_t node : entryOf(executable, step.step).nodes)
      names.push_back(executable.package().nodes[node].name);
    list.push_back({{"step", step.step},
                    {"kernel", stepName(executable, step.step)},
                    {"nodes", names},
                    {"ms", step.milliseconds},
                    {"times", step.times},
                    {"operations", step.work.operations},
                    {"bytes", step.work.bytes},
                    {"roofline", rooflineShare(profile.ceilings, step.work, step.milliseconds)}});
    if (entryOf(executable, step.step).kind == format::Step::LaunchStep)
      list.back()["blocks"] = step.work.grid.blocks().value_or(0);
    if (const std::string launch = launchOf(executable, step.step, step.work.grid); !launch.empty())
      list.back()["launch"] = launch;
  }
  return list;
}

nlohmann::ordered_json arenaJson(const Session &session) {
  auto list = nlohmann::ordered_json::array();
  const std::vector<format::Buffer> &buffers = session.executable().program().buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].kind == format::BufferKind::Arena)
      list.push_back({{"buffer", i},
                      {"offset", session.placements()[i].offset},
                      {"bytes", session.placements()[i].bytes},
                      {"first", buffers[i].first},
                      {"last", buffers[i].last}});
  return list;
}

} // namespace cupola::runtime

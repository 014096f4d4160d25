//===- lib/Runtime/Tools/Trace.cpp - One run, for a viewer of traces ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Trace.h"
#include "lib/Runtime/Text.h"
#include "lib/Runtime/Tools/ProfileReport.h"

#include <cmath>

namespace cupola::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kProcess = 1, kHost = 1, kDevice = 2;

/// What a lane is called; the viewer sorts by its number.
Json laneName(int lane, const std::string &name) {
  return {{"name", "thread_name"}, {"ph", "M"}, {"pid", kProcess}, {"tid", lane}, {"args", {{"name", name}}}};
}

/// What the format counts in; the clock has no more digits.
double microseconds(double milliseconds) { return std::round(milliseconds * 1e6) / 1e3; }

Json event(int lane, const std::string &name, const TimeSpan &span, Json arguments = Json::object()) {
  return {{"name", name},
          {"ph", "X"},
          {"pid", kProcess},
          {"tid", lane},
          {"ts", microseconds(span.begin)},
          {"dur", microseconds(span.milliseconds())},
          {"args", std::move(arguments)}};
}

Json argumentsOf(const Session &session, const StepTime &step) {
  constexpr size_t kMost = 16;
  const Executable &executable = session.executable();
  const std::vector<uint32_t> &nodes = executable.program().steps[step.step].nodes;
  Json names = Json::array();
  for (size_t i = 0; i < std::min(nodes.size(), kMost); ++i)
    names.push_back(printable(executable.package().nodes[nodes[i]].name));
  Json arguments{{"step", step.step},
                 {"nodes", names},
                 {"node_count", nodes.size()},
                 {"bytes", step.work.bytes},
                 {"operations", step.work.operations}};
  if (const std::string launch = launchOf(executable, step.step, step.work.grid); !launch.empty())
    arguments["launch"] = launch;
  return arguments;
}

Json eventsOf(const Session &session, const RunTimes &times, const Profile &profile) {
  const Executable &executable = session.executable();
  const DeviceProperties &device = executable.device().properties();
  Json events = Json::array({{{"name", "process_name"}, {"ph", "M"}, {"pid", kProcess}, {"args", {{"name", "cupola"}}}},
                             laneName(kHost, "host"),
                             laneName(kDevice, device.name + " " + device.arch)});
  events.push_back(event(kHost, "prepare", times.prepare));
  events.push_back(event(kHost, "copy inputs", times.inputs));
  events.push_back(event(kHost, "steps", times.work));
  events.push_back(event(kHost, "copy outputs", times.outputs));
  events.push_back(event(kHost, "wait", times.wait));
  for (const StepTime &step : profile.steps)
    events.push_back(
        event(kDevice, stepName(executable, step.step), times.steps[step.step], argumentsOf(session, step)));
  return events;
}

} // namespace

Result<Report> traceRun(Session &session, const std::vector<TensorRef> &inputs, const std::vector<TensorRef> &outputs) {
  RunTimes times;
  CUPOLA_TRY(session.runTimed(inputs, outputs, times));
  Profile profile;
  for (size_t step = 0; step < times.steps.size(); ++step)
    profile.steps.push_back({step, times.steps[step].milliseconds(), session.workOf(step)});
  const Json json{
      {"schema", "cupola.trace/1"}, {"displayTimeUnit", "ms"}, {"traceEvents", eventsOf(session, times, profile)}};
  return Report{profileText(session.executable(), profile), json.dump(1, ' ', /*ensure_ascii=*/true) + "\n"};
}

} // namespace cupola::runtime

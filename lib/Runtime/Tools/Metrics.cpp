//===- lib/Runtime/Tools/Metrics.cpp - What a session did so far, for monitoring ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Tools/Metrics.h"
#include "lib/Runtime/Text.h"

#include <nlohmann/json.hpp>

namespace cupola::runtime {

namespace {

/// All that is told, of one moment.
struct Snapshot {
  RunCounts runs;
  CompileCounters compiled;
  uint64_t weightBytes = 0;
};

/// A number that only grows, or one that is as it is.
struct Metric {
  const char *name, *type, *help;
  const char *key; ///< in the JSON
  uint64_t (*value)(const Snapshot &snapshot);
};

constexpr Metric metrics[] = {
    {"cupola_runs_total", "counter", "Runs that ended.", "runs", [](const Snapshot &s) { return s.runs.runs; }},
    {"cupola_run_failures_total", "counter", "Runs that ended with an error.", "failures",
     [](const Snapshot &s) { return s.runs.failures; }},
    {"cupola_copied_tensors_total", "counter", "Inputs and outputs that were copied.", "copied_tensors",
     [](const Snapshot &s) { return s.runs.copiedTensors; }},
    {"cupola_kernel_compiles_total", "counter", "Kernel sources that this device compiled.", "kernel_compiles",
     [](const Snapshot &s) { return s.compiled.compiles; }},
    {"cupola_kernel_cache_hits_total", "counter", "Kernel sources whose machine code a cache had.", "kernel_cache_hits",
     [](const Snapshot &s) { return s.compiled.cacheHits; }},
    {"cupola_arena_bytes", "gauge", "Device memory of buffers that take turns.", "arena_bytes",
     [](const Snapshot &s) { return s.runs.arenaBytes; }},
    {"cupola_staging_bytes", "gauge", "Device memory of copied inputs and outputs.", "staging_bytes",
     [](const Snapshot &s) { return s.runs.stagingBytes; }},
    {"cupola_weight_bytes", "gauge", "Device memory of weights, which the sessions of an executable share.",
     "weight_bytes", [](const Snapshot &s) { return s.weightBytes; }},
};

constexpr const char *kLatency = "cupola_run_seconds";

std::string escaped(std::string_view value) {
  std::string text;
  for (char c : printable(value))
    text += c == '\\' || c == '"' ? std::string("\\") + c : std::string(1, c);
  return text;
}

/// Without the braces.
std::string labelsOf(const Session &session, std::string_view name) {
  const DeviceProperties &device = session.executable().device().properties();
  std::string text = "device=\"" + escaped(device.name) + "\",arch=\"" + escaped(device.arch) + "\"";
  return name.empty() ? text : text + ",model=\"" + escaped(name) + "\"";
}

std::string head(const std::string &name, const char *type, const char *help) {
  return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// Buckets are cumulative in this format.
std::string latencyText(const RunCounts &runs, const std::string &labels) {
  const std::string name = kLatency;
  std::string text = head(name, "histogram", "Seconds from the call that queues a run to when its end is seen.");
  uint64_t below = 0;
  for (size_t i = 0; i < kLatencyBounds.size(); ++i) {
    below += runs.within[i];
    text += name + "_bucket{" + labels + ",le=\"" + number(kLatencyBounds[i]) + "\"} " + std::to_string(below) + "\n";
  }
  const std::string count = std::to_string(std::max(runs.runs, below)); // the two may be a run apart
  return text + name + "_bucket{" + labels + ",le=\"+Inf\"} " + count + "\n" + name + "_sum{" + labels + "} " +
         number(runs.seconds) + "\n" + name + "_count{" + labels + "} " + count + "\n";
}

std::string jsonOf(const Snapshot &snapshot, const DeviceProperties &device) {
  nlohmann::ordered_json json{{"schema", "cupola.metrics/1"}, {"device", device.name}, {"arch", device.arch}};
  for (const Metric &metric : metrics)
    json[metric.key] = metric.value(snapshot);
  auto buckets = nlohmann::ordered_json::array();
  for (size_t i = 0; i < kLatencyBounds.size(); ++i)
    buckets.push_back({{"le", kLatencyBounds[i]}, {"count", snapshot.runs.within[i]}});
  json["latency"] = {{"seconds", snapshot.runs.seconds}, {"buckets", buckets}};
  return json.dump(2) + "\n";
}

} // namespace

Report metricsOf(const Session &session, std::string_view name) {
  const Executable &executable = session.executable();
  const Snapshot snapshot{session.counts(), executable.device().compileCounters(), executable.residentBytes()};
  const std::string labels = labelsOf(session, name);
  std::string text;
  for (const Metric &metric : metrics)
    text += head(metric.name, metric.type, metric.help) + metric.name + "{" + labels + "} " +
            std::to_string(metric.value(snapshot)) + "\n";
  return {text + latencyText(snapshot.runs, labels), jsonOf(snapshot, executable.device().properties())};
}

} // namespace cupola::runtime

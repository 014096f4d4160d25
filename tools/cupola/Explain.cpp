//===- tools/cupola/Explain.cpp - cupola explain ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Text.h"
#include "tools/cupola/Command.h"

#include <algorithm>
#include <cstdio>

namespace cupola::tool {

namespace {

std::string join(const Json &names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i ? ", " : "") + runtime::quote(names[i].get<std::string>());
  return names.size() > most ? text + ", .. (" + std::to_string(names.size()) + ")" : text;
}

/// Steps for which the package has a library's form besides the kernel, and on how many of them the runtime takes it
/// where figures decide.
std::string librariesText(const Json &variant) {
  std::string library;
  size_t described = 0;
  std::vector<int64_t> most;
  for (const Json &step : variant["steps"]) {
    if (!step.contains("library"))
      continue;
    library = step["library"].get<std::string>();
    ++described;
    if (step.contains("library_threads"))
      most.push_back(step["library_threads"].get<int64_t>());
  }
  if (described == 0)
    return "none may do a step";
  std::string text = library + " may do " + std::to_string(described) + " of the steps";
  if (most.empty())
    return text;
  for (int64_t threads : {1, 2, 4, 16})
    text += (threads == 1 ? "; it gains on " : ", ") +
            std::to_string(std::count_if(most.begin(), most.end(), [&](int64_t n) { return n >= threads; })) +
            " with " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  return text;
}

/// Contractions that a library may do, and why it does not do the others.
void printLibraries(const Json &variant, bool reasons) {
  size_t described = 0;
  for (const Json &step : variant["steps"])
    described += step.contains("library");
  const Json &refused = variant["library_refused"];
  if (described + refused.size() == 0)
    return;
  std::printf("  libraries: %s; %zu contractions have kernels alone\n", librariesText(variant).c_str(), refused.size());
  for (const Json &entry : refused)
    if (reasons)
      std::printf("    %s: %s\n", runtime::quote(entry["node"].get<std::string>()).c_str(),
                  entry["reason"].get<std::string>().c_str());
}

/// What --precision left in f32.
void printPrecision(const Json &precision) {
  if (precision.is_null())
    return;
  const Json &kept = precision["kept"];
  std::printf("  precision: %d results in %s; %zu stay f32\n", precision["narrowed"].get<int>(),
              precision["element"].get<std::string>().c_str(), kept.size());
  for (const Json &entry : kept)
    std::printf("    %s: %s\n", runtime::quote(entry["node"].get<std::string>()).c_str(),
                entry["reason"].get<std::string>().c_str());
}

void printVariant(const Json &variant, bool edges) {
  std::printf("%s %s: %zu steps, %zu distinct kernels\n", variant["target"].get<std::string>().c_str(),
              variant["arch"].get<std::string>().c_str(), variant["launches"].get<size_t>(), variant["kernels"].size());
  for (const Json &kernel : variant["kernels"]) {
    std::printf("  %s %-14s %s\n", kernel["name"].get<std::string>().c_str(),
                kernel["schedule"].get<std::string>().c_str(), join(kernel["nodes"], 6).c_str());
    if (kernel.contains("launch"))
      for (const Json &form : kernel["launch"])
        std::printf("    launched with %s\n", form.get<std::string>().c_str());
    for (const auto &[arch, r] : kernel["arch"].items())
      std::printf("    %-7s %d registers, %d spill bytes, %d + %d shared bytes\n", arch.c_str(),
                  r["registers"].get<int>(), r["spill_bytes"].get<int>(), r["static_shared"].get<int>(),
                  r["dynamic_shared"].get<int>());
  }
  printPrecision(variant["precision"]);
  printLibraries(variant, edges);
  size_t fused = 0;
  for (const Json &edge : variant["edges"])
    fused += edge["fused"].get<bool>();
  std::printf("  edges: %zu fused, %zu not\n", fused, variant["edges"].size() - fused);
  for (const Json &edge : variant["edges"])
    if (edges || !edge["fused"].get<bool>())
      std::printf("    %s %s -> %s: %s (%s)\n", edge["fused"].get<bool>() ? "fused    " : "not fused",
                  runtime::quote(edge["producer"].get<std::string>()).c_str(),
                  runtime::quote(edge["consumer"].get<std::string>()).c_str(),
                  edge["reason"].get<std::string>().c_str(), edge["rule"].get<std::string>().c_str());
  const Json &memory = variant["memory"];
  if (!memory["peak_bytes"].is_null())
    std::printf("  memory: arena %llu bytes (lower bound %llu), weights %llu bytes\n",
                memory["peak_bytes"].get<unsigned long long>(), memory["lower_bound_bytes"].get<unsigned long long>(),
                memory["weight_bytes"].get<unsigned long long>());
}

struct ExplainCommand {
  CompileFlags flags;
  std::string json;
  bool allEdges = false;

  Status run() {
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(flags.model, options));
    CUPOLA_ASSIGN(std::string text, compilation->explain());
    Json report = Json::parse(text);
    runtime::clearProgress();
    if (!report.contains("variants"))
      printVariant(report, allEdges);
    else
      for (const Json &variant : report["variants"])
        printVariant(variant, allEdges);
    return writeJson(json, report);
  }
};

} // namespace

std::function<int()> declareExplain(CLI::App &app) {
  auto command = std::make_shared<ExplainCommand>();
  command->flags.declare(app, "MODEL.onnx");
  app.add_flag("--all-edges", command->allEdges, "Show fused edges, too");
  app.add_option("--json", command->json, "Write the whole report to this file");
  return [command] { return runInWorker(command->flags, [&] { return finish(command->run()); }); };
}

} // namespace cupola::tool

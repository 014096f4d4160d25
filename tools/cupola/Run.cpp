//===- tools/cupola/Run.cpp - cupola run and cupola bench ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Tools/Bench.h"
#include "tools/cupola/Command.h"

#include <cstdio>
#include <filesystem>

namespace cupola::tool {

namespace {

struct RunCommand {
  CompileFlags flags;
  DeviceFlags device;
  runtime::BenchOptions options;
  ReportFiles files;
  std::string outputs, trace;
  bool showsMetrics = false;

  void declare(CLI::App &app) {
    flags.declare(app, "MODEL.onnx|FILE.cupola", /*withTargets=*/false);
    device.declare(app);
    app.add_option("--inputs", options.inputs.npz, "Input values: an .npz file with an array per input");
    app.add_option("--seed", options.inputs.seed,
                   "Without --inputs: floats are N(0,1), integers below the extent that they "
                   "index, masks ones");
    app.add_option(
        "--trace", trace,
        "Write one further run, step by step, to this file, which Perfetto and Chrome's chrome://tracing show");
  }

  Status run() {
    if (!options.inputs.npz.empty() && !flags.isPackage()) {
      CUPOLA_ASSIGN(const std::vector<npz::Array> arrays, npz::read(options.inputs.npz));
      flags.given.given = compiler::givenInputs(arrays);
    }
    CUPOLA_ASSIGN(Ready ready, makeReady(flags, device, !files.html.empty()));
    options.name = std::filesystem::path(flags.model).filename().string();
    options.trace = !trace.empty();
    options.inputs.pinned = flags.pinned();
    options.inputs.pinned.merge(ready.compiled.pinned);
    options.inputs.shapes = flags.isPackage() ? flags.shapes : std::vector<std::string>();
    CUPOLA_ASSIGN(auto done, runtime::bench(ready.executable, options));
    runtime::clearProgress();
    std::fputs(done.report.text.c_str(), stdout);
    if (showsMetrics)
      std::fputs(done.metrics.text.c_str(), stdout);
    CUPOLA_TRY(writeReport(trace, done.trace.json));
    Json full = Json::parse(done.report.json);
    full["compile_ms"] = ready.compiled.compileMs;
    ready.compiled.addSources(full);
    CUPOLA_TRY(files.write(full, flags.model));
    return outputs.empty() ? Status::ok() : runtime::writeOutputs(outputs, ready.executable->package(), done.outputs);
  }
};

} // namespace

std::function<int()> declareRun(CLI::App &app) {
  auto command = std::make_shared<RunCommand>();
  command->declare(app);
  app.add_option("--json", command->files.json, "Write a report to this file");
  app.add_option("--outputs", command->outputs, "Write the outputs to this .npz file");
  return [command] { return finish(command->run()); };
}

std::function<int()> declareBench(CLI::App &app) {
  auto command = std::make_shared<RunCommand>();
  command->declare(app);
  command->options.warmup = 10;
  command->options.iterations = 100;
  app.add_option("--warmup", command->options.warmup, "Runs before the measured ones")->capture_default_str();
  app.add_option("--iterations", command->options.iterations, "Measured runs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--device-tensors", command->options.deviceTensors, runtime::kDeviceTensorsHelp);
  CLI::Option *page = command->files.declare(app);
  page->needs(
      app.add_flag("--profile", command->options.profile, "Also time every step, in as many runs of their own"));
  app.add_flag("--metrics", command->showsMetrics,
               "Also print counters of the runs, memory and caches in Prometheus's text format");
  return [command] { return finish(command->run()); };
}

} // namespace cupola::tool

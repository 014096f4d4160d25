//===- tools/cupola/Run.cpp - cupola run and cupola bench ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Tools/Latency.h"
#include "lib/Runtime/Tools/RunReport.h"
#include "tools/cupola/Command.h"

#include <cstdio>

namespace cupola::tool {

namespace {

struct RunCommand {
  CompileFlags flags;
  DeviceFlags device;
  runtime::InputOptions inputs;
  std::string outputs, json;
  uint64_t warmup = 0, iterations = 1;
  bool profile = false;

  void declare(CLI::App &app) {
    flags.declare(app, "MODEL.onnx|FILE.cupola", /*withTargets=*/false);
    device.declare(app);
    app.add_option("--inputs", inputs.npz, "Input values: an .npz file with an array per input");
    app.add_option("--seed", inputs.seed,
                   "Without --inputs: floats are N(0,1), integers below the extent that they "
                   "index, masks ones");
    app.add_option("--json", json, "Write a report to this file");
  }

  Status run() {
    CUPOLA_ASSIGN(Ready ready, makeReady(flags, device));
    const runtime::Executable &executable = *ready.executable;
    inputs.pinned = flags.pinned();
    inputs.shapes = flags.isPackage() ? flags.shapes : std::vector<std::string>();
    CUPOLA_ASSIGN(auto in, runtime::makeInputs(executable.package(), executable.parsedInterface(), inputs));
    CUPOLA_ASSIGN(auto session, runtime::Session::create(ready.executable, {}));
    CUPOLA_TRY(session->bind(runtime::shapesOf(in)));
    CUPOLA_ASSIGN(auto out, runtime::makeOutputs(*session));
    executable.device().resetStatistics(); // the init steps are not of the run
    const auto inputRefs = runtime::inputRefs(executable.package(), in, out), outputRefs = runtime::refsOf(out);
    CUPOLA_ASSIGN(auto latency, runtime::measure(*session, inputRefs, outputRefs, warmup, iterations));
    runtime::RunReport report{iterations, latency, session.get(), &out, {}};
    if (profile) {
      CUPOLA_ASSIGN(report.profile, runtime::profile(*session, inputRefs, outputRefs, iterations));
    }
    CUPOLA_TRY(runtime::fetchOutputs(*session, out));
    runtime::clearProgress();
    std::fputs(runtime::reportText(report).c_str(), stdout);
    Json full = Json::parse(runtime::reportJson(report));
    full["compile_ms"] = ready.compiled.compileMs;
    CUPOLA_TRY(writeJson(json, full));
    return outputs.empty() ? Status::ok() : runtime::writeOutputs(outputs, executable.package(), out);
  }
};

} // namespace

std::function<int()> declareRun(CLI::App &app) {
  auto command = std::make_shared<RunCommand>();
  command->declare(app);
  app.add_option("--outputs", command->outputs, "Write the outputs to this .npz file");
  return [command] { return finish(command->run()); };
}

std::function<int()> declareBench(CLI::App &app) {
  auto command = std::make_shared<RunCommand>();
  command->declare(app);
  command->warmup = 10;
  command->iterations = 100;
  app.add_option("--warmup", command->warmup, "Runs before the measured ones")->capture_default_str();
  app.add_option("--iterations", command->iterations, "Measured runs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--profile", command->profile, "Also time every step, in as many runs of their own");
  return [command] { return finish(command->run()); };
}

} // namespace cupola::tool

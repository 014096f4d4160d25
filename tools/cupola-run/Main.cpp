//===- tools/cupola-run/Main.cpp - Runs a compiled package ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CurrentException.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Page/Page.h"
#include "lib/Runtime/Tools/Bench.h"
#include "lib/Runtime/Tools/Errors.h"
#include "lib/Runtime/Tools/Progress.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

using namespace cupola;
using namespace cupola::runtime;

namespace {

struct Options {
  std::string package, device = "auto", outputs, json, html, trace;
  DeviceOptions deviceOptions;
  BenchOptions bench;
};

void declare(CLI::App &app, Options &options) {
  app.add_option("FILE", options.package, "The package, made by 'cupola compile MODEL.onnx -o FILE.cupola'")
      ->required();
  app.add_option("--device", options.device,
                 "Where to run: cuda (a GPU), cpu, sim (CUDA kernels on the CPU, with "
                 "checks), auto (cuda if there is a GPU, else cpu)")
      ->check(CLI::IsMember({"auto", "cuda", "cpu", "sim"}))
      ->capture_default_str();
  app.add_option("--arch", options.deviceOptions.arch, "sim: sm_75 or sm_80; cpu: at most this level, as x86-64-v3");
  app.add_option("--threads", options.deviceOptions.threads, "cpu and sim: worker threads; 0 is one per core");
  app.add_option("--cache-dir", options.deviceOptions.cacheDir, "Where compiled kernels are kept; 'none': nowhere");
  app.add_option("--inputs", options.bench.inputs.npz, "Input values: an .npz file with an array per input");
  app.add_option("--shape", options.bench.inputs.shapes,
                 "Without --inputs: a dynamic dimension, as s0=16, or an input's shape, as x=1x16; may be repeated");
  app.add_option("--seed", options.bench.inputs.seed,
                 "Without --inputs: floats are N(0,1), integers below the extent that "
                 "they index, masks ones");
  app.add_option("--outputs", options.outputs, "Write the outputs to this .npz file");
  app.add_option("--iterations", options.bench.iterations, "Run so often, after one run to warm up if more than once")
      ->check(CLI::PositiveNumber);
  app.add_flag("--device-tensors", options.bench.deviceTensors, kDeviceTensorsHelp);
  CLI::Option *profile =
      app.add_flag("--profile", options.bench.profile, "Also time every step, in as many runs of their own");
  app.add_option("--json", options.json, "Write a report to this file");
  app.add_option("--html", options.html, "Write the report to this file as a page of a browser")->needs(profile);
  app.add_option("--trace", options.trace,
                 "Write one further run, step by step, to this file, as viewers of traces read it");
  app.add_flag_callback("--quiet", beQuiet, "Show results and errors alone: no progress, no warnings");
  app.footer(std::string("Example:\n  cupola-run bert.cupola --shape batch=1 --shape sequence=16 --iterations 100\n") +
             kExitCodes);
}

Status runPackage(const Options &options) {
  CUPOLA_ASSIGN(std::shared_ptr<const format::PackageFile> file, format::PackageFile::open(options.package));
  CUPOLA_ASSIGN(std::shared_ptr<Device> device, createDevice(options.device, options.deviceOptions));
  CUPOLA_ASSIGN(std::shared_ptr<const Executable> executable,
                Executable::create(std::move(file), std::move(device)).within(options.package));
  BenchOptions chosen = options.bench;
  chosen.trace = !options.trace.empty();
  chosen.warmup = chosen.iterations > 1 ? 1 : 0;
  CUPOLA_ASSIGN(Bench done, bench(executable, chosen));
  clearProgress();
  std::fputs(done.report.text.c_str(), stdout);
  if (!options.json.empty())
    CUPOLA_TRY(format::writeFile(options.json, done.report.json));
  if (!options.trace.empty())
    CUPOLA_TRY(format::writeFile(options.trace, done.trace.json));
  if (!options.html.empty())
    CUPOLA_TRY(format::writeFile(
        options.html, htmlPage(std::filesystem::path(options.package).filename().string(), done.report.json)));
  return options.outputs.empty() ? Status::ok() : writeOutputs(options.outputs, executable->package(), done.outputs);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs a package that 'cupola compile' made. Needs no compiler.", "cupola-run");
  Options options;
  options.deviceOptions.warn = printWarning;
  options.deviceOptions.progress = showProgress;
  try {
    declare(app, options);
    app.parse(argc, argv);
    return flushOutput(printError(runPackage(options)));
  } catch (const CLI::Success &success) {
    return flushOutput(app.exit(success));
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "error: %s; see cupola-run --help\n", error.what());
    return static_cast<int>(Code::Usage);
  } catch (...) {
    return printError(currentException());
  }
}

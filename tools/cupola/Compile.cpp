//===- tools/cupola/Compile.cpp - cupola compile ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Tools/Latency.h"
#include "tools/cupola/Precision.h"

#include <chrono>
#include <cstdio>
#include <sys/stat.h>

namespace cupola::tool {

namespace {

struct CompileCommand {
  CompileFlags flags;
  std::string output, emit = "package", dumpCuda, json, calibration;
  std::optional<double> budget;
  Json precision;
  /// Not freed by run(): the worker ends with the command, and a large model's IR would take a tenth of the time to go.
  std::unique_ptr<compiler::Compilation> compilation;

  Status run() {
    if (budget && flags.given.precision == "fp32")
      flags.given.precision = "fp16";
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    if (!budget && !calibration.empty())
      return Status::usage("--calibrate gives the inputs of --fp16-budget, which is missing");
    if (emit == "package" && output.empty())
      return Status::usage("compile needs -o FILE.cupola, or --emit to print a phase");
    if (emit == "package" && dumpCuda.empty() && !budget)
      return compilePackage(options);
    CUPOLA_ASSIGN(compilation, compiler::Compilation::load(flags.model, options));
    compiler::Compilation &compiled = *compilation;
    if (budget)
      CUPOLA_TRY(holdBudget(compiled));
    if (emit != "package") {
      CUPOLA_ASSIGN(std::string text, compiled.emit(emit));
      runtime::clearProgress();
      if (output.empty())
        std::fwrite(text.data(), 1, text.size(), stdout);
      else
        CUPOLA_TRY(format::writeFile(output, text));
    } else {
      CUPOLA_TRY(compiled.writePackage(output));
    }
    if (!dumpCuda.empty())
      CUPOLA_TRY(compiled.dumpCuda(dumpCuda));
    return report(compiled.phases(), &compiled);
  }

  Status compilePackage(const compiler::Options &options) {
    const auto begin = std::chrono::steady_clock::now();
    const compiler::PackageTaker taker{[&](const std::string &path) -> Status {
                                         const auto file = format::PackageFile::open(path);
                                         return file.failed() ? Status::package(file.status().message())
                                                              : format::writeFile(output, (*file)->all());
                                       },
                                       [&](compiler::Compilation &compiled) { return compiled.writePackage(output); }};
    CUPOLA_ASSIGN(compilation, compiler::Compilation::compile(flags.model, options, taker));
    if (compilation)
      return report(compilation->phases(), compilation.get());
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
    return report({{"cache", ms.count()}}, nullptr);
  }

  /// Nodes go back to f32 until the outputs are right to the budget.
  Status holdBudget(compiler::Compilation &compiled) {
    CUPOLA_ASSIGN(auto inputs, sampleInputs(compiled, calibration, flags.pinned()));
    CUPOLA_ASSIGN(compiler::BudgetReport held, compiled.holdBudget(inputs, *budget));
    runtime::clearProgress();
    std::printf("%s: the outputs are off by %.3g, with %zu nodes in fp32 by %.3g (budget %.3g)\n",
                flags.given.precision.c_str(), held.errorBefore, held.kept.size(), held.errorAfter, *budget);
    printErrors(held.kept, held.kept.size());
    precision = {{"budget", *budget},
                 {"error_before", jsonOf(held.errorBefore)},
                 {"error_after", jsonOf(held.errorAfter)},
                 {"rounds", held.rounds},
                 {"kept", jsonOf(held.kept)}};
    return {};
  }

  /// `compiled`: null where the package was in the cache.
  Status report(const std::vector<std::pair<std::string, double>> &times, const compiler::Compilation *compiled) {
    Json phases = Json::object();
    double total = 0;
    for (const auto &[phase, ms] : times) {
      phases[phase] = ms;
      total += ms;
    }
    const uint64_t nvrtcCompiles = compiled ? compiled->nvrtcCompiles() : 0;
    const uint64_t llvmCompiles = compiled ? compiled->llvmCompiles() : 0;
    struct stat info{};
    if (emit == "package" && stat(output.c_str(), &info) == 0 && !runtime::isQuiet()) {
      runtime::clearProgress();
      std::printf("%s: %.1f MB, %s in %.2f s (%llu NVRTC, %llu LLVM)\n", output.c_str(),
                  static_cast<double>(info.st_size) / 1e6, compiled ? "compiled" : "from the cache", total / 1e3,
                  static_cast<unsigned long long>(nvrtcCompiles), static_cast<unsigned long long>(llvmCompiles));
    }
    return writeJson(json, {{"schema", "cupola.compile/1"},
                            {"compile_ms", phases},
                            {"precision", precision},
                            {"nvrtc_compiles", nvrtcCompiles},
                            {"llvm_compiles", llvmCompiles},
                            {"package_bytes", static_cast<uint64_t>(info.st_size)},
                            {"peak_rss_bytes", runtime::peakResidentBytes()}});
  }
};

} // namespace

std::function<int()> declareCompile(CLI::App &app) {
  auto command = std::make_shared<CompileCommand>();
  command->flags.declare(app, "MODEL.onnx");
  app.add_option("-o,--output", command->output, "The package to write");
  app.add_option("--emit", command->emit,
                 "Print a phase instead: graph, fused, kernel, plan (IR) or cuda (kernel source)")
      ->check(CLI::IsMember({"graph", "fused", "kernel", "plan", "cuda", "package"}))
      ->capture_default_str();
  app.add_option("--dump-cuda", command->dumpCuda, "Write the CUDA sources to this folder");
  app.add_option(
         "--fp16-budget", command->budget,
         "Largest error of an output, relative to its largest element, as 0.005: nodes whose 16 bits cost too much "
         "go back to fp32, by the error that each makes on sample inputs; implies --precision fp16")
      ->check(CLI::PositiveNumber);
  app.add_option("--calibrate", command->calibration,
                 "Sample inputs for --fp16-budget, an .npz file; without it random ones");
  app.add_option("--json", command->json, "Write a report to this file");
  return [command] { return runInWorker(command->flags, [&] { return finish(command->run()); }); };
}

} // namespace cupola::tool

//===- tools/cupola/Compile.cpp - cupola compile ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Tools/Latency.h"
#include "tools/cupola/Command.h"

#include <cstdio>
#include <sys/stat.h>

namespace cupola::tool {

namespace {

struct CompileCommand {
  CompileFlags flags;
  std::string output, emit = "package", dumpCuda, json;

  Status run() {
    Result<compiler::Options> options = flags.options();
    if (options.failed())
      return options.status();
    if (emit == "package" && output.empty())
      return Status::usage("compile needs -o FILE.cupola, or --emit to print a phase");
    // Never freed: the worker ends with this command, and a large model's IR would take a tenth of the time to go.
    static auto compilation = compiler::Compilation::load(flags.model, *options);
    if (compilation.failed())
      return compilation.status();
    compiler::Compilation &compiled = **compilation;
    if (emit != "package") {
      Result<std::string> text = compiled.emit(emit);
      if (text.failed())
        return text.status();
      runtime::clearProgress();
      if (output.empty())
        std::fwrite(text->data(), 1, text->size(), stdout);
      else
        CUPOLA_TRY(format::writeFile(output, *text));
    } else {
      CUPOLA_TRY(compiled.writePackage(output));
    }
    if (!dumpCuda.empty())
      CUPOLA_TRY(compiled.dumpCuda(dumpCuda));
    return report(compiled);
  }

  Status report(compiler::Compilation &compiled) {
    Json phases = Json::object();
    double total = 0;
    for (const auto &[phase, ms] : compiled.phases()) {
      phases[phase] = ms;
      total += ms;
    }
    struct stat info{};
    if (emit == "package" && stat(output.c_str(), &info) == 0) {
      runtime::clearProgress();
      std::printf("%s: %.1f MB, compiled in %.2f s (%llu NVRTC, %llu LLVM)\n", output.c_str(),
                  static_cast<double>(info.st_size) / 1e6, total / 1e3,
                  static_cast<unsigned long long>(compiled.nvrtcCompiles()),
                  static_cast<unsigned long long>(compiled.llvmCompiles()));
    }
    return writeJson(json, {{"schema", "cupola.compile/1"},
                            {"compile_ms", phases},
                            {"nvrtc_compiles", compiled.nvrtcCompiles()},
                            {"llvm_compiles", compiled.llvmCompiles()},
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
  app.add_option("--json", command->json, "Write a report to this file");
  return [command] { return runInWorker(command->flags, [&] { return finish(command->run()); }); };
}

} // namespace cupola::tool

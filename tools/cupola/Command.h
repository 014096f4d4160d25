//===- tools/cupola/Command.h - what the subcommands share ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TOOLS_CUPOLA_COMMAND_H
#define CUPOLA_TOOLS_CUPOLA_COMMAND_H

#include "lib/Compiler/Compilation.h"
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Executable.h"
#include "lib/Runtime/Tools/Inputs.h"
#include "lib/Runtime/Tools/Progress.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace cupola::tool {

using Json = nlohmann::ordered_json;

/// Options of everything that compiles.
struct CompileFlags {
  std::string model;
  compiler::Options given; ///< what is taken as it is; options() adds the others
  std::vector<std::string> shapes, dims, sets, sequences, aliases, limits;
  std::string libraries = "auto";
  unsigned threads = 0;     ///< 0: one per core
  uint64_t deadline = 1800; ///< seconds
  uint64_t memory = 0;      ///< MiB of address space for the compiler; 0: no limit

  /// `what`: the positional argument, "MODEL.onnx" or "MODEL.onnx|FILE.cupola".
  void declare(CLI::App &app, const std::string &what, bool withTargets = true);
  Result<compiler::Options> options() const;
  unsigned threadCount() const;         ///< at least one
  runtime::PinnedInputs pinned() const; ///< the --set options, once options() found them right
  bool isPackage() const;               ///< the file begins like a package
};

/// Options of everything that runs.
struct DeviceFlags {
  std::string device = "auto";
  runtime::DeviceOptions options;
  /// `withReference`: lib/Reference, which is no device, may be named in a device's place.
  void declare(CLI::App &app, bool withReference = false);
};

/// One subcommand: declares itself on `app` and returns what to do.
struct Command {
  const char *name, *summary;
  std::function<int()> (*declare)(CLI::App &app);
};

// One file each.
std::function<int()> declareCompile(CLI::App &app);
std::function<int()> declareRun(CLI::App &app);
std::function<int()> declareBench(CLI::App &app);
std::function<int()> declareVerify(CLI::App &app);
std::function<int()> declareCheck(CLI::App &app);
std::function<int()> declareExplain(CLI::App &app);
std::function<int()> declareInspect(CLI::App &app);
std::function<int()> declareTune(CLI::App &app);
std::function<int()> declareDoctor(CLI::App &app);
std::function<int()> declareCompletion(CLI::App &app);
std::function<int()> declareManual(CLI::App &app);

/// Of an option NAME=NUMBER.
Result<std::pair<std::string, int64_t>> namedNumber(const std::string &text);

/// Prints the error, if it is one, a line "error: .." each, and returns the exit code.
int finish(const Status &status);

/// Writes the JSON of a report to `path` if there is one.
Status writeReport(const std::string &path, const std::string &json);
Status writeJson(const std::string &path, const Json &json);

/// Where a command that has a page writes its report; either may be empty.
struct ReportFiles {
  std::string json, html;

  /// --json and --html, which is returned.
  CLI::Option *declare(CLI::App &app);
  bool isAsked() const { return !json.empty() || !html.empty(); }
  /// `model`: what the page is about, for its title.
  Status write(const Json &report, const std::string &model) const;
};

/// What a compilation for one device needs besides the flags.
Status chooseForDevice(const DeviceFlags &device, compiler::Options &options);

/// What a compilation in a worker left behind.
struct Compiled {
  std::shared_ptr<const format::PackageFile> file;
  Json compileMs = Json::object();
  uint64_t nvrtcCompiles = 0, llvmCompiles = 0;
  runtime::PinnedInputs pinned;  ///< inputs that got their value from compiler::Options::given
  Json sources = Json::object(); ///< the text of each kernel, where they were asked for and a model was compiled

  /// Gives `explain` of a report the sources that the package does not have.
  void addSources(Json &report) const;
};

/// The package of FILE.cupola, or of MODEL.onnx compiled, in a worker, for the device.
Result<Compiled> obtainPackage(const CompileFlags &flags, const DeviceFlags &device, bool withSources);

/// A package on its device.
Result<std::shared_ptr<const runtime::Executable>> loadOnDevice(const CompileFlags &flags, const DeviceFlags &device,
                                                                std::shared_ptr<const format::PackageFile> file);

/// An executable on its device, and the inputs from --inputs, or --seed and --shape.
struct Ready {
  Compiled compiled;
  std::shared_ptr<const runtime::Executable> executable;
};
Result<Ready> makeReady(const CompileFlags &flags, const DeviceFlags &device, bool withSources);

/// Runs `work` in a child process with the limits of `flags`; what it returns is the
/// exit code. A child that crashes, hangs or takes too much memory becomes an error
/// message, never a crash of the caller.
int runInWorker(const CompileFlags &flags, const std::function<int()> &work);

/// The same for work that hands bytes over: `bytes` is what it wrote into its argument.
int collectFromWorker(const CompileFlags &flags, std::string &bytes, const std::function<Status(std::string &)> &work);

/// The same for work that may well fail: nothing is printed. How a child ends without an exit code is an error, too.
Result<std::string> tryInWorker(const CompileFlags &flags, const std::function<Result<std::string>()> &work);

} // namespace cupola::tool

#endif // CUPOLA_TOOLS_CUPOLA_COMMAND_H

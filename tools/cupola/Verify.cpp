//===- tools/cupola/Verify.cpp - cupola verify ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Text.h"
#include "lib/Runtime/Tools/Latency.h"
#include "lib/Runtime/Tools/Verification.h"
#include "tools/cupola/Precision.h"
#include "tools/cupola/Reduce.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

namespace cupola::tool {

namespace {

struct VerifyCommand {
  CompileFlags flags;
  DeviceFlags device;
  ReportFiles files;
  std::string casePath, reducedPath;
  std::string again; ///< the options given that a part of the model is verified with, too
  uint64_t seed = 0;
  std::optional<double> chosenTolerance;
  bool blame = false;
  double tolerance = 5e-5;
  std::vector<npz::Array> caseInputs, caseOutputs;
  Json report;

  /// Splits the arrays of --case into inputs (in:NAME) and references (out:NAME).
  Status readCase() {
    if (casePath.empty())
      return {};
    CUPOLA_ASSIGN(std::vector<npz::Array> arrays, npz::read(casePath));
    for (npz::Array &array : arrays) {
      bool isInput = array.name.rfind("in:", 0) == 0, isOutput = array.name.rfind("out:", 0) == 0;
      if (!isInput && !isOutput)
        return Status::usage(casePath + ": array '" + array.name + "' is called neither in:NAME nor out:NAME");
      array.name.erase(0, isInput ? 3 : 4);
      if (isOutput && array.name.size() > 2 && array.name.compare(array.name.size() - 2, 2, "[]") == 0)
        array = {array.name, format::DType::Bool, {0}, {}}; // an empty sequence, whatever the file has of it
      (isInput ? caseInputs : caseOutputs).push_back(std::move(array));
    }
    if (caseOutputs.empty())
      return Status::usage(casePath + ": nothing to compare: there is no array out:NAME, the reference of an output");
    flags.given.given = compiler::givenInputs(caseInputs);
    return runtime::takePinned(flags.pinned(), caseInputs).within(casePath);
  }

  /// What the inputs decided holds for all further compilations.
  Status takeDecided(const runtime::PinnedInputs &pinned) {
    for (const auto &[name, value] : pinned)
      flags.sets.push_back(name + "=" + value);
    return runtime::takePinned(pinned, caseInputs).within(casePath);
  }

  Result<std::vector<runtime::HostTensor>> makeInputs(const runtime::Executable &executable) {
    if (!casePath.empty())
      return runtime::inputsFromArrays(executable.package(), caseInputs);
    runtime::InputOptions options;
    options.seed = seed;
    if (flags.isPackage())
      options.shapes = flags.shapes;
    return runtime::makeInputs(executable.package(), executable.parsedInterface(), options);
  }

  /// The outputs by lib/Reference, in a worker like everything that reads the model.
  Result<std::vector<npz::Array>> reference(const std::vector<npz::Array> &inputs) {
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    options.targets = {"cpu"};
    std::string bytes;
    int code = collectFromWorker(flags, bytes, [&](std::string &out) -> Status {
      CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(flags.model, options));
      CUPOLA_ASSIGN(std::vector<npz::Array> outputs, compilation->reference(inputs));
      CUPOLA_ASSIGN(out, npz::serialize(outputs));
      return {};
    });
    if (code != 0)
      return Status(static_cast<Code>(code), "");
    return npz::parse(bytes);
  }

  /// What 16 bits cost, node by node.
  Status printBlame(const std::vector<npz::Array> &inputs) {
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    options.targets = {"cpu"};
    std::string bytes;
    const int code = collectFromWorker(flags, bytes, [&](std::string &out) -> Status {
      CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(flags.model, options));
      CUPOLA_ASSIGN(const compiler::PrecisionReport found, compilation->blame(inputs));
      out = Json{{"output_error", jsonOf(found.outputError)}, {"nodes", jsonOf(found.nodes)}}.dump(
          -1, ' ', true, Json::error_handler_t::replace);
      return {};
    });
    if (code != 0)
      return Status(static_cast<Code>(code), "");
    report["blame"] = Json::parse(bytes);
    runtime::clearProgress();
    std::printf("what %s costs, the worst first:\n", flags.given.precision.c_str());
    printErrors(errorsOf(report["blame"]["nodes"]), 20);
    return {};
  }

  /// The verdict, and the report whatever it is.
  Result<bool> run() {
    tolerance = chosenTolerance.value_or(tolerance);
    report = {{"schema", "cupola.verify/1"}, {"outputs", Json::array()}};
    CUPOLA_TRY(checkReduce());
    Result<bool> pass = verify();
    if (!reducedPath.empty())
      CUPOLA_TRY(reduce(pass));
    report["tolerance"] = tolerance;
    report["peak_rss_bytes"] = runtime::peakResidentBytes();
    if (pass.isOk())
      CUPOLA_TRY(files.write(report, flags.model));
    return pass;
  }

  Status checkReduce() const {
    if (!reducedPath.empty() && (flags.isPackage() || device.device == "reference"))
      return Status::usage("--reduce cuts a model: it needs MODEL.onnx, not a package, and a device");
    if (!reducedPath.empty() && std::filesystem::path(reducedPath).extension() != ".onnx")
      return Status::usage("--reduce writes a model and an .npz beside it: '" + reducedPath +
                           "' does not end in .onnx");
    return {};
  }

  /// After a difference or an error of the compiler or the device.
  Status reduce(const Result<bool> &pass) {
    if (pass.failed() && (pass.status().code() == Code::Usage || pass.status().code() == Code::Cancelled))
      return pass.status();
    if (pass.isOk() && *pass) {
      std::printf("nothing to reduce: nothing differs; nothing was written\n");
      return {};
    }
    if (pass.failed() && !pass.status().message().empty())
      finish(pass.status());
    Result<Json> reduction = reduceModel({flags, device, tolerance, caseInputs, seed, reducedPath, again});
    if (pass.failed() && reduction.failed() && reduction.status().code() == pass.status().code()) {
      std::printf("nothing to reduce: the model cannot be computed op by op; nothing was written\n");
      return Status(pass.status().code(), ""); // which has been told
    }
    CUPOLA_ASSIGN(report["reduction"], std::move(reduction));
    return pass.failed() ? Status(pass.status().code(), "") : Status::ok();
  }

  Result<bool> verify() {
    CUPOLA_TRY(readCase());
    if (flags.isPackage() && casePath.empty())
      return Status::usage("a package has no reference: give --case F.npz, or the model");
    if (blame && (flags.isPackage() || flags.given.precision == "fp32" || device.device == "reference"))
      return Status::usage(
          "--blame says what 16 bits cost: it needs MODEL.onnx, --precision fp16 or bf16, and a device");
    if (flags.isPackage() && flags.given.kernelResults)
      return Status::usage("--per-node compiles the model once more: give the model, not a package");
    if (device.device == "reference")
      return runReference();
    const bool hasCase = !casePath.empty();
    CUPOLA_ASSIGN(Ready ready, makeReady(flags, device, !files.html.empty()));
    CUPOLA_TRY(takeDecided(ready.compiled.pinned));
    const format::Package &package = ready.executable->package();
    tolerance = chosenTolerance.value_or(runtime::usualTolerance(package));
    CUPOLA_ASSIGN(auto inputs, makeInputs(*ready.executable));
    const std::vector<npz::Array> in = runtime::named(package.inputs, inputs);
    if (!hasCase) {
      CUPOLA_ASSIGN(caseOutputs, reference(in));
    }
    CUPOLA_ASSIGN(const std::vector<npz::Array> computed, runtime::runPoisoned(ready.executable, inputs));
    const std::vector<npz::Array> &out = computed, none;
    Result<bool> pass = judge(out);
    if (pass.isOk() && !*pass)
      noteRounding(package);
    if (blame && pass.isOk())
      CUPOLA_TRY(printBlame(in));
    if (flags.given.kernelResults && pass.isOk()) {
      Result<bool> kernels = judgeKernels(*ready.executable, in, out, hasCase ? caseOutputs : none);
      ready.compiled.addSources(report);
      pass = kernels.failed() ? std::move(kernels) : Result<bool>(*pass && *kernels);
    }
    return pass;
  }

  /// Reads the model, so in a worker.
  Result<compiler::Diagnosis> diagnose(const format::Variant &variant, const std::vector<npz::Array> &inputs) {
    CUPOLA_ASSIGN(compiler::Options options, flags.options());
    options.targets = {variant.target};
    std::string bytes;
    const int code = collectFromWorker(flags, bytes, [&](std::string &out) -> Status {
      CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(flags.model, options));
      CUPOLA_ASSIGN(const auto diagnosis, compilation->diagnose(inputs, variant.target, variant.arch, tolerance));
      CUPOLA_ASSIGN(std::string packed, runtime::serialize(diagnosis));
      out = std::move(packed);
      return {};
    });
    if (code != 0)
      return Status(static_cast<Code>(code), "");
    return runtime::parseDiagnosis(bytes);
  }

  Result<bool> judgeKernels(const runtime::Executable &executable, const std::vector<npz::Array> &inputs,
                            const std::vector<npz::Array> &outputs, const std::vector<npz::Array> &references) {
    CUPOLA_ASSIGN(const compiler::Diagnosis diagnosis, diagnose(executable.variant(), inputs));
    CUPOLA_ASSIGN(const auto comparison,
                  runtime::compareKernels(executable, outputs, references, diagnosis, tolerance));
    runtime::clearProgress();
    std::fputs(comparison.report.text.c_str(), stdout);
    report.update(Json::parse(comparison.report.json));
    return comparison.pass;
  }

  /// lib/Reference itself against a case.
  Result<bool> runReference() {
    if (flags.given.kernelResults)
      return Status::usage("--per-node is about kernels: --device reference has none");
    if (casePath.empty() || flags.isPackage())
      return Status::usage("--device reference computes a model op by op: it needs MODEL.onnx and "
                           "--case F.npz to be compared with");
    CUPOLA_ASSIGN(std::vector<npz::Array> outputs, reference(caseInputs));
    return judge(outputs);
  }

  /// What a difference may come of that nobody's kernel is to blame for.
  static void noteRounding(const format::Package &package) {
    const auto isDynamic = [](const format::Node &node) { return node.op.rfind("DynamicQuantize", 0) == 0; };
    const auto node = std::find_if(package.nodes.begin(), package.nodes.end(), isDynamic);
    if (node != package.nodes.end())
      std::printf("note: node %s (%s) finds its scale in what it is given and rounds to 8 bits: where a number lies "
                  "halfway, the last bit of a float decides a whole step, in any runtime. Several references, of "
                  "different threads or optimisations, show how far that carries; --per-node where it begins\n",
                  runtime::quote(node->name).c_str(), node->op.c_str());
  }

  Result<bool> judge(const std::vector<npz::Array> &outputs) {
    CUPOLA_ASSIGN(const auto comparison, runtime::compareOutputs(outputs, caseOutputs, tolerance, casePath));
    const runtime::Report told = comparison.report();
    runtime::clearProgress();
    std::fputs(told.text.c_str(), stdout);
    report["outputs"] = Json::parse(told.json)["outputs"];
    return comparison.pass;
  }
};

/// What was given but for the model, its shapes and inputs, and what is written.
std::string optionsAgain(const CLI::App &app) {
  static const std::set<std::string> notOfParts = {"--alias", "--blame",    "--case", "--dim",      "--dump-ir",
                                                   "--html",  "--io",       "--json", "--per-node", "--reduce",
                                                   "--seed",  "--sequence", "--set",  "--shape",    "--tol"};
  std::string text;
  for (const CLI::Option *option : app.get_options()) {
    if (option->count() == 0 || option->get_positional() || notOfParts.count(option->get_name()))
      continue;
    if (option->get_expected_max() == 0)
      text += " " + option->get_name();
    else
      for (const std::string &value : option->results())
        text += " " + option->get_name() + " " + shellWord(value);
  }
  return text;
}

} // namespace

std::function<int()> declareVerify(CLI::App &app) {
  auto command = std::make_shared<VerifyCommand>();
  command->flags.declare(app, "MODEL.onnx|FILE.cupola", /*withTargets=*/false);
  command->device.declare(app, /*withReference=*/true);
  app.add_option("--case", command->casePath,
                 "Inputs and references: an .npz file with arrays in:NAME and out:NAME; without it "
                 "the model is computed op by op, unfused");
  app.add_option("--tol", command->chosenTolerance,
                 "Floats pass when |a - b| <= T * max|b| + T * |b|, T being this (default: 5e-5; 5e-3 for a model with "
                 "float16, 4e-2 with bfloat16, 5e-2 where rows are rounded to int8, a unit in the last place of "
                 "outputs of 4 or 8 bits)");
  app.add_flag("--per-node", command->flags.given.kernelResults,
               "Compare what every kernel computes, not only the outputs, and name the first that differs");
  app.add_flag("--blame", command->blame,
               "With --precision: name the nodes whose 16 bits cost most, by the error of each on exact operands");
  app.add_option("--seed", command->seed, "Without --case: of the inputs");
  app.add_option("--reduce", command->reducedPath,
                 "Of a model that fails: write the few nodes that still fail as a model to this file, OUT.onnx, their "
                 "inputs and references to OUT.npz, and print the command that replays it");
  command->files.declare(app);
  return [command, &app] {
    command->again = optionsAgain(app);
    Result<bool> result = command->run();
    if (result.failed())
      return finish(result.status());
    return static_cast<int>(*result ? Code::Ok : Code::Finding);
  };
}

} // namespace cupola::tool

//===- tools/cupola/Reduce.cpp - verify --reduce ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The reference gives every value of the model, so that any nodes of it are a model with known inputs and outputs.
// Whatever such a model does to the compiler happens in a worker.

#include "tools/cupola/Reduce.h"

#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Text.h"
#include "lib/Runtime/Tools/Reduction.h"
#include "lib/Runtime/Tools/Verification.h"

#include <cstdio>
#include <filesystem>

namespace cupola::tool {

namespace {

/// What became of some nodes as a model of their own.
struct Attempt {
  std::string failure; ///< "difference", "compile error 70", "run error 6"; "": it agrees with the reference
  std::string what;    ///< of an error
  std::string onnx;
  std::vector<npz::Array> inputs, references;
};

constexpr const char *kPartName = "part.onnx";

class Reducer {
public:
  explicit Reducer(ReduceRequest given) : request(std::move(given)), quiet(request.flags) {
    quiet.shapes.clear(), quiet.dims.clear(), quiet.sets.clear(), quiet.aliases.clear();
    quiet.sequences.clear();
    quiet.given.given.reset(); // the inputs are the model's
    quiet.given.dumpIrDir.clear();
    quiet.given.io.clear(); // the values are the reference's
    quiet.given.progress = nullptr;
    quiet.given.warn = nullptr;
    quiet.given.kernelResults = false;
  }

  Result<Json> run() {
    CUPOLA_TRY(compute());
    const std::vector<uint32_t> all = indices();
    smallest = all.size();
    CUPOLA_ASSIGN(best, attempt(all));
    runtime::clearProgress();
    if (best.onnx.empty())
      return Status::unsupported("the model cannot be reduced: " + best.what);
    if (best.failure == "compile error 2" || best.failure == "run error 2") // not the model's
      return Status::usage(best.what);
    if (best.failure.empty()) {
      std::printf("nothing to reduce: computed op by op, the model gives the same; nothing was written\n");
      return Json();
    }
    CUPOLA_ASSIGN(const auto kept, runtime::reduceNodes(all, [&](const auto &part) { return fails(part); }));
    runtime::clearProgress();
    return write(kept);
  }

private:
  std::vector<uint32_t> indices() const {
    std::vector<uint32_t> result;
    for (const compiler::ModelNode &node : nodes)
      result.push_back(node.index);
    return result;
  }

  /// The nodes and, by lib/Reference, every value.
  Status compute() {
    runtime::showProgress("computing every value");
    CUPOLA_ASSIGN(compiler::Options options, request.flags.options());
    options.targets = {"cpu"};
    options.everyValue = true;
    options.progress = nullptr;
    CUPOLA_ASSIGN(const std::string bytes, tryInWorker(request.flags, [&] { return computeHere(options); }));
    const size_t line = bytes.find('\n');
    for (const Json &node : Json::parse(bytes.substr(0, line)))
      nodes.push_back({node[0], node[1], node[2]});
    CUPOLA_ASSIGN(values, npz::parse(std::string_view(bytes).substr(line + 1)));
    return {};
  }

  Result<std::string> computeHere(const compiler::Options &options) {
    CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(request.flags.model, options));
    CUPOLA_ASSIGN(const auto inputs, inputsOf(*compilation));
    CUPOLA_ASSIGN(const auto every, compilation->reference(inputs));
    CUPOLA_ASSIGN(const std::string archive, npz::serialize(every));
    Json list = Json::array();
    for (const compiler::ModelNode &node : compilation->nodes())
      list.push_back(Json::array({node.index, node.name, node.op}));
    return lineOf(list) + archive;
  }

  static std::string lineOf(const Json &json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  }

  std::vector<npz::Array> valuesOf(const std::vector<std::string> &names) const {
    std::vector<npz::Array> chosen;
    for (const std::string &name : names)
      for (const npz::Array &value : values)
        if (value.name == name)
          chosen.push_back(value);
    return chosen;
  }

  Result<std::vector<npz::Array>> inputsOf(const compiler::Compilation &compilation) {
    if (!request.inputs.empty())
      return std::move(request.inputs);
    const format::Package package = compilation.interface();
    CUPOLA_ASSIGN(const runtime::ParsedInterface parsed, runtime::parseInterface(package));
    runtime::InputOptions options;
    options.seed = request.seed;
    CUPOLA_ASSIGN(const auto inputs, runtime::makeInputs(package, parsed, options));
    return runtime::named(package.inputs, inputs);
  }

  Result<bool> fails(const std::vector<uint32_t> &part) {
    runtime::showProgress("reducing " + std::to_string(nodes.size()) + " nodes: try " + std::to_string(tries + 1) +
                          " with " + std::to_string(part.size()) + " of " + std::to_string(smallest));
    CUPOLA_ASSIGN(Attempt made, attempt(part));
    if (made.failure != best.failure)
      return false;
    best = std::move(made);
    smallest = part.size();
    return true;
  }

  /// An error: what has to end the search.
  Result<Attempt> attempt(const std::vector<uint32_t> &part) {
    ++tries;
    Attempt made;
    if (const Status status = cut(part, made); status.failed()) {
      CUPOLA_TRY(noteError(status, "cut", made));
      return made;
    }
    const Result<std::string> package = tryInWorker(quiet, [&] { return compile(made.onnx); });
    CUPOLA_TRY(package.failed() ? noteError(package.status(), "compile", made) : execute(*package, made));
    return made;
  }

  Status cut(const std::vector<uint32_t> &part, Attempt &made) const {
    CUPOLA_ASSIGN(const std::string bytes, tryInWorker(quiet, [&]() -> Result<std::string> {
                    CUPOLA_ASSIGN(const compiler::Options options, request.flags.options());
                    CUPOLA_ASSIGN(const auto cut,
                                  compiler::Compilation::part(request.flags.model, options, part, values));
                    return lineOf(Json::array({cut.inputs, cut.outputs})) + cut.onnx;
                  }));
    const size_t line = bytes.find('\n');
    const Json names = Json::parse(bytes.substr(0, line));
    made.onnx = bytes.substr(line + 1);
    made.inputs = valuesOf(names[0]);
    made.references = valuesOf(names[1]);
    return {};
  }

  Result<std::string> compile(const std::string &onnx) const {
    CUPOLA_ASSIGN(compiler::Options options, quiet.options());
    CUPOLA_TRY(chooseForDevice(request.device, options));
    CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load({onnx, kPartName}, options));
    return compilation->package();
  }

  Status execute(const std::string &package, Attempt &made) const {
    CUPOLA_ASSIGN(auto file, format::PackageFile::fromMemory(package));
    const Result<bool> agrees = runs(std::move(file), made);
    if (agrees.failed())
      return noteError(agrees.status(), "run", made);
    made.failure = *agrees ? "" : "difference";
    return {};
  }

  Result<bool> runs(std::shared_ptr<const format::PackageFile> file, const Attempt &made) const {
    CUPOLA_ASSIGN(auto executable, loadOnDevice(quiet, request.device, std::move(file)));
    CUPOLA_ASSIGN(auto inputs, runtime::inputsFromArrays(executable->package(), made.inputs));
    CUPOLA_ASSIGN(const auto outputs, runtime::runPoisoned(executable, inputs));
    CUPOLA_ASSIGN(const auto comparison,
                  runtime::compareOutputs(outputs, made.references, request.tolerance, kPartName));
    return comparison.pass;
  }

  /// Errors of one kind are one failure: their texts name nodes.
  static Status noteError(const Status &status, const std::string &stage, Attempt &made) {
    if (status.code() == Code::Cancelled)
      return status;
    made.failure = stage + " error " + std::to_string(static_cast<int>(status.code()));
    made.what = status.message();
    return {};
  }

  std::string describe(uint32_t index) const {
    for (const compiler::ModelNode &node : nodes)
      if (node.index == index)
        return (node.name.empty() ? "#" + std::to_string(index) : runtime::quote(node.name)) + " (" + node.op + ")";
    return "";
  }

  /// A case of the part: the replay needs no reference of its own.
  Status writeFiles(const std::string &casePath) {
    std::vector<npz::Array> arrays;
    for (auto [prefix, list] : {std::pair("in:", &best.inputs), std::pair("out:", &best.references)})
      for (npz::Array &array : *list) {
        arrays.push_back(std::move(array));
        arrays.back().name.insert(0, prefix);
      }
    CUPOLA_TRY(format::writeFile(request.path, best.onnx));
    return npz::write(casePath, arrays);
  }

  Result<Json> write(const std::vector<uint32_t> &kept) {
    const std::string casePath = std::filesystem::path(request.path).replace_extension(".npz").string();
    CUPOLA_TRY(writeFiles(casePath));
    char tolerance[32];
    std::snprintf(tolerance, sizeof tolerance, "%g", request.tolerance);
    const std::string command = "cupola verify " + shellWord(request.path) + " --case " + shellWord(casePath) +
                                " --tol " + tolerance + request.again;
    Json list = Json::array();
    std::printf("reduced %zu nodes to %zu, in %zu tries; %s:\n", nodes.size(), kept.size(), tries,
                best.failure.c_str());
    for (uint32_t index : kept) {
      list.push_back(describe(index));
      std::printf("  %s\n", describe(index).c_str());
    }
    if (!best.what.empty())
      std::printf("  %s\n", best.what.c_str());
    std::printf("replay: %s\n", command.c_str());
    return Json{{"failure", best.failure}, {"nodes", list},    {"of", nodes.size()}, {"tries", tries},
                {"model", request.path},   {"case", casePath}, {"replay", command}};
  }

  ReduceRequest request;
  CompileFlags quiet; ///< of parts, whose shapes are fixed
  std::vector<compiler::ModelNode> nodes;
  std::vector<npz::Array> values;
  Attempt best; ///< of the fewest nodes that fail so far
  size_t tries = 0, smallest = 0;
};

} // namespace

std::string shellWord(const std::string &word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:") ==
          std::string::npos &&
      !word.empty())
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Result<Json> reduceModel(ReduceRequest request) { return Reducer(std::move(request)).run(); }

} // namespace cupola::tool

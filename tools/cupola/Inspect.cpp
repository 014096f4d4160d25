//===- tools/cupola/Inspect.cpp - cupola inspect ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/Bodies.h"
#include "lib/Runtime/Format/Libraries.h"
#include "lib/Runtime/Format/LibraryCosts.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Format/PackageFile.h"
#include "lib/Runtime/Text.h"
#include "tools/cupola/Command.h"

#include <cstdio>
#include <filesystem>
#include <map>

namespace cupola::tool {

namespace {

std::string typeText(const format::Tensor &tensor) {
  std::string text = std::string(format::dtypeName(tensor.dtype)) + "[";
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    text += (i ? ", " : "") + tensor.dims[i];
  return text + "]";
}

struct InspectCommand {
  std::string path, extract, json;

  Status run() {
    CUPOLA_ASSIGN(auto file, format::PackageFile::open(path));
    const format::Package &package = file->package();
    print(package, file->bytes());
    if (!extract.empty())
      CUPOLA_TRY(extractTo(package));
    for (const format::Report &report : package.reports)
      if (report.name == "explain")
        return writeJson(json, Json::parse(report.json));
    return writeJson(json, Json::object());
  }

  void print(const format::Package &package, uint64_t bytes) {
    std::printf("%s: package format %u by %s, %llu bytes, %zu weights\n", path.c_str(), package.format,
                package.producer.c_str(), static_cast<unsigned long long>(bytes), package.weights.size());
    for (const format::Tensor &tensor : package.inputs)
      std::printf("  input  %-24s %s\n", runtime::quote(tensor.name).c_str(), typeText(tensor).c_str());
    for (const format::Tensor &tensor : package.outputs) {
      std::string place;
      if (tensor.memoryOf != 0)
        place = " in the memory of " + runtime::quote(package.inputs[tensor.memoryOf - 1].name);
      std::printf("  output %-24s %s%s\n", runtime::quote(tensor.name).c_str(), typeText(tensor).c_str(),
                  place.c_str());
    }
    for (const format::Symbol &symbol : package.symbols)
      std::printf("  symbol %s %s from %lld to %s%s\n", symbol.id.c_str(), runtime::quote(symbol.name).c_str(),
                  static_cast<long long>(symbol.min), symbol.max ? std::to_string(symbol.max).c_str() : "any size",
                  symbol.run ? ", found in a run" : "");
    for (const format::Variant &variant : package.variants) {
      std::printf("  variant %s %s: %zu steps, %zu kernels, %zu sources", variant.target.c_str(), variant.arch.c_str(),
                  format::stepCount(variant.program), variant.program.kernels.size(), variant.sources.size());
      for (const format::Binary &binary : variant.binaries)
        std::printf(", %s (%zu bytes)", binary.arch.c_str(), binary.image.size());
      printLibraries(variant);
      printLaunches(variant.program);
      std::printf("\n");
      printBodies(variant.program);
    }
  }

  static void printLibraries(const format::Variant &variant) {
    size_t described = 0, gaining = 0;
    const format::Library *library = nullptr;
    format::forEachStep(variant.program, [&](const format::Body &, const format::Step &step, uint32_t) {
      if (!step.launch.call)
        return;
      ++described;
      library = &format::libraryOf(step.launch.call.kind);
      gaining += library->isMeasured && format::mostThreads(step.launch.call, format::measuredOneDnn, variant.arch) > 0;
    });
    if (!library)
      return;
    std::printf(", %s's form of %zu steps", std::string(library->title).c_str(), described);
    if (library->isMeasured)
      std::printf(" (%zu gain by it)", gaining);
  }

  static void printLaunches(const format::Program &program) {
    std::map<std::string, size_t> forms;
    format::forEachStep(program, [&](const format::Body &, const format::Step &step, uint32_t) {
      if (step.kind == format::Step::LaunchStep)
        ++forms[format::launchText(program.kernels[step.launch.kernel], step.launch, step.launch.grid)];
    });
    forms.erase("");
    for (const auto &[form, count] : forms)
      std::printf("\n    %zu launches with %s", count, form.c_str());
  }

  /// A line for each body, with the step that enters it. Steps are numbered through.
  static void printBodies(const format::Program &program) {
    std::vector<std::string> entered(program.bodies.size());
    format::forEachStep(program, [&](const format::Body &, const format::Step &step, uint32_t number) {
      for (uint32_t body : format::bodiesOf(step))
        entered[body] = std::string(format::stepKindName(step.kind)) + " of step " + std::to_string(number);
    });
    size_t number = program.steps.size();
    for (size_t i = 0; i < program.bodies.size(); ++i) {
      std::printf("    body %zu: %zu steps from step %zu on, %s\n", i, program.bodies[i].steps.size(), number,
                  entered[i].c_str());
      number += program.bodies[i].steps.size();
    }
  }

  /// File names are numbers and names of our own: nothing of the model is in them.
  Status extractTo(const format::Package &package) {
    std::error_code error;
    for (const format::Variant &variant : package.variants) {
      std::filesystem::path folder = std::filesystem::path(extract) / (variant.target + "-" + variant.arch);
      std::filesystem::create_directories(folder, error);
      if (error)
        return Status::io("cannot make the folder '" + folder.string() + "': " + error.message());
      for (const format::Source &source : variant.sources)
        CUPOLA_TRY(format::writeFile((folder / source.name).string(), source.text));
      if (!variant.sources.empty())
        for (const format::Source &header : package.headers)
          CUPOLA_TRY(format::writeFile((folder / header.name).string(), header.text));
      for (size_t i = 0; i < variant.binaries.size(); ++i) {
        std::string name =
            "m" + std::to_string(i) + "." + variant.binaries[i].arch + (variant.target == "cuda" ? ".cubin" : ".so");
        CUPOLA_TRY(format::writeFile((folder / name).string(), variant.binaries[i].image));
      }
    }
    return {};
  }
};

} // namespace

std::function<int()> declareInspect(CLI::App &app) {
  auto command = std::make_shared<InspectCommand>();
  app.add_option("FILE.cupola", command->path, "The package")->required();
  app.add_option("--extract", command->extract, "Write sources and binaries to this folder");
  app.add_option("--json", command->json, "Write what the compiler recorded (as explain) to this file");
  return [command] { return finish(command->run()); };
}

} // namespace cupola::tool

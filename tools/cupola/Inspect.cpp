//===- tools/cupola/Inspect.cpp - cupola inspect ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Tools/Inspection.h"
#include "tools/cupola/Command.h"

#include <cstdio>
#include <filesystem>

namespace cupola::tool {

namespace {

struct InspectCommand {
  std::string path, extract, json;

  Status run() {
    CUPOLA_ASSIGN(auto file, format::PackageFile::open(path));
    const runtime::Report report = runtime::inspectPackage(*file, path);
    std::fputs(report.text.c_str(), stdout);
    if (!extract.empty())
      CUPOLA_TRY(extractTo(file->package()));
    return writeReport(json, report.json);
  }

  /// File names are numbers and names of our own: nothing of the model is in them.
  Status extractTo(const format::Package &package) {
    std::error_code error;
    for (const format::Variant &variant : package.variants) {
      std::filesystem::path folder = std::filesystem::path(extract) / (variant.target + "-" + folderOf(variant));
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
  app.add_option("--json", command->json, "Write a report to this file, with what the compiler recorded (as explain)");
  return [command] { return finish(command->run()); };
}

} // namespace cupola::tool

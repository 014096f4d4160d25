//===- tools/cupola/Common.cpp - messages, packages for devices ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/CPU/CpuFeatures.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Page/Page.h"
#include "lib/Runtime/Tools/Errors.h"
#include "tools/cupola/Command.h"

#include <chrono>
#include <filesystem>

namespace cupola::tool {

int finish(const Status &status) { return runtime::printError(status); }

Status writeReport(const std::string &path, const std::string &json) {
  return path.empty() ? Status::ok() : format::writeFile(path, json);
}

Status writeJson(const std::string &path, const Json &json) {
  return writeReport(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

CLI::Option *ReportFiles::declare(CLI::App &app) {
  app.add_option("--json", json, "Write a report to this file");
  return app.add_option("--html", html,
                        "Write the report to this file as a page of a browser, which asks for no other file");
}

Status ReportFiles::write(const Json &report, const std::string &model) const {
  if (!isAsked())
    return {};
  const std::string text = report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  CUPOLA_TRY(writeReport(json, text));
  const std::string name = std::filesystem::path(model).filename().string();
  return html.empty() ? Status::ok() : format::writeFile(html, runtime::htmlPage(name, text));
}

bool CompileFlags::isPackage() const { return format::isPackageFile(model); }

/// The highest level that this machine has, else the lowest of all.
static std::string bestLevel() {
  std::string_view best = kCpuArchitectures[0].name;
  for (const CpuArchitecture &row : kCpuArchitectures)
    if (row.level <= runtime::hostLevel())
      best = row.name;
  return std::string(best);
}

Status chooseForDevice(const DeviceFlags &flags, compiler::Options &options) {
  std::string device = flags.device;
  if (device == "auto") {
    CUPOLA_ASSIGN(auto found, runtime::createDevice("auto", flags.options));
    device = found->properties().name;
  }
  if (device == "cpu") {
    options.targets = {"cpu"};
    if (options.cpuLevels.empty())
      options.cpuLevels = {bestLevel()};
  } else {
    options.targets = {"cuda"};
    if (device == "sim" && options.archs.empty())
      options.archs = {"sm_80"};
  }
  // The device compiles the source it needs, once, and keeps it in its cache.
  options.sourceOnly = true;
  return {};
}

namespace {

/// Null: from the cache, which has no sources.
Result<std::unique_ptr<compiler::Compilation>>
compilePackage(const CompileFlags &flags, const compiler::Options &options, bool withSources, std::string &bytes) {
  const auto make = [&](compiler::Compilation &compilation) -> Status {
    CUPOLA_ASSIGN(bytes, compilation.package());
    return {};
  };
  if (!withSources)
    return compiler::Compilation::compile(flags.model, options,
                                          {[&](const std::string &path) -> Status {
                                             const auto file = format::PackageFile::open(path);
                                             if (file.failed())
                                               return Status::package(file.status().message());
                                             bytes = (*file)->all();
                                             return {};
                                           },
                                           make});
  CUPOLA_ASSIGN(auto compilation, compiler::Compilation::load(flags.model, options));
  CUPOLA_TRY(make(*compilation));
  return compilation;
}

/// The package behind a line of JSON.
Status compileInto(const CompileFlags &flags, const compiler::Options &options, bool withSources, std::string &out) {
  std::string bytes;
  const auto begin = std::chrono::steady_clock::now();
  CUPOLA_ASSIGN(const auto compilation, compilePackage(flags, options, withSources, bytes));
  Json json{{"compile_ms", Json::object()}, {"nvrtc", 0}, {"llvm", 0}, {"pinned", Json::object()}};
  if (compilation) {
    json["nvrtc"] = compilation->nvrtcCompiles();
    json["llvm"] = compilation->llvmCompiles();
    for (const auto &[phase, ms] : compilation->phases())
      json["compile_ms"][phase] = ms;
    json["pinned"] = compilation->pinned();
  } else {
    json["compile_ms"]["cache"] =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }
  if (withSources) {
    CUPOLA_ASSIGN(const std::string explained, compilation->explainWithSources());
    json["sources"] = Json::parse(explained).value("sources", Json::object());
  }
  out = json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" + bytes;
  return {};
}

} // namespace

void Compiled::addSources(Json &report) const {
  if (report.contains("explain") && report["explain"].is_object() && report["explain"]["sources"].empty())
    report["explain"]["sources"] = sources;
}

Result<Compiled> obtainPackage(const CompileFlags &flags, const DeviceFlags &device, bool withSources) {
  Compiled compiled;
  if (flags.isPackage()) {
    if (!flags.sets.empty())
      return Status::usage("--set pins an input when a model is compiled; " + flags.model + " is a package");
    CUPOLA_ASSIGN(compiled.file, format::PackageFile::open(flags.model));
    return compiled;
  }
  CUPOLA_ASSIGN(compiler::Options options, flags.options());
  CUPOLA_TRY(chooseForDevice(device, options));
  std::string bytes;
  int code =
      collectFromWorker(flags, bytes, [&](std::string &out) { return compileInto(flags, options, withSources, out); });
  if (code != 0)
    return Status(static_cast<Code>(code), "");
  size_t line = bytes.find('\n');
  CUPOLA_ASSIGN(compiled.file, format::PackageFile::fromMemory(std::string_view(bytes).substr(line + 1)));
  Json json = Json::parse(bytes.substr(0, line));
  compiled.compileMs = json["compile_ms"];
  compiled.nvrtcCompiles = json["nvrtc"];
  compiled.llvmCompiles = json["llvm"];
  compiled.pinned = json["pinned"].get<runtime::PinnedInputs>();
  if (withSources)
    compiled.sources = std::move(json["sources"]);
  return compiled;
}

Result<std::shared_ptr<const runtime::Executable>> loadOnDevice(const CompileFlags &flags, const DeviceFlags &device,
                                                                std::shared_ptr<const format::PackageFile> file) {
  runtime::DeviceOptions options = device.options;
  options.threads = flags.threads;
  options.cacheDir = flags.given.cacheDir;
  if (device.device == "sim" && options.arch.empty())
    options.arch = flags.given.archs.empty() ? "sm_80" : flags.given.archs.front();
  CUPOLA_ASSIGN(auto made, runtime::createDevice(device.device, options));
  CUPOLA_ASSIGN(auto executable, runtime::Executable::create(std::move(file), std::move(made)).within(flags.model));
  return std::shared_ptr<const runtime::Executable>(std::move(executable));
}

Result<Ready> makeReady(const CompileFlags &flags, const DeviceFlags &device, bool withSources) {
  CUPOLA_ASSIGN(Compiled compiled, obtainPackage(flags, device, withSources));
  CUPOLA_ASSIGN(auto executable, loadOnDevice(flags, device, compiled.file));
  return Ready{std::move(compiled), std::move(executable)};
}

} // namespace cupola::tool

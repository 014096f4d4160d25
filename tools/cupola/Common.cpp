//===- tools/cupola/Common.cpp - messages, packages for devices ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/CPU/CpuFeatures.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Runtime/Format/MachineMemory.h"
#include "lib/Runtime/Format/OutputFile.h"
#include "lib/Runtime/Tools/Errors.h"
#include "tools/cupola/Command.h"

#include <sys/mman.h>
#include <unistd.h>

namespace cupola::tool {

int finish(const Status &status) { return runtime::printError(status); }

Status writeReport(const std::string &path, const std::string &json) {
  return path.empty() ? Status::ok() : format::writeFile(path, json);
}

Status writeJson(const std::string &path, const Json &json) {
  return writeReport(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
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
    auto found = runtime::createDevice("auto", flags.options);
    if (found.failed())
      return found.status();
    device = (*found)->properties().name;
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

/// A file in memory that a worker writes and the caller reads.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : descriptor(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  bool ok() const { return descriptor >= 0; }

  Status write(const std::string &bytes) {
    CUPOLA_TRY(format::checkMemory("out of memory: a copy of the package", bytes.size()));
    for (size_t done = 0; done < bytes.size();) {
      ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
      if (n <= 0)
        return Status::environment("cannot hand the package over: out of memory");
      done += static_cast<size_t>(n);
    }
    return {};
  }
  std::string read() {
    std::string bytes(static_cast<size_t>(lseek(descriptor, 0, SEEK_END)), '\0');
    if (pread(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      bytes.clear();
    return bytes;
  }

private:
  int descriptor;
};

/// The package behind a line of JSON.
Status compileInto(const CompileFlags &flags, const compiler::Options &options, std::string &out) {
  auto compilation = compiler::Compilation::load(flags.model, options);
  if (compilation.failed())
    return compilation.status();
  Result<std::string> bytes = (*compilation)->package();
  if (bytes.failed())
    return bytes.status();
  Json json{{"compile_ms", Json::object()},
            {"nvrtc", (*compilation)->nvrtcCompiles()},
            {"llvm", (*compilation)->llvmCompiles()}};
  for (const auto &[phase, ms] : (*compilation)->phases())
    json["compile_ms"][phase] = ms;
  out = json.dump() + "\n" + *bytes;
  return {};
}

} // namespace

int collectFromWorker(const CompileFlags &flags, std::string &bytes, const std::function<Status(std::string &)> &work) {
  MemoryFile memory("cupola-worker");
  if (!memory.ok())
    return finish(Status::environment("cannot make a file in memory"));
  int code = runInWorker(flags, [&] {
    std::string out;
    Status status = work(out);
    return finish(status.failed() ? status : memory.write(out));
  });
  bytes = memory.read();
  return code;
}

Result<Compiled> obtainPackage(const CompileFlags &flags, const DeviceFlags &device) {
  Compiled compiled;
  if (flags.isPackage()) {
    if (!flags.sets.empty())
      return Status::usage("--set pins an input when a model is compiled; " + flags.model + " is a package");
    auto file = format::PackageFile::open(flags.model);
    if (file.failed())
      return file.status();
    compiled.file = file.take();
    return compiled;
  }
  Result<compiler::Options> options = flags.options();
  if (options.failed())
    return options.status();
  CUPOLA_TRY(chooseForDevice(device, *options));
  std::string bytes;
  int code = collectFromWorker(flags, bytes, [&](std::string &out) { return compileInto(flags, *options, out); });
  if (code != 0)
    return Status(static_cast<Code>(code), "");
  size_t line = bytes.find('\n');
  auto file = format::PackageFile::fromMemory(std::string_view(bytes).substr(line + 1));
  if (file.failed())
    return file.status();
  compiled.file = file.take();
  Json json = Json::parse(bytes.substr(0, line));
  compiled.compileMs = json["compile_ms"];
  compiled.nvrtcCompiles = json["nvrtc"];
  compiled.llvmCompiles = json["llvm"];
  return compiled;
}

Result<Ready> makeReady(const CompileFlags &flags, const DeviceFlags &device) {
  Result<Compiled> compiled = obtainPackage(flags, device);
  if (compiled.failed())
    return compiled.status();
  runtime::DeviceOptions options = device.options;
  options.threads = flags.threads;
  options.cacheDir = flags.cacheDir;
  if (device.device == "sim" && options.arch.empty())
    options.arch = flags.archs.empty() ? "sm_80" : flags.archs.front();
  auto made = runtime::createDevice(device.device, options);
  if (made.failed())
    return made.status();
  auto executable = runtime::Executable::create(compiled->file, made.take());
  if (executable.failed())
    return executable.status().within(flags.model);
  return Ready{compiled.take(), executable.take()};
}

} // namespace cupola::tool

//===- lib/Sim/Compile.cpp - Kernel text to a loadable, instrumented module ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Sim/Compile.h"

#include "lib/Sim/FindClang.h"
#include "lib/Sim/Process.h"
#include "lib/Sim/embeddedSimHeaders.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace cupola::sim {

namespace {

namespace fs = std::filesystem;

// Vectorisers and wide registers are off because the instrumentation skips accesses of more than 16 bytes; -O1 because
// better code gains nothing where every access is checked. A read that a write to the same place follows is
// instrumented, too: it may be of uninitialised memory, and it is traffic. A call in tail position would return to who
// knows whom: reports take the source line from the return address.
const char *const kFlags[] = {"-x",
                              "c++",
                              "-std=c++17",
                              "-O1",
                              "-g1",
                              "-fPIC",
                              "-w",
                              "-fno-exceptions",
                              "-fno-rtti",
                              "-fno-math-errno",
                              "-fno-optimize-sibling-calls",
                              "-ffp-contract=off",
                              "-fno-vectorize",
                              "-fno-slp-vectorize",
                              "-ftrivial-auto-var-init=pattern",
                              "-fsanitize=thread",
                              "-mllvm",
                              "-tsan-instrument-func-entry-exit=0",
                              "-mllvm",
                              "-tsan-instrument-read-before-write=1",
                              "-fsanitize=bounds,shift,signed-integer-overflow,integer-divide-by-zero",
                              "-fsanitize-recover=all"};

constexpr size_t kKernelsPerPart = 6, kMostParts = 8;

std::vector<std::string> makeFlags(int arch) {
  std::vector<std::string> flags(std::begin(kFlags), std::end(kFlags));
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    flags.insert(flags.end(), {"-mfma", "-mf16c"});
  flags.push_back("-DCUPOLA_ARCH=" + std::to_string(arch * 10));
  return flags;
}

/// A folder that is removed with everything in it.
struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    const char *base = std::getenv("TMPDIR");
    std::string pattern = std::string(base && *base ? base : "/tmp") + "/cupola-sim-XXXXXX";
    if (mkdtemp(pattern.data()))
      path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
};

Status writeText(const std::string &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file ? Status() : Status::io("cannot write '" + path + "'");
}

bool isOurs(std::string_view header) {
  return std::any_of(std::begin(embeddedSimHeaders), std::end(embeddedSimHeaders),
                     [&](const auto &file) { return file.name == header; });
}

/// The path of this plug-in: kernels are linked against it, so that the loader finds its symbols in it.
std::string ownPath() {
  static const int here = 0;
  Dl_info info;
  return dladdr(&here, &info) && info.dli_fname ? info.dli_fname : "";
}

Status writeSources(const KernelText &source, const std::string &folder) {
  for (const auto &[name, text] : source.headers)
    if (!isOurs(name))
      CUPOLA_TRY(writeText(folder + "/" + name, text));
  for (const auto &file : embeddedSimHeaders)
    CUPOLA_TRY(writeText(folder + "/" + std::string(file.name), file.text));
  return writeText(folder + "/kernels.cu", source.text);
}

/// The kernels of one part: the whole text, and entry points for some.
std::string partText(const std::vector<std::string> &kernels, size_t begin, size_t end) {
  std::string text = "#include \"kernels.cu\"\n#include \"entry.cuh\"\n";
  for (size_t i = begin; i < end; ++i)
    text += "CUPOLA_SIM_ENTRY(" + kernels[i] + ")\n";
  return text;
}

} // namespace

Status KernelCompiler::findCompiler() {
  if (!compiler.empty())
    return {};
  Result<std::string> found = findClang();
  CUPOLA_TRY(found.status());
  struct stat info;
  if (stat(found->c_str(), &info) != 0)
    return Status::environment("the compiler '" + *found + "' has no size and time to know it by");
  compiler = found.take();
  compilerIdentity = compiler + " " + std::to_string(info.st_size) + " " + std::to_string(info.st_mtime);
  return {};
}

Result<std::string> KernelCompiler::compile(const KernelText &source) {
  CUPOLA_TRY(findCompiler());
  runtime::CacheKey key("sim");
  key.add(compilerIdentity).add(source.text);
  for (const std::string &flag : makeFlags(source.arch))
    key.add(flag);
  for (const std::string &kernel : source.kernels)
    key.add(kernel);
  for (const auto &[name, text] : source.headers)
    if (!isOurs(name))
      key.add(name).add(text);
  for (const auto &file : embeddedSimHeaders)
    key.add(file.name).add(file.text);
  if (std::optional<std::string> stored = cache.get(key))
    return std::move(*stored);
  Result<std::string> built = build(source);
  if (built.isOk())
    cache.put(key, *built);
  return built;
}

namespace {

/// The kernels' text is ours: one that the compiler finds wrong is a bug.
Status finished(Process &process) {
  Status status = process.wait();
  const bool isRejected = process.output().find("kernels.cu:") != std::string::npos &&
                          process.output().find(": error: ") != std::string::npos;
  return status.failed() && isRejected ? Status::internal(status.message()) : status;
}

/// Compiles part 0..parts-1 of the folder, as many at once as there are processors.
Status compileParts(const std::string &compiler, const std::string &folder, size_t parts, int arch) {
  const size_t atOnce = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<Process>> running(parts);
  for (size_t i = 0; i < parts; ++i) {
    if (i >= atOnce)
      CUPOLA_TRY(finished(*running[i - atOnce]));
    std::vector<std::string> command = {compiler};
    for (std::string &flag : makeFlags(arch))
      command.push_back(std::move(flag));
    const std::string stem = "part" + std::to_string(i);
    command.insert(command.end(), {"-c", stem + ".cpp", "-o", stem + ".o"});
    running[i] = std::make_unique<Process>();
    CUPOLA_TRY(running[i]->start(command, folder));
  }
  for (size_t i = parts > atOnce ? parts - atOnce : 0; i < parts; ++i)
    CUPOLA_TRY(finished(*running[i]));
  return {};
}

Result<std::string> readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || bytes.empty())
    return Status::io("cannot read '" + path + "'");
  return bytes;
}

} // namespace

Result<std::string> KernelCompiler::build(const KernelText &source) {
  TemporaryFolder folder;
  if (folder.path.empty())
    return Status::io("cannot make a temporary folder for the simulator's kernels");
  CUPOLA_TRY(writeSources(source, folder.path));
  const size_t count = source.kernels.size();
  const size_t parts = std::clamp<size_t>((count + kKernelsPerPart - 1) / kKernelsPerPart, 1, kMostParts);
  std::vector<std::string> link = {compiler, "-shared", "-fuse-ld=lld", "-o", "kernels.so"};
  for (size_t i = 0; i < parts; ++i) {
    const std::string stem = "part" + std::to_string(i);
    const std::string text = partText(source.kernels, count * i / parts, count * (i + 1) / parts);
    CUPOLA_TRY(writeText(folder.path + "/" + stem + ".cpp", text));
    link.push_back(stem + ".o");
  }
  CUPOLA_TRY(compileParts(compiler, folder.path, parts, source.arch));
  link.insert(link.end(), {fs::absolute(ownPath()).string(), "-lm", "-Wl,-z,defs"});
  Process linker;
  CUPOLA_TRY(linker.start(link, folder.path));
  CUPOLA_TRY(linker.wait());
  return readBytes(folder.path + "/kernels.so");
}

} // namespace cupola::sim

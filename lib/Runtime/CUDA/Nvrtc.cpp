//===- lib/Runtime/CUDA/Nvrtc.cpp - CUDA source to cubin, in memory, without a GPU ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/Nvrtc.h"

#include "lib/Runtime/CUDA/LibraryPaths.h"
#include "lib/Runtime/DynamicLibrary.h"
#include "lib/Runtime/Format/Architectures.h"

#include <algorithm>

namespace cupola::runtime::cuda {

/// Every option text there is, beside the architecture. All that decides values is written out although most of it is
/// the default: no fast math, no flushing of denormals, exact division and square root.
struct OptionRow {
  const char *text;
  bool (*applies)(const NvrtcOptions &);
};
static const OptionRow optionTable[] = {
    {"--std=c++17", [](const NvrtcOptions &) { return true; }},
    {"--ftz=false", [](const NvrtcOptions &) { return true; }},
    {"--prec-div=true", [](const NvrtcOptions &) { return true; }},
    {"--prec-sqrt=true", [](const NvrtcOptions &) { return true; }},
    {"--fmad=true", [](const NvrtcOptions &o) { return o.contract; }},
    {"--fmad=false", [](const NvrtcOptions &o) { return !o.contract; }},
    {"--generate-line-info", [](const NvrtcOptions &o) { return o.lineInfo; }},
    // Registers, spills and shared memory of each kernel, in the log.
    {"-Xptxas=-v", [](const NvrtcOptions &) { return true; }},
    // A header that was not passed in memory is an error, not a search.
    {"--no-source-include", [](const NvrtcOptions &) { return true; }},
};

std::vector<std::string> nvrtcOptionTexts(const NvrtcRequest &request) {
  std::vector<std::string> texts = {"--gpu-architecture=" + request.arch};
  for (const OptionRow &row : optionTable)
    if (row.applies(request.options))
      texts.push_back(row.text);
  return texts;
}

Result<std::shared_ptr<Nvrtc>> Nvrtc::load(const std::vector<int> &majors) {
  DynamicLibrary library;
  std::string tried;
  if (!library.openFirst(cudaLibraryCandidates("libnvrtc.so", majors), tried))
    return Status::environment(
        "nvrtc, CUDA's runtime compiler, was not found; set CUPOLA_CUDA_HOME to a CUDA toolkit or "
        "install the package nvidia-cuda-nvrtc; tried:\n" +
        tried);
  NvrtcApi api = {};
  for (const NvrtcSymbol &row : nvrtcSymbols) {
    void *address = library.symbol(row.name);
    if (!address)
      return Status::environment(library.path() + " has no " + row.name + ": nvrtc 12 or 13 is needed");
    *reinterpret_cast<void **>(reinterpret_cast<char *>(&api) + row.offset) = address;
  }
  return create(api, library.path());
}

Result<std::shared_ptr<Nvrtc>> Nvrtc::create(const NvrtcApi &api, std::string path) {
  std::shared_ptr<Nvrtc> nvrtc(new Nvrtc);
  nvrtc->api = api;
  nvrtc->libraryPath = std::move(path);
  CUPOLA_TRY(nvrtc->readVersion());
  return nvrtc;
}

Status Nvrtc::readVersion() {
  int count = 0;
  NvrtcResult code = api.version(&majorVersion, &minorVersion);
  if (code == nvrtcSuccess)
    code = api.getNumSupportedArchs(&count);
  if (code == nvrtcSuccess && count > 0) {
    archs.resize(size_t(count));
    code = api.getSupportedArchs(archs.data());
  }
  if (code != nvrtcSuccess || archs.empty())
    return Status::environment(libraryPath + " does not answer: " + api.getErrorString(code));
  std::sort(archs.begin(), archs.end());
  versionText = std::to_string(majorVersion) + "." + std::to_string(minorVersion);
  return {};
}

Status Nvrtc::checkArch(const std::string &arch) const {
  const std::string prefix = "sm_";
  size_t end = prefix.size();
  int number = 0;
  while (end < arch.size() && end < 7 && arch[end] >= '0' && arch[end] <= '9')
    number = number * 10 + (arch[end++] - '0');
  const std::string suffix = arch.substr(std::min(end, arch.size()));
  if (arch.compare(0, prefix.size(), prefix) != 0 || number == 0 || (suffix != "" && suffix != "a" && suffix != "f"))
    return Status::usage("'" + arch + "' is not a GPU architecture such as sm_80 or sm_90a");
  if (std::binary_search(archs.begin(), archs.end(), number)) {
    const GpuArchitecture *row = findGpu(arch);
    if (!row || 100 * majorVersion + minorVersion >= row->nvrtc)
      return {};
    return Status::environment("nvrtc " + versionText + " cannot compile for " + arch + ", which takes " +
                               std::to_string(row->nvrtc / 100) + "." + std::to_string(row->nvrtc % 100) +
                               " or newer; code for " + std::string(findGpu(arch.substr(0, end))->family) +
                               " runs on the same GPU");
  }
  std::string known;
  for (int value : archs)
    known += (known.empty() ? "sm_" : ", sm_") + std::to_string(value);
  return Status::environment("nvrtc " + versionText + " cannot compile for " + arch + "; it knows " + known);
}

Status Nvrtc::fail(const NvrtcRequest &request, const char *call, NvrtcResult code) const {
  return Status::environment("nvrtc " + versionText + ": " + call + " failed for " + request.name + ", " +
                             request.arch + ": " + api.getErrorString(code));
}

Result<std::string> Nvrtc::readLog(const NvrtcRequest &request, NvrtcProgram program) const {
  size_t bytes = 0;
  if (NvrtcResult code = api.getProgramLogSize(program, &bytes))
    return fail(request, "reading the log", code);
  std::string log(bytes, '\0');
  if (NvrtcResult code = bytes ? api.getProgramLog(program, log.data()) : nvrtcSuccess)
    return fail(request, "reading the log", code);
  while (!log.empty() && log.back() == '\0')
    log.pop_back();
  return log;
}

Result<CudaBinary> Nvrtc::compileProgram(const NvrtcRequest &request, NvrtcProgram program) {
  const std::vector<std::string> texts = nvrtcOptionTexts(request);
  std::vector<const char *> options;
  for (const std::string &text : texts)
    options.push_back(text.c_str());
  ++compiles;
  const NvrtcResult compiled = api.compileProgram(program, int(options.size()), options.data());
  CUPOLA_ASSIGN(std::string log, readLog(request, program));
  if (compiled == nvrtcCompilationFailed)
    return Status::internal("nvrtc " + versionText + " rejects " + request.name + " for " + request.arch + ":\n" +
                            compilerDiagnostics(log));
  if (compiled != nvrtcSuccess)
    return Status::environment(fail(request, "the compilation", compiled).message() + "\n" + compilerDiagnostics(log));

  CudaBinary binary;
  binary.kernels = parsePtxasLog(log);
  size_t bytes = 0;
  if (NvrtcResult code = api.getCubinSize(program, &bytes))
    return fail(request, "reading the cubin", code);
  if (bytes == 0)
    return Status::environment("nvrtc " + versionText + " made no cubin of " + request.name + " for " + request.arch);
  binary.cubin.resize(bytes);
  if (NvrtcResult code = api.getCubin(program, binary.cubin.data()))
    return fail(request, "reading the cubin", code);
  return binary;
}

Result<CudaBinary> Nvrtc::compile(const NvrtcRequest &request) {
  CUPOLA_TRY(checkArch(request.arch));
  const std::string source(request.source); // NVRTC wants texts that end with NUL
  std::vector<std::string> texts;
  std::vector<const char *> headers, names;
  for (const NvrtcHeader &header : request.headers)
    texts.emplace_back(header.text);
  for (size_t i = 0; i < texts.size(); ++i) {
    headers.push_back(texts[i].c_str());
    names.push_back(request.headers[i].name.c_str());
  }
  NvrtcProgram program = nullptr;
  if (NvrtcResult code = api.createProgram(&program, source.c_str(), request.name.c_str(), int(headers.size()),
                                           headers.data(), names.data()))
    return fail(request, "creating the program", code);
  Result<CudaBinary> binary = compileProgram(request, program);
  api.destroyProgram(&program);
  return binary;
}

} // namespace cupola::runtime::cuda

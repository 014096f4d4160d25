//===- tools/cupola/Doctor.cpp - cupola doctor ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Runtime/CPU/CpuFeatures.h"
#include "lib/Runtime/CPU/OneDnn.h"
#include "lib/Runtime/CUDA/ByteCache.h"
#include "lib/Runtime/CUDA/CublasLt.h"
#include "lib/Runtime/CUDA/Driver.h"
#include "lib/Runtime/CUDA/Nvrtc.h"
#include "lib/Runtime/DeviceList.h"
#include "lib/Runtime/Format/Architectures.h"
#include "lib/Sim/FindClang.h"
#include "tools/cupola/Command.h"

#include <cstdio>
#include <filesystem>

namespace cupola::tool {

namespace {

/// Something that a part of Cupola needs.
struct Finding {
  std::string name;
  std::string found, reason; ///< what there is, or why there is nothing
  std::string effect;        ///< what then does not work
};

template <typename T, typename Describe>
Finding findingOf(const char *name, const Result<T> &result, Describe describe, const char *effect) {
  if (result.failed())
    return {name, "", result.status().message(), effect};
  return {name, describe(*result), "", ""};
}

std::string gibibytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f GiB", static_cast<double>(bytes) / (uint64_t(1) << 30));
  return text;
}

Finding findingOf(const std::string &name, const runtime::DeviceInfo &device, const char *effect) {
  if (!device.reason.empty())
    return {name, "", device.reason, effect};
  return {name, device.arch + ", " + device.description + ", " + gibibytes(device.memoryBytes), "", ""};
}

Finding processorFinding(const runtime::DeviceInfo &device) {
  constexpr const char *effect = "--device cpu does not work";
  const CpuArchitecture &lowest = kCpuArchitectures[0];
  if (device.reason.empty() && runtime::levelOf(device.arch) < lowest.level)
    return {"processor", "", "it is " + device.arch + ", code is made from " + std::string(lowest.name) + " on",
            effect};
  return findingOf("processor", device, effect);
}

/// The processor, the GPUs with their driver, the simulator.
void addDevices(std::vector<Finding> &findings) {
  for (const runtime::DeviceInfo &device : runtime::listDevices()) {
    constexpr const char *noCuda = "--device cuda does not work";
    if (device.name == "cpu")
      findings.push_back(processorFinding(device));
    else if (device.name == "sim")
      findings.push_back(findingOf("simulator", device, "--device sim does not work"));
    else if (device.driver.empty())
      findings.push_back({"CUDA driver", "", device.reason, noCuda});
    else {
      if (device.ordinal == 0)
        findings.push_back({"CUDA driver", "for CUDA " + device.driver, "", ""});
      findings.push_back(findingOf("GPU " + std::to_string(device.ordinal), device, noCuda));
    }
  }
}

/// What of NVIDIA's libraries the driver can use; without one, any that we know.
std::vector<int> toolkitMajors() {
  const auto driver = runtime::cuda::Driver::load();
  return driver.isOk() ? (*driver)->toolkitMajors() : std::vector<int>{13, 12};
}

void addLibraries(std::vector<Finding> &findings) {
  using namespace runtime;
  const std::vector<int> majors = toolkitMajors();
  findings.push_back(findingOf(
      "NVRTC", cuda::Nvrtc::load(majors), [](const auto &nvrtc) { return nvrtc->version() + ", " + nvrtc->path(); },
      "--arch makes no machine code, and --device cuda runs only packages that have some"));
  findings.push_back(findingOf(
      "cuBLASLt", cuda::CublasLt::load(majors), [](const auto &blas) { return blas->name() + ", " + blas->path(); },
      "--libraries cublaslt has no effect: kernels do the products"));
  findings.push_back(findingOf(
      "oneDNN", onednn::OneDnn::load(), [](const auto &library) { return library->name() + ", " + library->path(); },
      "kernels do all contractions on cpu"));
  findings.push_back(findingOf(
      "clang", sim::findClang(), [](const std::string &path) { return path; }, "--device sim compiles no kernels"));
}

/// Removes those of the folders that the default cache would make: a question leaves nothing behind.
class UntouchedFolders {
public:
  UntouchedFolders() {
    for (std::filesystem::path folder = runtime::ByteCache::defaultFolder();
         folder.has_relative_path() && isMissing(folder); folder = folder.parent_path())
      missing.push_back(folder);
  }
  ~UntouchedFolders() {
    std::error_code error;
    for (const std::filesystem::path &folder : missing)
      std::filesystem::remove(folder, error); // none that has become another's
  }

private:
  static bool isMissing(const std::filesystem::path &folder) {
    std::error_code error;
    return std::filesystem::status(folder, error).type() == std::filesystem::file_type::not_found;
  }
  std::vector<std::filesystem::path> missing; ///< the innermost first
};

/// The default one.
Finding cacheFinding() {
  std::string warning;
  const UntouchedFolders untouched;
  const runtime::ByteCache cache("", [&](const std::string &text) { warning = text; });
  constexpr const char *effect = "every start compiles again";
  if (!cache.enabled())
    return {"cache", "", warning.empty() ? "neither XDG_CACHE_HOME nor HOME names a folder" : warning, effect};
  uint64_t entries = 0, bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(cache.folder(), error), end; !error && entry != end;
       entry.increment(error)) {
    const uint64_t size = entry->file_size(error);
    entries += !error;
    bytes += error ? 0 : size;
  }
  const std::string limit =
      cache.limitBytes() ? ", at most " + std::to_string(cache.limitBytes() >> 20) + " MiB" : std::string();
  return {"cache",
          cache.folder() + ", " + std::to_string(entries) + " entries of " + std::to_string(bytes) + " bytes" + limit,
          "", ""};
}

void print(const Finding &finding) {
  constexpr int kNameWidth = 12;
  if (finding.reason.empty()) {
    std::printf("%-*s %s\n", kNameWidth, finding.name.c_str(), finding.found.c_str());
    return;
  }
  std::string lines = finding.reason;
  for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1))
    lines.insert(at + 1, std::string(kNameWidth + 1, ' '));
  std::printf("%-*s missing: %s\n%*s so %s\n", kNameWidth, finding.name.c_str(), lines.c_str(), kNameWidth, "",
              finding.effect.c_str());
}

Status diagnose(const std::string &json) {
  std::vector<Finding> findings;
  addDevices(findings);
  addLibraries(findings);
  findings.push_back(cacheFinding());
  Json checks = Json::array();
  for (const Finding &finding : findings) {
    print(finding);
    checks.push_back(
        {{"name", finding.name}, {"found", finding.found}, {"reason", finding.reason}, {"effect", finding.effect}});
  }
  return writeJson(json, {{"schema", "cupola.doctor/1"}, {"checks", checks}});
}

} // namespace

std::function<int()> declareDoctor(CLI::App &app) {
  auto json = std::make_shared<std::string>();
  app.add_option("--json", *json, "Write a report to this file");
  return [json] { return finish(diagnose(*json)); };
}

} // namespace cupola::tool

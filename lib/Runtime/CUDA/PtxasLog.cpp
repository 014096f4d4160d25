//===- lib/Runtime/CUDA/PtxasLog.cpp - What ptxas reports about the kernels it compiled ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CUDA/PtxasLog.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace cupola::runtime::cuda {

bool operator==(const KernelResources &a, const KernelResources &b) {
  return std::tie(a.name, a.registers, a.stackBytes, a.spillStoreBytes, a.spillLoadBytes, a.staticSharedBytes) ==
         std::tie(b.name, b.registers, b.stackBytes, b.spillStoreBytes, b.spillLoadBytes, b.staticSharedBytes);
}

template <typename Visit> static void forEachLine(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The decimal number that stands right before `unit` in `line`.
static std::optional<uint64_t> numberBefore(std::string_view line, std::string_view unit) {
  const size_t at = line.find(unit);
  if (at == std::string_view::npos)
    return std::nullopt;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
    --begin;
  if (begin == at)
    return std::nullopt;
  uint64_t value = 0;
  for (size_t i = begin; i < at; ++i)
    value = value * 10 + uint64_t(line[i] - '0');
  return value;
}

/// The text between `before` and the next `after`, or the end of the line.
static std::optional<std::string_view> textAfter(std::string_view line, std::string_view before, char after) {
  const size_t at = line.find(before);
  if (at == std::string_view::npos)
    return std::nullopt;
  line.remove_prefix(at + before.size());
  return line.substr(0, line.find(after));
}

static void readFigures(std::string_view line, bool ownProperties, KernelResources &kernel) {
  if (auto value = numberBefore(line, " registers"))
    kernel.registers = uint32_t(*value);
  if (auto value = numberBefore(line, " bytes smem"))
    kernel.staticSharedBytes = *value;
  // A call that was not inlined has a frame of its own, and is counted here only.
  if (auto value = numberBefore(line, " bytes cumulative stack size"))
    kernel.stackBytes = std::max(kernel.stackBytes, *value);
  if (!ownProperties)
    return;
  if (auto value = numberBefore(line, " bytes stack frame"))
    kernel.stackBytes = std::max(kernel.stackBytes, *value);
  if (auto value = numberBefore(line, " bytes spill stores"))
    kernel.spillStoreBytes = *value;
  if (auto value = numberBefore(line, " bytes spill loads"))
    kernel.spillLoadBytes = *value;
}

std::vector<KernelResources> parsePtxasLog(std::string_view log) {
  std::vector<KernelResources> kernels;
  bool ownProperties = false; // the last "Function properties" line was about the kernel itself
  forEachLine(log, [&](std::string_view line) {
    if (line.substr(0, 5) != "ptxas")
      return;
    if (auto name = textAfter(line, "Compiling entry function '", '\'')) {
      kernels.emplace_back();
      kernels.back().name = std::string(*name);
      ownProperties = false;
    } else if (auto owner = textAfter(line, "Function properties for ", ' ')) {
      ownProperties = !kernels.empty() && *owner == kernels.back().name;
    } else if (!kernels.empty()) {
      readFigures(line, ownProperties, kernels.back());
    }
  });
  std::sort(kernels.begin(), kernels.end(),
            [](const KernelResources &a, const KernelResources &b) { return a.name < b.name; });
  return kernels;
}

std::string compilerDiagnostics(std::string_view log) {
  std::string text;
  forEachLine(log, [&](std::string_view line) {
    const bool statistics = line.substr(0, 11) == "ptxas info " || line.substr(0, 15) == "ptxas         .";
    if (!statistics && !line.empty() && line[0] != '\0')
      text.append(text.empty() ? "" : "\n").append(line);
  });
  return text;
}

} // namespace cupola::runtime::cuda

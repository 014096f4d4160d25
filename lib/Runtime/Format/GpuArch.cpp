//===- lib/Runtime/Format/GpuArch.cpp - GPU architectures: which code runs where ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/GpuArch.h"

#include "lib/Runtime/Format/Architectures.h"

#include <charconv>

namespace cupola {

std::optional<GpuArch> GpuArch::parse(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  if (text.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  text.remove_prefix(prefix.size());
  GpuArch arch;
  if (!text.empty() && text.back() == 'a') {
    arch.exact = true;
    text.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), arch.number);
  if (error != std::errc() || end != text.data() + text.size() || arch.number < 10 || arch.number > 9999)
    return std::nullopt;
  return arch;
}

int rankSource(GpuArch family, GpuArch gpu) {
  constexpr int own = 1 << 16, exact = own + 1;
  if (family.exact)
    return family.number == gpu.number ? exact : -1;
  if (family.number > gpu.number)
    return -1;
  // A newer family may ask for more shared memory than the GPU has, or know of less.
  const GpuArchitecture *row = findGpu(gpu.text());
  return row && row->family == family.text() ? own : family.number;
}

bool runsCubin(GpuArch built, GpuArch gpu) { return built.number == gpu.number; }

GpuArch compileArch(GpuArch family, GpuArch gpu) { return {gpu.number, family.exact}; }

} // namespace cupola

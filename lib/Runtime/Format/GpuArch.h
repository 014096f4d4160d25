//===- lib/Runtime/Format/GpuArch.h - GPU architectures: which code runs where ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_GPUARCH_H
#define CUPOLA_LIB_RUNTIME_FORMAT_GPUARCH_H

#include <optional>
#include <string>
#include <string_view>

namespace cupola {

/// "sm_86" is 86. With the suffix `a` code uses what exactly this architecture has and runs nowhere else.
struct GpuArch {
  int number = 0;
  bool exact = false;

  static std::optional<GpuArch> parse(std::string_view text);
  std::string text() const { return "sm_" + std::to_string(number) + (exact ? "a" : ""); }
};

/// How well source written for `family` suits the GPU `gpu`: negative if it does not run there, else higher is better.
int rankSource(GpuArch family, GpuArch gpu);

/// Whether the GPU runs a cubin made for `built`. Only its own architecture counts: a cubin of an older one of the same
/// generation would load, but may use more shared memory than the GPU has.
bool runsCubin(GpuArch built, GpuArch gpu);

/// What source written for `family` is compiled for on this GPU.
GpuArch compileArch(GpuArch family, GpuArch gpu);

} // namespace cupola

#endif // CUPOLA_LIB_RUNTIME_FORMAT_GPUARCH_H

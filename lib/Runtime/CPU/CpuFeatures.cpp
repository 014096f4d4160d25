//===- lib/Runtime/CPU/CpuFeatures.cpp - Which x86-64 level this machine has ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/CPU/CpuFeatures.h"

#include "lib/Runtime/Format/Architectures.h"

#include <cstdlib>

namespace cupola::runtime {

int hostLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // These ask the operating system's side (XGETBV), too.
  const bool v2 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : v3 ? 3 : v2 ? 2 : 1;
#else
  return 0;
#endif
}

uint32_t hostExtensions() {
  const char *chosen = std::getenv("CUPOLA_CPU_EXTENSIONS");
  uint32_t bits = 0;
#if defined(__x86_64__)
  if (hostLevel() >= 3 && __builtin_cpu_supports("avxvnni"))
    bits |= kAvxVnni.bit;
  if (hostLevel() >= 4 && __builtin_cpu_supports("avx512vnni"))
    bits |= kAvx512Vnni.bit;
#endif
  return chosen && std::string_view(chosen) == "none" ? 0 : bits;
}

int levelOf(std::string_view arch) {
  constexpr std::string_view prefix = "x86-64-v";
  if (arch.size() != prefix.size() + 1 || arch.substr(0, prefix.size()) != prefix || arch.back() < '1' ||
      arch.back() > '4')
    return 0;
  return arch.back() - '0';
}

} // namespace cupola::runtime

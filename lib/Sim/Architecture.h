//===- lib/Sim/Architecture.h - What the simulated GPUs differ in ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_ARCHITECTURE_H
#define CUPOLA_LIB_SIM_ARCHITECTURE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupola::sim {

struct Architecture {
  std::string_view name;
  int number = 0;           ///< kernels see CUPOLA_ARCH = 10 * number
  bool exact = false;       ///< sm_90a: code made for it runs nowhere else
  uint64_t sharedBytes = 0; ///< most dynamic shared memory of a block
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
inline constexpr Architecture kArchitectures[] = {
    {"sm_75", 75, false, 64 << 10},    {"sm_80", 80, false, 163 << 10},  {"sm_86", 86, false, 99 << 10},
    {"sm_89", 89, false, 99 << 10},    {"sm_90", 90, false, 227 << 10},  {"sm_90a", 90, true, 227 << 10},
    {"sm_100", 100, false, 227 << 10}, {"sm_120", 120, false, 99 << 10},
};

inline const Architecture *findArchitecture(std::string_view name) {
  for (const Architecture &a : kArchitectures)
    if (a.name == name)
      return &a;
  return nullptr;
}

inline std::string architectureNames() {
  std::string names;
  for (const Architecture &a : kArchitectures)
    names += (names.empty() ? "" : ", ") + std::string(a.name);
  return names;
}

} // namespace cupola::sim

#endif

//===- lib/Runtime/CPU/CpuFeatures.h - Which x86-64 level this machine has ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CPU_CPUFEATURES_H
#define CUPOLA_LIB_RUNTIME_CPU_CPUFEATURES_H

#include <cstdint>
#include <string_view>

namespace cupola::runtime {

/// 1 to 4, as in the x86-64 psABI; 0 on other processors.
int hostLevel();
/// The bits of CpuExtension that it has. CUPOLA_CPU_EXTENSIONS=none in the environment: none.
uint32_t hostExtensions();
/// 3 for "x86-64-v3"; 0 for any other text.
int levelOf(std::string_view arch);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_CPU_CPUFEATURES_H

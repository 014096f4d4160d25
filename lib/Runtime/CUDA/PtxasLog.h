//===- lib/Runtime/CUDA/PtxasLog.h - What ptxas reports about the kernels it compiled ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_CUDA_PTXASLOG_H
#define CUPOLA_LIB_RUNTIME_CUDA_PTXASLOG_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupola::runtime::cuda {

/// The resources of one kernel on one architecture. Byte counts are per thread, shared memory per block.
struct KernelResources {
  std::string name;
  uint32_t registers = 0;
  uint64_t stackBytes = 0; ///< local memory: arrays that were not kept in registers, and spills
  uint64_t spillStoreBytes = 0;
  uint64_t spillLoadBytes = 0;
  uint64_t staticSharedBytes = 0;
};

bool operator==(const KernelResources &a, const KernelResources &b);

/// Reads the log of a compilation with `-Xptxas=-v`; the kernels come out sorted by name. NVRTC passes ptxas's lines on
/// with a varying prefix, so only the part behind it is looked at.
std::vector<KernelResources> parsePtxasLog(std::string_view log);

/// The lines of the log that are not ptxas's statistics: the compiler's warnings and errors.
std::string compilerDiagnostics(std::string_view log);

} // namespace cupola::runtime::cuda

#endif // CUPOLA_LIB_RUNTIME_CUDA_PTXASLOG_H

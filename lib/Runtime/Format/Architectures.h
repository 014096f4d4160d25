//===- lib/Runtime/Format/Architectures.h - what code is made for, in two tables ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The compiler, the runtime and the simulator read the same rows. A new architecture is a
// row here, and a column where it has something that no other has.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_ARCHITECTURES_H
#define CUPOLA_LIB_RUNTIME_FORMAT_ARCHITECTURES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupola {

struct GpuArchitecture {
  std::string_view name; ///< "sm_80"
  int number;            ///< 80; kernels see CUPOLA_ARCH = 10 * number
  bool exact;            ///< sm_90a: code made for it runs nowhere else
  /// The row whose source it runs: of those that are not newer than itself the one that uses the
  /// most of its shared memory. Variants are made for the families alone.
  std::string_view family;
  int64_t sharedBytes;     ///< most dynamic shared memory of a block
  int64_t residentThreads; ///< most threads of a multiprocessor
  int64_t multiprocessors; ///< of a usual device, one of the large ones
  bool asyncCopy;          ///< cp.async
  int mmaK;                ///< K of the f16 mma: 8 or 16; 0: none
  bool wgmma = false;      ///< wgmma, tensor copies, clusters
  int nvrtc = 1200;        ///< the oldest that compiles its source: 12.3 is 1203
};

/// Oldest first. Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
/// Multiprocessors: T4, A100, A40, L40, H100, B200, RTX 5090.
inline constexpr GpuArchitecture kGpuArchitectures[] = {
    // name, number, exact, family, shared bytes, resident threads, multiprocessors, cp.async, K of mma, wgmma, NVRTC
    {"sm_75", 75, false, "sm_75", 64 << 10, 1024, 40, false, 8},
    {"sm_80", 80, false, "sm_80", 163 << 10, 2048, 108, true, 16},
    {"sm_86", 86, false, "sm_86", 99 << 10, 1536, 84, true, 16},
    {"sm_89", 89, false, "sm_86", 99 << 10, 1536, 142, true, 16},
    {"sm_90", 90, false, "sm_80", 227 << 10, 2048, 132, true, 16},
    {"sm_90a", 90, true, "sm_90a", 227 << 10, 2048, 132, true, 16, true, 1203}, // PTX ISA 8.3: fence.proxy.tensormap
    {"sm_100", 100, false, "sm_80", 227 << 10, 2048, 148, true, 16},
    {"sm_120", 120, false, "sm_86", 99 << 10, 1536, 170, true, 16},
};

/// What a processor of a level may have beside it. An image that has code for it exports a 32-bit word with this name,
/// in which whoever loads it sets the bits of what the processor has before anything runs; 0 is right everywhere.
struct CpuExtension {
  uint32_t bit;
  std::string_view feature; ///< for LLVM
};
inline constexpr const char *kCpuExtensionsSymbol = "cupola_cpu_extensions";
inline constexpr CpuExtension kAvxVnni{1, "+avxvnni"}, kAvx512Vnni{2, "+avx512vnni"};

/// The levels of the x86-64 psABI that code is made for.
struct CpuArchitecture {
  std::string_view name;     ///< "x86-64-v3", LLVM's name of the processor, too
  int level;                 ///< 3: AVX2, FMA, F16C; 4: AVX-512
  std::string_view features; ///< for LLVM, beyond those of the processor
  unsigned vectorBytes;
  /// The micro-kernel keeps tileRows x tileVectors accumulators in registers, beside one
  /// vector of the right operand per column and a broadcast; or as many of wideVectors vectors (0: it does not).
  unsigned tileRows, tileVectors, wideVectors;
  int64_t cacheBytes; ///< second cache of a core of a usual processor
  int64_t threads;    ///< of such a processor that share a kernel
  CpuExtension dots;  ///< adds products of neighbouring integers to a sum by one instruction

  /// Every vectorised loop takes this many elements at a time, of any type.
  unsigned lanes() const { return vectorBytes / 4; }
  unsigned lanesOf(unsigned elementBytes) const { return vectorBytes / elementBytes; }
};

/// Lowest first. Level 4 prefers 256-bit vectors by default, for processors that clock down.
inline constexpr CpuArchitecture kCpuArchitectures[] = {
    // name, level, features, vector bytes, rows and vectors of a tile, of a wide one, second cache, threads, extension
    {"x86-64-v3", 3, "", 32, 6, 2, 0, 256 << 10, 8, kAvxVnni},                   // 16 registers of 32 bytes
    {"x86-64-v4", 4, "-prefer-256-bit", 64, 8, 3, 4, 256 << 10, 8, kAvx512Vnni}, // 32 registers of 64 bytes
};

/// Null for a name that is not in the table.
template <class Row, size_t count> const Row *findArchitecture(const Row (&table)[count], std::string_view name) {
  for (const Row &row : table)
    if (row.name == name)
      return &row;
  return nullptr;
}
inline const GpuArchitecture *findGpu(std::string_view name) { return findArchitecture(kGpuArchitectures, name); }
inline const CpuArchitecture *findCpu(std::string_view name) { return findArchitecture(kCpuArchitectures, name); }

/// "sm_75, sm_80, ..", for messages.
template <class Row, size_t count> std::string architectureNames(const Row (&table)[count]) {
  std::string names;
  for (const Row &row : table)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

} // namespace cupola

#endif // CUPOLA_LIB_RUNTIME_FORMAT_ARCHITECTURES_H

//===- lib/Target/CUDA/TargetInfo.cpp - table of architecture families ---===//
// SPDX-License-Identifier: Apache-2.0

#include "lib/Target/CUDA/CudaTarget.h"

using namespace cupola::cuda;

// Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
// Multiprocessors: T4, A100, A40, L40, H100, B200, RTX 5090.
static constexpr CudaTargetInfo targets[] = {
    // arch, capability, shared bytes, resident threads, multiprocessors, cp.async, K of mma
    {"sm_75", 75, 64 << 10, 1024, 40, false, 8},    {"sm_80", 80, 163 << 10, 2048, 108, true, 16},
    {"sm_86", 86, 99 << 10, 1536, 84, true, 16},    {"sm_89", 89, 99 << 10, 1536, 142, true, 16},
    {"sm_90a", 90, 227 << 10, 2048, 132, true, 16}, {"sm_100", 100, 227 << 10, 2048, 148, true, 16},
    {"sm_120", 120, 99 << 10, 1536, 170, true, 16},
};

llvm::ArrayRef<CudaTargetInfo> cupola::cuda::cudaTargets() { return targets; }

const CudaTargetInfo *cupola::cuda::cudaTarget(llvm::StringRef arch) {
  for (const CudaTargetInfo &target : targets)
    if (arch == target.arch)
      return &target;
  return nullptr;
}

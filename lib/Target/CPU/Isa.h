//===- lib/Target/CPU/Isa.h - what an x86-64 level means for the lowering ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CPU_ISA_H
#define CUPOLA_LIB_TARGET_CPU_ISA_H

#include "lib/Target/CPU/CpuTarget.h"

namespace cupola::cpu {

/// One row per level. The micro-kernel keeps tileRows x tileVectors accumulators in
/// registers, beside one vector of the right operand per column and a broadcast.
struct Isa {
  const char *arch;     ///< LLVM's name of the processor
  const char *features; ///< beyond those of `arch`
  unsigned vectorBytes;
  unsigned tileRows;
  unsigned tileVectors;

  /// Every vectorised loop takes this many elements at a time, of any type.
  unsigned lanes() const { return vectorBytes / 4; }
  unsigned lanesOf(unsigned elementBytes) const { return vectorBytes / elementBytes; }
};

/// 16 registers of 32 bytes, 32 registers of 64 bytes.
const Isa &isaOf(const CpuTargetInfo &info);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_ISA_H

//===- lib/Target/CUDA/PackedOperand.h - right operands that stay packed on their way -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PACKEDOPERAND_H
#define CUPOLA_LIB_TARGET_CUDA_PACKEDOPERAND_H

#include "lib/Target/CUDA/Nibbles.h"

#include <map>

namespace cupola::cuda {

/// An operand whose numbers come in runs of 16 along k: a run's bytes are neighbours in memory, and what else is loaded
/// for it, scales and offsets, is one. Numbers of four bits are halves of bytes, and two runs one behind the other may
/// be the low and the high half of the same ones.
struct PackedOperand {
  static constexpr int64_t run = 16;

  kernel::LoadOp bytes;
  std::optional<Nibbles> nibbles;              ///< else each byte is a number
  Expr shift;                                  ///< of the byte of a nibble, in k
  llvm::SmallVector<kernel::LoadOp, 2> others; ///< as they lie in memory; of nibbles: scale, and offset if there is one
  bool areTwoRuns = false;                     ///< of each 16 bytes, from a multiple of 32 on
  bool areSame = true;                         ///< the others of those two runs
};

/// None where any of that is not so, something is behind a mask, or the result has not 16 bits.
std::optional<PackedOperand> packedOperand(mlir::Block &operand, mlir::Value kIndex, const Expr &depth,
                                           kernel::Variables &vars, const std::map<std::string, int64_t> &divisors);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PACKEDOPERAND_H

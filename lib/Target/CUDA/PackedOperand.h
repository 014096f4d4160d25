//===- lib/Target/CUDA/PackedOperand.h - right operands that stay packed on their way -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_PACKEDOPERAND_H
#define CUPOLA_LIB_TARGET_CUDA_PACKEDOPERAND_H

#include "lib/Target/CUDA/Nibbles.h"

#include <map>

namespace cupola::cuda {

/// An operand whose numbers come in runs of 16 along k: a run's bytes are neighbours in memory, its scale and its
/// offset are one. Two runs one behind the other may be the low and the high half of the same bytes.
struct PackedOperand {
  static constexpr int64_t run = 16;

  Nibbles nibbles;
  Expr shift;               ///< of the bytes of a number, in k
  kernel::LoadOp scale;     ///< as it lies in memory
  kernel::LoadOp offset;    ///< null: a constant
  bool areTwoRuns = false;  ///< of each 16 bytes, from a multiple of 32 on
  bool haveOneScale = true; ///< and offset: those two runs
};

/// None where any of that is not so, or something is behind a mask.
std::optional<PackedOperand> packedOperand(mlir::Block &operand, mlir::Value kIndex, const Expr &depth,
                                           kernel::Variables &vars, const std::map<std::string, int64_t> &divisors);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_PACKEDOPERAND_H

//===- lib/Target/CUDA/Nibbles.h - numbers of four bits, scaled ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TARGET_CUDA_NIBBLES_H
#define CUPOLA_LIB_TARGET_CUDA_NIBBLES_H

#include "dialects/Kernel/Kernel.h"

#include <optional>

namespace cupola::cuda {

/// `((load >> shift & 15) + offset) * scale`, cast to a narrower float or not: what simt.unpack computes of a vector.
struct Nibbles {
  kernel::LoadOp bytes;
  mlir::Value shift;
  std::optional<int8_t> offset;               ///< or offsetValue
  mlir::Value offsetValue;                    ///< i8
  mlir::Value scale;                          ///< f32, or of the result's type
  llvm::SmallVector<mlir::Operation *> inner; ///< between the load and `result`, read by nothing else
};

/// Of the op that yields it: nothing if that is part of it.
std::optional<Nibbles> nibblesOf(mlir::Operation *result);

} // namespace cupola::cuda

#endif // CUPOLA_LIB_TARGET_CUDA_NIBBLES_H

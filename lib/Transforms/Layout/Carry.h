//===- lib/Transforms/Layout/Carry.h - ops on tensors whose dimensions come in another order ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A value is *carried* in an order where another value has its elements with the dimensions
// in that order, and transposing it by `perm` gives the value: dimension i of the value is
// dimension perm[i] of what carries it. Ops that do not care compute on what carries their
// operands, so that the order passes through them.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_LAYOUT_CARRY_H
#define CUPOLA_LIB_TRANSFORMS_LAYOUT_CARRY_H

#include "dialects/Graph/Graph.h"

#include <optional>

namespace cupola::layout {

using Perm = llvm::SmallVector<int64_t>;

/// [N, places.., C] -> [N, C, places..] as the order in which a value is carried.
Perm channelsLast(int64_t rank);
bool isChannelsLast(llvm::ArrayRef<int64_t> perm);

/// The order in which the result is carried by `op` computing on what carries its operands in the order `perm`. `use`
/// is the first operand that something carries. Nothing where the op needs its operands as they are.
std::optional<Perm> carried(mlir::OpOperand &use, llvm::ArrayRef<int64_t> perm);

/// `op` computing so: what carries its result in the order `result`, which carried() gave. `turn` gives what carries an
/// operand in the order `perm`; it is asked for operands of that rank only.
mlir::Value carry(mlir::OpBuilder &b, mlir::Operation *op, llvm::ArrayRef<int64_t> perm, llvm::ArrayRef<int64_t> result,
                  llvm::function_ref<mlir::Value(mlir::Value)> turn);

} // namespace cupola::layout

#endif // CUPOLA_LIB_TRANSFORMS_LAYOUT_CARRY_H

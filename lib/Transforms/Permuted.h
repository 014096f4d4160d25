//===- lib/Transforms/Permuted.h - views whose dimensions come in another order ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_PERMUTED_H
#define CUPOLA_LIB_TRANSFORMS_PERMUTED_H

#include "dialects/Graph/Graph.h"

namespace cupola {

llvm::SmallVector<int64_t> inverse(llvm::ArrayRef<int64_t> perm);

/// result[perm[i]] = values[i]: what belongs to dimensions of a transpose's result, in the order of its input.
template <class T> llvm::SmallVector<T> unpermuted(llvm::ArrayRef<T> values, llvm::ArrayRef<int64_t> perm) {
  llvm::SmallVector<T> result(values.size());
  for (auto [i, dim] : llvm::enumerate(perm))
    result[dim] = values[i];
  return result;
}

/// The type of `value`, unpermuted.
mlir::RankedTensorType unpermutedType(mlir::Value value, llvm::ArrayRef<int64_t> perm);

/// A copy of `view`, a graph.pad, graph.slice or graph.concat, that reads `operands`, its own ones unpermuted, and so
/// gives its own result unpermuted.
mlir::Value unpermutedView(mlir::OpBuilder &b, mlir::Operation *view, mlir::ValueRange operands,
                           llvm::ArrayRef<int64_t> perm);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_PERMUTED_H

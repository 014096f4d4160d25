//===- lib/Transforms/RowCone.h - what constants make, some rows at a time ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Weights of a few bits are made by a dozen ops, whose results together are some hundred times as large as the bytes of
// the model. Rows, along the first dimension, mostly have nothing to do with each other; then those of a range are
// computed by themselves, in memory that stays in the cache, and several ranges at once.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TRANSFORMS_ROWCONE_H
#define CUPOLA_LIB_TRANSFORMS_ROWCONE_H

#include "lib/Transforms/Cone.h"

namespace cupola {

class RowCone {
public:
  /// Of a value of static shape that is made of nothing but constants; nothing where its rows are not made of rows.
  static std::optional<RowCone> of(mlir::Value value);

  int64_t rows() const { return count; }
  /// The rows [first, first + size) of the value, by lib/Reference; from any thread.
  std::optional<reference::Tensor> evaluate(int64_t first, int64_t size) const;

private:
  RowCone(Cone cone, int64_t rows) : cone(std::move(cone)), count(rows) {}
  bool hasRows(mlir::Value value) const;
  bool isByRows(mlir::Operation *op) const;
  bool prepare();

  Cone cone;
  int64_t count;
  llvm::DenseMap<mlir::Value, reference::Tensor> whole; ///< all values that are not computed row by row
};

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_ROWCONE_H

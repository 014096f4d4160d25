//===- lib/Import/Onnx/OpenAxes.h - axes that an input gives ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Where axes are elements of a shape input, every dimension is among them or not,
// which is found when shapes are bound. Ranks stay what they are: how many axes there
// are is known. That they lie in the rank and do not repeat is checked.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPENAXES_H
#define CUPOLA_LIB_IMPORT_ONNX_OPENAXES_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

class OpenAxes {
public:
  /// Of the integers of an operand called `name`; negative axes count from the end of `rank` dimensions.
  OpenAxes(OpBinder &op, llvm::ArrayRef<Expr> axes, int64_t rank, llvm::StringRef name = "axes");

  /// 1 if the dimension is among the axes, else 0.
  const Expr &has(size_t dimension) const { return members[dimension]; }
  /// values[i] for the dimension that is axis i, `otherwise` for one that is none.
  Expr valueOf(llvm::ArrayRef<Expr> values, size_t dimension, const Expr &otherwise) const;
  /// The extents that are no axes, in order.
  Exprs without(llvm::ArrayRef<Expr> dims) const;
  /// `dims`, which are those of the dimensions that are no axes, with extents of 1 at the axes.
  Exprs insertedInto(llvm::ArrayRef<Expr> dims) const;

private:
  OpBinder &op;
  Exprs places;  ///< by axis, 0..rank-1
  Exprs members; ///< by dimension

  /// How many dimensions before this one are no axes.
  Expr othersBefore(size_t dimension) const;
};

/// One axis: the dimensions before it, its own and those behind it, each as one extent. Of an axis that is known,
/// too.
Exprs aroundAxis(OpBinder &op, llvm::ArrayRef<Expr> dims, const Expr &axis);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPENAXES_H

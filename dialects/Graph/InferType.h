//===- dialects/Graph/InferType.h - result types that follow from operands and attributes ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_INFERTYPE_H
#define CUPOLA_DIALECTS_GRAPH_INFERTYPE_H

#include "dialects/Graph/Shape.h"

#include "mlir/IR/OpDefinition.h"

namespace cupola::graph {

/// What a tensor type is made of. No type yet: a sum of extents may have left the range of 64 bits.
struct TensorComponents {
  Exprs dims;
  mlir::Type element;
};

inline mlir::RankedTensorType tensorType(const TensorComponents &parts) {
  return tensorType(parts.dims, parts.element);
}
llvm::SmallVector<TensorComponents> componentsOf(mlir::ValueRange values);

/// The one result of `op` has this type.
mlir::LogicalResult verifyInferred(mlir::Operation *op, const TensorComponents &expected);

/// Of the moments of such elements: f64, or f32 where sums are made in it.
mlir::Type momentType(mlir::Type element);

/// What Graph_InferType makes of `inferResult`, the rule of an op.
template <class Op> class InferType : public mlir::OpTrait::TraitBase<Op, InferType> {
public:
  /// The result of an op that is being built; `operands` in place of their types.
  static TensorComponents inferFor(mlir::OperationState &state, llvm::ArrayRef<TensorComponents> operands) {
    return Op::inferResult(typename Op::InferAdaptor(operands, state.attributes.getDictionary(state.getContext()),
                                                     state.getRawProperties()));
  }
  /// Comes after verify(), so that the rule meets valid operands and attributes only.
  static mlir::LogicalResult verifyRegionTrait(mlir::Operation *op) {
    const llvm::SmallVector<TensorComponents> operands = componentsOf(op->getOperands());
    return verifyInferred(op, Op::inferResult(typename Op::InferAdaptor(operands, llvm::cast<Op>(op))));
  }
};

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_INFERTYPE_H

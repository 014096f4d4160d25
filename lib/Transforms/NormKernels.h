//===- lib/Transforms/NormKernels.h - kernels of norms and of products around them ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_NORMKERNELS_H
#define CUPOLA_LIB_TRANSFORMS_NORMKERNELS_H

#include "dialects/Graph/Graph.h"

#include <vector>

namespace cupola::norm {

using mlir::Value;
using Numbers = std::vector<float>;

/// A kernel that scales rows: casts, a norm, a factor and a shift per column.
struct NormKernel {
  graph::FusionOp fusion;
  graph::LayerNormOp op;
  Value rows;          ///< operand of the fusion
  Value factor, shift; ///< and those, constants [1, columns], or null
  int64_t columns = 0;

  /// Those of all nodes that it was: factor and shift may be nodes of their own.
  mlir::Location loc();
};
std::optional<NormKernel> normOf(graph::FusionOp fusion);

/// The product of a kernel of matrices of 16 bits, the only one; null if there is none.
graph::MatMulOp productOf(graph::FusionOp fusion);
/// Whether what follows of an op lies where the op does.
bool staysInPlace(mlir::Operation *op);
/// Whether the kernel that has this operand, a norm's result, reads it as its product's left operand, beside constant
/// weights, or element by element where its product lies.
bool canRead(mlir::OpOperand &use);

/// The elements of a constant; none if it is none, or they are not at hand.
std::optional<Numbers> numbersOf(Value value);

/// What a product with normalised rows is made of: for weights w, factor f and shift s of the norm,
///   (norm(x) * f + s) w = ((x - mean) (f w)) scale + s w = (x w' - mean sums(w')) scale + shift
struct ScaledWeights {
  mlir::ElementsAttr scaled;      ///< w' = f w, rounded as w
  mlir::ElementsAttr sums, shift; ///< f32 [1, columns]; of a norm without means there are no sums, without s no shift
};
/// None where the type of w does not hold f w as well as w.
std::optional<ScaledWeights> scaleWeights(const NormKernel &norm, Value weights);

} // namespace cupola::norm

#endif // CUPOLA_LIB_TRANSFORMS_NORMKERNELS_H

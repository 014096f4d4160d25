//===- lib/Reference/Ops.h - one function per op ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_REFERENCE_OPS_H
#define CUPOLA_LIB_REFERENCE_OPS_H

#include "dialects/Graph/Graph.h"
#include "lib/Reference/Reference.h"

namespace cupola::reference {

/// An op about to be computed. `result` is the tensor to fill (by views that share
/// their operand's memory: to replace).
struct Call {
  mlir::Operation *op;
  llvm::ArrayRef<Tensor> operands;
  const Symbols &symbols;
  Tensor result;
  Strings *strings = nullptr; ///< null: an op is computed by itself

  /// The numbers of an attribute of expressions.
  Result<std::vector<int64_t>> numbers(mlir::ArrayAttr exprs) const;
};

using OpFunction = Status (*)(Call &call);

// Pointwise.cpp
Status computeConstant(Call &call);
Status computeDims(Call &call);
Status computeIota(Call &call);
Status computeUnary(Call &call);
Status computeBinary(Call &call);
Status computeSelect(Call &call);
Status computeCast(Call &call);
Status computeBitcast(Call &call);
Status computeCall(Call &call);
// Strings.cpp
Status computeHost(Call &call);
// HostFunctions.cpp
Status computeByRuntime(Call &call);
// Views.cpp
Status computeReshape(Call &call);
Status computeTranspose(Call &call);
Status computeBroadcast(Call &call);
Status computeSlice(Call &call);
Status computePad(Call &call);
Status computeConcat(Call &call);
Status computeWindow(Call &call);
// Gather.cpp
Status computeGather(Call &call);
Status computeGatherElements(Call &call);
Status computeGatherND(Call &call);
// Reduce.cpp
Status computeReduce(Call &call);
Status computeArgReduce(Call &call);
// Rows.cpp
Status computeSoftmax(Call &call);
Status computeLayerNorm(Call &call);
Status computeMoments(Call &call);
Status computeNormalize(Call &call);
Status computeStatistics(Call &call);
// MatMul.cpp
Status computeMatMul(Call &call);
Status computeBlockMatMul(Call &call);
// Conv.cpp
Status computeConv(Call &call);

} // namespace cupola::reference

#endif // CUPOLA_LIB_REFERENCE_OPS_H

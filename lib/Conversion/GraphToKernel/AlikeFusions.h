//===- lib/Conversion/GraphToKernel/AlikeFusions.h - fusions that need no kernel of their own ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_ALIKEFUSIONS_H
#define CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_ALIKEFUSIONS_H

#include "dialects/Graph/Graph.h"

#include "llvm/ADT/DenseMap.h"

namespace cupola {

/// Fusions by what their kernels are made of: types, attributes and bodies. Layers of a model repeat, and to compare
/// two fusions is far cheaper than to emit the kernel of the second. Fusions that are not alike here may still have
/// equal kernels: symbols have other names there.
class AlikeFusions {
public:
  /// The first fusion that is like this one, which may be this one itself. Null: it has operands or results in the
  /// memory of other tensors, whose places decide on the kernel, too.
  graph::FusionOp firstLike(graph::FusionOp fusion);

private:
  llvm::DenseMap<size_t, llvm::SmallVector<graph::FusionOp, 1>> firsts; ///< by hash
};

} // namespace cupola

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_ALIKEFUSIONS_H

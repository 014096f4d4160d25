//===- dialects/Graph/Constants.h - constants by their content ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_DIALECTS_GRAPH_CONSTANTS_H
#define CUPOLA_DIALECTS_GRAPH_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"

#include <memory>

namespace cupola::graph {

/// A constant of these row-major bytes, one for a bool, which `owner` keeps alive. Up to 1 KB
/// they are copied. More are a resource named after its content: what was made of the same
/// bytes before, wherever that was, is taken again and `owner` let go.
mlir::ElementsAttr constantOf(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes,
                              std::shared_ptr<const void> owner);

/// Whether all elements are one value, which then travels inside of kernels.
bool isSplat(mlir::ElementsAttr value);

} // namespace cupola::graph

#endif // CUPOLA_DIALECTS_GRAPH_CONSTANTS_H

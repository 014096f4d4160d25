//===- lib/Transforms/Cone.h - what constants make ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_CONE_H
#define CUPOLA_LIB_TRANSFORMS_CONE_H

#include "dialects/Graph/Graph.h"
#include "lib/Reference/Tensor.h"

#include <optional>

namespace cupola {

/// What an op's result is computed of: the inputs of a graph.host, which needs nothing that says the same; else all
/// operands.
mlir::ValueRange madeOf(mlir::Operation *op);

/// The constants that a value is made of, and the ops in between, each in program order. All are in one block.
struct Cone {
  mlir::Value value;
  llvm::SmallVector<mlir::Operation *> constants, ops;
};
/// Of a value that is made of nothing but constants.
Cone coneOf(mlir::Value value);

/// The elements of the cone's value, by lib/Reference; nothing where it has none (an index out of range).
std::optional<reference::Tensor> evaluate(const Cone &cone);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_CONE_H

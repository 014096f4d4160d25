//===- lib/Transforms/Constants.h - constants that passes make ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_CONSTANTS_H
#define CUPOLA_LIB_TRANSFORMS_CONSTANTS_H

#include "dialects/Graph/Constants.h"

#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace cupola {

/// The row-major bytes of a constant; empty for what has none at hand (bools, splats
/// and elided text).
llvm::ArrayRef<char> bytesOf(mlir::ElementsAttr value);

/// A constant of these row-major elements, which have the size of the type's.
template <class T> mlir::ElementsAttr constantOf(mlir::RankedTensorType type, std::vector<T> elements) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(elements));
  const llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(owner->data()), owner->size() * sizeof(T));
  return graph::constantOf(type, bytes, owner);
}

/// A constant whose row-major bytes `fill` writes, all of them.
mlir::ElementsAttr filledConstant(mlir::RankedTensorType type, llvm::function_ref<void(char *)> fill);

/// Matrices of one height, side by side: [K, n0], [K, n1], .. -> [K, n0 + n1 + ..]. A
/// part without bytes is zeros.
struct ColumnPart {
  llvm::ArrayRef<char> bytes;
  int64_t columns;
};
mlir::ElementsAttr joinColumns(int64_t rows, llvm::ArrayRef<ColumnPart> parts, mlir::Type element);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_CONSTANTS_H

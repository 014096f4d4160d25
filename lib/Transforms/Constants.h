//===- lib/Transforms/Constants.h - constants that passes make ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_CONSTANTS_H
#define CUPOLA_LIB_TRANSFORMS_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"

#include <vector>

namespace cupola {

/// The row-major bytes of a constant; empty for what has none at hand (bools, splats
/// and elided text).
llvm::ArrayRef<char> bytesOf(mlir::ElementsAttr value);

/// Matrices of one height, side by side: [K, n0], [K, n1], .. -> [K, n0 + n1 + ..]. A
/// part without bytes is zeros.
struct ColumnPart {
  llvm::ArrayRef<char> bytes;
  int64_t columns;
};
mlir::ElementsAttr joinColumns(int64_t rows, llvm::ArrayRef<ColumnPart> parts, mlir::Type element);

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_CONSTANTS_H

//===- lib/Target/CPU/Access.h - how loops move through memory ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Which variables an op depends on, and which loop of a nest is best vectorised.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_CPU_ACCESS_H
#define CUPOLA_LIB_TARGET_CPU_ACCESS_H

#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cupola::cpu {

/// Expressions for the variables of loops that are emitted in place of others.
using Aliases = std::map<std::string, Expr>;

std::vector<std::string> stringsOf(mlir::ArrayAttr texts);

/// Calls `visit` with every expression in the attributes of `op` (not nested ops).
void forEachExpr(mlir::Operation *op, llvm::function_ref<void(Expr)> visit);

/// Replaces every such expression.
void mapExprs(mlir::Operation *op, llvm::function_ref<Expr(const Expr &)> map);

/// Tiles of maps that are kept in scratch memory; all others are computed again
/// wherever an element is extracted.
using StoredTiles = llvm::DenseMap<mlir::Value, int64_t>;

/// Variables that the value depends on (with the aliases put in), but for those of
/// loops inside of the ops it is computed by.
std::set<std::string> variablesOf(mlir::Operation *op, const StoredTiles &tiles);

/// The position of an element of a stored tile, row-major.
Expr tilePosition(kernel::ExtractOp op);

/// The loop of `vars` to vectorise in `body`, or none: the loops inside of the body
/// choose their own. Deterministic; ties go to the last variable.
std::optional<unsigned> chooseVector(llvm::ArrayRef<std::string> vars, llvm::ArrayRef<Expr> extents, mlir::Block &body,
                                     const StoredTiles &tiles, unsigned lanes);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_ACCESS_H

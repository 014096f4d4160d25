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

/// Variables that are made of those of other loops, and what is known of these.
struct Substitution {
  Aliases aliases;
  Ranges ranges;
};

/// Tiles of maps that are kept in scratch memory; all others are computed again
/// wherever an element is extracted.
using StoredTiles = llvm::DenseMap<mlir::Value, int64_t>;

/// The variables of loops that `op` depends on, but for those of loops inside of the ops
/// that compute it.
std::set<std::string> variablesOf(kernel::Variables &vars, mlir::Operation *op, const StoredTiles &tiles);

/// The variables of a map at the iteration that gives the extracted element.
Aliases aliasesOf(kernel::Variables &vars, kernel::MapOp map, kernel::ExtractOp extract);

/// The position of an iteration among those of the loops, row-major.
Expr rowMajor(llvm::ArrayRef<std::string> loops, llvm::ArrayRef<Expr> extents);

/// The position of an element of a stored tile, row-major.
Expr tilePosition(kernel::Variables &vars, kernel::ExtractOp op);

/// How many iterations of `var`, from a multiple of that number on, have the same element, as the next ones have its
/// neighbour: a power of two; 1 where there is no such number.
int64_t repeatsOf(const Expr &position, const std::string &var, const Ranges &ranges);

/// How far neighbours along `var` lie apart in a vector of `lanes` of them that begins at a multiple of that number:
/// the digits of such a number do not change within it. Nothing where that differs.
std::optional<Expr> stepWithin(const Expr &position, const std::string &var, int64_t lanes, const Ranges &ranges);

/// How far neighbours along `var` lie apart, if that is a few elements, all of which vectors may load; else 0.
int64_t stepOf(const Expr &position, const std::string &var);

/// The loop of `loops` to vectorise in `body`, or none: the loops inside of the body
/// choose their own. Deterministic; ties go to the last variable.
/// `hasLanes`: stored tiles made in the body may have an element for each lane. `made`: variables of the body that
/// `loops` stand for.
std::optional<unsigned> chooseVector(kernel::Variables &vars, llvm::ArrayRef<std::string> loops,
                                     llvm::ArrayRef<Expr> extents, mlir::Block &body, const StoredTiles &tiles,
                                     unsigned lanes, bool hasLanes = false, const Substitution &made = {});

/// Whether iterations of `loop` may run as lanes of a vector in `body`: it has no dot, no stored tile unless that
/// `hasLanes`, and every store has a place per lane.
bool canVectorise(kernel::Variables &vars, const std::string &loop, mlir::Block &body, const StoredTiles &tiles,
                  bool hasLanes = false);

} // namespace cupola::cpu

#endif // CUPOLA_LIB_TARGET_CPU_ACCESS_H

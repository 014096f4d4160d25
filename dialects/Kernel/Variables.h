//===- dialects/Kernel/Variables.h - index values as symbols of expressions ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes compute with `cupola::Expr`; ops hold expressions over x0, x1, .. , their operands.
// A table of variables goes between the two: it gives every index value of a function a
// symbol and what is known of it, reads the expressions of ops in these symbols, and writes
// expressions back as attributes and operands.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_DIALECTS_KERNEL_VARIABLES_H
#define CUPOLA_DIALECTS_KERNEL_VARIABLES_H

#include "dialects/Graph/Shape.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <set>

namespace cupola::kernel {

class PositionInterface;

/// A variable of an expression: its value, null for a constant, and its place among all.
struct Variable {
  mlir::Value value;
  size_t number = 0;
};
/// Writes expressions as an op takes them: in place, over x0, x1, .. for the variables among
/// their symbols in the order of the numbers. Returns the values of these.
llvm::SmallVector<mlir::Value> takeOperands(llvm::MutableArrayRef<Expr> exprs,
                                            llvm::function_ref<Variable(const std::string &symbol)> find);

class Variables {
public:
  /// `func` is a kernel.func or a simt.func.
  explicit Variables(mlir::Operation *func);

  /// The symbol of an index value: v0, v1, .. in the order in which they are asked for. A
  /// dot's k is one symbol in both of its regions: value(), write() and rewrite() give that of
  /// the left one. No value with a symbol may be erased while others get theirs.
  std::string name(mlir::Value index);
  Expr of(mlir::Value index) { return Expr::symbol(name(index)); }
  std::vector<std::string> names(mlir::ValueRange indices);
  /// Null for a symbol that is no variable (n0, n1, ..).
  mlir::Value value(const std::string &name) const;

  /// The expressions of an op in these symbols.
  Expr read(const Expr &expr, mlir::ValueRange indices);
  graph::Exprs read(mlir::ArrayAttr exprs, mlir::ValueRange indices);
  /// All of an op's expressions, in the order of its attributes.
  graph::Exprs read(PositionInterface op);

  /// Expressions as an op takes them: in place, over x0, x1, .. ; the values of these.
  llvm::SmallVector<mlir::Value> write(llvm::MutableArrayRef<Expr> exprs) const;
  /// Changes all expressions of an op.
  void rewrite(PositionInterface op, llvm::function_ref<Expr(const Expr &)> change);

  /// What is known of n0, n1, .. and of all values with a symbol.
  const Ranges &ranges() const { return known; }
  /// Sets what is known of a value from here on.
  void setRange(mlir::Value index, const Range &range) { known[name(index)] = range; }

private:
  llvm::DenseMap<mlir::Value, std::string> symbols;
  std::map<std::string, mlir::Value> values;
  Ranges known;
};

/// Calls `visit` with the expressions of an op, over x0, x1, ..
void forEachExpr(mlir::Operation *op, llvm::function_ref<void(const Expr &)> visit);
/// Which scalars n0, n1, .. the expressions of a function, its grid among them, depend on.
std::set<unsigned> usedScalars(mlir::Operation *func);
/// Whether x0, x1, .. in them are operands of the op, and all other symbols scalar parameters.
mlir::LogicalResult verifyPositions(mlir::Operation *op);
/// Replaces them.
void mapExprs(mlir::Operation *op, llvm::function_ref<Expr(const Expr &)> map);

} // namespace cupola::kernel

#endif // CUPOLA_DIALECTS_KERNEL_VARIABLES_H

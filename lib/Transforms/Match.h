//===- lib/Transforms/Match.h - what patterns on the graph ask and build ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_MATCH_H
#define CUPOLA_LIB_TRANSFORMS_MATCH_H

#include "dialects/Graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace cupola::match {

/// The constant that `value` is, or a view of; null for others.
graph::ConstantOp constantBehind(mlir::Value value);

/// The one value that every element of a constant has, seen through views. Integers
/// and bools as numbers; none for integers that a double does not hold.
std::optional<double> splatOf(mlir::Value value);

/// How far constants of exporters are from what they mean, relative: those of a model in
/// half precision are rounded once or twice to `element`, all others at least to f32.
double toleranceOf(mlir::Type element);
inline double toleranceOf(mlir::Value value) { return toleranceOf(graph::elementOf(value)); }
/// Both numbers agree to `tolerance`, relative.
bool isNear(double a, double b, double tolerance = 1e-6);
/// `value` is a splat near `expected`, as near as its element type can be.
bool isSplat(mlir::Value value, double expected);

/// What `value` is a cast of, where all types are floats.
mlir::Value withoutCasts(mlir::Value value);
inline bool isSameButForCasts(mlir::Value a, mlir::Value b) { return withoutCasts(a) == withoutCasts(b); }

/// A unary op on `input`, whose type the result has.
graph::UnaryOp unary(mlir::OpBuilder &b, mlir::Location loc, graph::UnaryKind kind, mlir::Value input,
                     double alpha = 0);

/// The same with a result of `type`: computed in the wider of both types.
mlir::Value unaryAs(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type, graph::UnaryKind kind,
                    mlir::Value input, double alpha = 0);

/// Replaces `op`, and what stands between it and `x`, by a unary op on `x`.
mlir::LogicalResult replaceByUnary(mlir::PatternRewriter &rewriter, graph::BinaryOp op, graph::UnaryKind kind,
                                   mlir::Value x, double alpha = 0);

/// A tensor of `type` that holds `number` everywhere: one element for every dynamic
/// shape, repeated by a view. `type` has float, integer or bool elements.
mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, double number, mlir::RankedTensorType type);
mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, mlir::Attribute element, mlir::RankedTensorType type);

/// An operand pair of a commutative op, in both orders.
struct Pair {
  mlir::Value first, second;
};
/// The operands of `value` if it is a binary op of this kind, else nothing; twice, in
/// both orders, for add and mul.
llvm::SmallVector<Pair, 2> operandsOf(mlir::Value value, graph::BinaryKind kind);

/// The input of `value` if it is a unary op of this kind.
mlir::Value inputOf(mlir::Value value, graph::UnaryKind kind);

/// `value` = x * number: by a multiplication or a division with a splat. `number` is
/// not 0, not infinite and not NaN.
struct Scaled {
  mlir::Value x;
  double number;
};
std::optional<Scaled> scaledBy(mlir::Value value);

/// `value` = x + number (or x - number).
std::optional<Scaled> shiftedBy(mlir::Value value);

/// `value` = x * number, by Neg, too, or else value * 1.
Scaled multipleOf(mlir::Value value);

/// `value` = factor * x + offset, by a sum or difference with a splat.
struct Affine {
  mlir::Value x;
  double factor, offset;
};
std::optional<Affine> affineOf(mlir::Value value);

/// The factors of a product, constants multiplied into `number`. Only single-use
/// products are entered, so that nothing is computed twice.
struct Product {
  double number = 1;
  llvm::SmallVector<mlir::Value> factors;
};
Product productOf(mlir::Value value);
/// The same of exactly two factors, in both orders; else nothing.
struct TwoFactors {
  mlir::Value first, second;
  double number;
};
llvm::SmallVector<TwoFactors, 2> twoFactorsOf(mlir::Value value);

/// The op computes on elements of its own place only.
bool isPointwise(mlir::Operation *op);
/// A bijection between the elements of input and result: reshape or transpose.
bool isBijectiveView(mlir::Operation *op);
/// The operand of a view with one operand; null for others.
mlir::Value viewInput(mlir::Operation *op);

/// Where all of `ops` come from. Constants count only where there is nothing else: many
/// are named after an initializer, which is no node.
mlir::Location fusedLoc(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Operation *> ops);
/// All ops between `last` and the values `stop`, for the location of what replaces
/// them: a matched subgraph.
mlir::Location locationOf(mlir::OpBuilder &b, mlir::Operation *last, llvm::ArrayRef<mlir::Value> stop);

/// `value` with elements of this type.
mlir::Value castTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type element);

/// A reshape of `value`, or `value` itself where the shape is the same.
mlir::Value reshapeTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, llvm::ArrayRef<Expr> shape);

/// Erases ops whose results nothing reads.
void eraseDead(mlir::Block &block);

/// Lets `rewrite` change each body of the function and say whether it has; erases what is dead of those that it has
/// changed. Whether there are some.
bool rewriteBodies(mlir::func::FuncOp func, llvm::function_ref<bool(mlir::Block &body)> rewrite);

/// A function that is a pattern.
template <class Op> using Rewrite = mlir::LogicalResult (*)(Op, mlir::PatternRewriter &);
template <class... Ops>
void addPatterns(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit, Rewrite<Ops>... rewrites) {
  (patterns.add(rewrites, benefit), ...);
}

/// Applies patterns until none fits; constants stay where they are, with their locations. An
/// error of `root` where `what` does not come to an end.
mlir::LogicalResult rewriteAll(mlir::Operation *root, mlir::RewritePatternSet patterns, llvm::StringRef what);
template <class... Ops>
mlir::LogicalResult rewriteAll(mlir::Operation *root, llvm::StringRef what, Rewrite<Ops>... rewrites) {
  mlir::RewritePatternSet patterns(root->getContext());
  addPatterns(patterns, /*benefit=*/1, rewrites...);
  return rewriteAll(root, std::move(patterns), what);
}

} // namespace cupola::match

#endif // CUPOLA_LIB_TRANSFORMS_MATCH_H

//===- lib/Conversion/GraphToKernel/Schedule.h - generators of kernels ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A schedule turns a fusion into a kernel: it makes the loops and asks the
// emitter for elements at its ports,
//   pointwise            {out(i..)}
//   row reduction        {in(r.., c..), row, out(r.., c..)}
//   moments              {in(r.., c..), out(r.., 2)}
//   normalize            {in(r.., c..), moments(r.., p.., 2), out(r.., c..)}
//   reduction            {in(r.., c..), out(r..)}
//   gemm                 {A(b.., m, k), B(b.., k, n), out(b.., m, n), moments(m, p, 2)}
//   attention            {q(b.., m, k), k(b.., k, n), score(b.., m, n), v(b.., n, d), out(b.., m, d)}
//   recurrence           {states(d, r, c), captures, out(d, r, c), rows(t, d, r, c)}
//   conv                 {in(n, s.., c), weights(w.., c, n), out(n, o.., n)}, or as its layout says
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_SCHEDULE_H
#define CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_SCHEDULE_H

#include "lib/Conversion/GraphToKernel/Emitter.h"

namespace cupola {

struct Schedule {
  graph::KernelKind kind; ///< of the kernels that it makes
  /// Whether it can make the kernel of a fusion with this hero (null: pointwise).
  bool (*matches)(mlir::Operation *hero);
  /// Fills the emitter's kernel.
  void (*generate)(Emitter &emitter, mlir::Operation *hero);
};

/// All schedules, in the order in which they are asked.
llvm::ArrayRef<Schedule> schedules();

/// The last op of the fusion that is no view, pointwise op, gather or constant; a loop where it has one.
mlir::Operation *heroOf(graph::FusionOp fusion);

// One file each.
void generatePointwise(Emitter &emitter, mlir::Operation *hero);
void generateSoftmax(Emitter &emitter, mlir::Operation *hero);
void generateLayerNorm(Emitter &emitter, mlir::Operation *hero);
void generateMoments(Emitter &emitter, mlir::Operation *hero);
void generateNormalize(Emitter &emitter, mlir::Operation *hero);
void generateReduction(Emitter &emitter, mlir::Operation *hero);
void generateArgReduction(Emitter &emitter, mlir::Operation *hero);
void generateGemm(Emitter &emitter, mlir::Operation *hero);
void generateBlockGemm(Emitter &emitter, mlir::Operation *hero);
void generateAttention(Emitter &emitter, mlir::Operation *hero);
void generateConv(Emitter &emitter, mlir::Operation *hero);
void generateRecurrence(Emitter &emitter, mlir::Operation *hero);

/// A contraction with one dimension each of rows, columns and depth: where the elements
/// of operands and result are.
struct Product {
  using Place = std::function<graph::Exprs(const Expr &, const Expr &)>;
  mlir::Value lhs;
  llvm::SmallVector<mlir::Value, 2> rhs, results; ///< several of the same extents, or one
  Expr rows, columns, depth;
  Place lhsAt, rhsAt, resultAt; ///< of (m, k), (k, n), (m, n)
  graph::Tf32Attr tf32 = {};
};
/// The dots and the loop over their tiles that computes the rest of the fusion.
void generateProduct(Emitter &emitter, const Product &product);

struct RowMoments {
  mlir::Value mean, variance;
};
/// The mean, then the mean of squared differences: `sum` adds up what its argument makes of every element.
RowMoments momentsOf(Emitter &emitter, mlir::Value count,
                     llvm::function_ref<mlir::Value(llvm::function_ref<mlir::Value(mlir::Value)>)> sum);
/// Those of a row from those of its parts, which have one size and lie along `axes` of `moments`; `at`: the row's place
/// in the other dimensions. `aboutZero`: the mean of squares in the variance's place.
RowMoments combineMoments(Emitter &emitter, mlir::Value moments, llvm::ArrayRef<int64_t> axes, graph::Exprs at,
                          bool aboutZero = false);

/// What rows need that a norm scales, computed in tiles of the rows before the product.
void generateStatistics(Emitter &emitter);
/// Mean and variance of parts of the rows that lie in `tile`, which a map over `rows` and columns makes.
void generatePartMoments(Emitter &emitter, graph::MomentsOp moments, const Expr &rows, mlir::Value tile);

/// Rows of up to this many elements are kept between the passes over them.
constexpr int64_t maxRowElements = 32768;

/// The grid over the dimensions that `axes` leave. The extents of `axes` in `columns`; gives
/// the index for an index of those.
std::function<graph::Exprs(llvm::ArrayRef<Expr>)> gridOfRows(Emitter &emitter, mlir::Value input,
                                                             llvm::ArrayRef<int64_t> axes, graph::Exprs &columns);

/// The row of a row reduction: its elements by variable, kept in a tile where the
/// row is static and short enough, else computed again on every pass.
class Row {
public:
  /// `input` is the hero's operand; `at(columns)` its whole index.
  Row(Emitter &emitter, mlir::Value input, llvm::ArrayRef<Expr> extents,
      std::function<graph::Exprs(llvm::ArrayRef<Expr>)> at);

  Emitter::Loop loop() { return emitter.makeLoop(extents); }
  /// The element at `loop`'s variables, or at an index of the extents.
  mlir::Value element(const Emitter::Loop &loop) { return element(loop.index); }
  mlir::Value element(llvm::ArrayRef<Expr> columns);
  mlir::Value reduce(graph::ReduceKind kind, llvm::function_ref<mlir::Value(mlir::Value)> f);
  /// Replaces every element by f(element), kept like the row itself.
  void transform(std::function<mlir::Value(mlir::Value)> f);
  const Expr &count() const { return elements; }

private:
  bool isKept() const;

  Emitter &emitter;
  mlir::Value input;
  graph::Exprs extents;
  std::function<graph::Exprs(llvm::ArrayRef<Expr>)> at;
  Expr elements;
  mlir::Value tile;
  std::vector<std::function<mlir::Value(mlir::Value)>> again; ///< transforms when not kept
};

/// A row of a layer or RMS normalisation; which one, the grid says.
class NormalisedRow {
public:
  NormalisedRow(Emitter &emitter, graph::LayerNormOp norm);
  Emitter::Loop loop() { return row->loop(); }
  /// The whole index of the element at `columns`, and the element.
  graph::Exprs at(llvm::ArrayRef<Expr> columns) const { return place(columns); }
  mlir::Value element(llvm::ArrayRef<Expr> columns);

private:
  Emitter &emitter;
  std::function<graph::Exprs(llvm::ArrayRef<Expr>)> place;
  std::optional<Row> row;
  mlir::Value scale;
};

} // namespace cupola

#endif // CUPOLA_LIB_CONVERSION_GRAPHTOKERNEL_SCHEDULE_H

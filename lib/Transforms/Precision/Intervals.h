//===- lib/Transforms/Precision/Intervals.h - between what numbers values lie ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_PRECISION_INTERVALS_H
#define CUPOLA_LIB_TRANSFORMS_PRECISION_INTERVALS_H

#include "dialects/Graph/Graph.h"

#include <limits>

namespace cupola {

/// All elements lie in it, but for NaN. Known from both sides, or from none that counts: an
/// infinite end says nothing.
struct FloatInterval {
  double lo = -std::numeric_limits<double>::infinity(), hi = std::numeric_limits<double>::infinity();

  bool isKnown() const;
  double largest() const; ///< the largest magnitude
  FloatInterval join(const FloatInterval &other) const;
};

/// FloatInterval analysis of one body, forward: from constants, from integers of known range, and
/// through ops whose results are bounded whatever they read. Inputs of the model may be anything.
class FloatIntervals {
public:
  explicit FloatIntervals(mlir::Block &body);
  FloatInterval of(mlir::Value value) const { return known.lookup(value); }

private:
  FloatInterval compute(mlir::Operation *op) const;
  FloatInterval compute(graph::UnaryOp op) const;
  FloatInterval compute(graph::BinaryOp op) const;
  FloatInterval compute(graph::ReduceOp op) const;

  llvm::DenseMap<mlir::Value, FloatInterval> known;
};

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_PRECISION_INTERVALS_H

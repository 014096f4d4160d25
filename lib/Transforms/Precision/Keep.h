//===- lib/Transforms/Precision/Keep.h - what must not have 16 bits ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_PRECISION_KEEP_H
#define CUPOLA_LIB_TRANSFORMS_PRECISION_KEEP_H

#include "lib/Transforms/Precision/Intervals.h"

#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <string>

namespace cupola {

/// Whether a node of the model, by its name, is to stay f32.
using KeepsNode = std::function<bool(llvm::StringRef node)>;
/// Those whose names match one of the patterns (*, ?, [a-z]).
KeepsNode keepsMatching(llvm::ArrayRef<std::string> patterns);

/// Whether the elements of an op's result are some of its operands'.
bool movesElements(mlir::Operation *op);

/// Why results of ops in one body stay f32: by name, by class, by range. The reasons do not
/// depend on each other; what follows from them, as that f32 goes on, is the pass's.
class Keep {
public:
  /// `element`: the 16-bit type that the others get.
  Keep(mlir::Block &body, mlir::FloatType element, const KeepsNode &keepsNode);

  /// Whether a value loses nothing but bits of its mantissa in 16 bits, as far as is known.
  bool fits(mlir::Value value) const;
  /// It is known to.
  bool isKnownToFit(mlir::Value value) const { return intervals.of(value).isKnown() && fits(value); }
  /// A sentence; none where nothing speaks against other products of f32 numbers than exact ones.
  std::optional<std::string> reasonForExact(mlir::Operation *op) const;
  /// A sentence; none where the result may have 16 bits.
  std::optional<std::string> reason(mlir::Operation *op) const;

private:
  void markExact(mlir::Block &body);

  mlir::FloatType element;
  const KeepsNode &keepsNode;
  FloatIntervals intervals;
  llvm::DenseSet<mlir::Value> exact; ///< what positions and angles are computed from
};

} // namespace cupola

#endif // CUPOLA_LIB_TRANSFORMS_PRECISION_KEEP_H

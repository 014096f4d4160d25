//===- lib/Transforms/Norm.h - the parts of a written-out norm ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_TRANSFORMS_NORM_H
#define CUPOLA_LIB_TRANSFORMS_NORM_H

#include "lib/Transforms/Match.h"

// All of it is seen through casts between float types (exporters differ in what they
// compute in half and in single precision) and through what repeats a number per row.

namespace cupola::norm {

using mlir::Value;

/// The mean of `input` over `axes`.
struct Mean {
  Value input;
  llvm::SmallVector<int64_t> axes;
};
std::optional<Mean> meanOf(Value value);

/// x - mean(x) over `axes`, or the negative of it.
struct Centred {
  Value x;
  bool isNegative;
};
std::optional<Centred> centredOf(Value value, llvm::ArrayRef<int64_t> axes);

/// 1 / sqrt(mean(y^2) + epsilon) over `axes`.
struct InverseRoot {
  Value y;      ///< null where the radicand is mean(x^2) - mean(x)^2
  Value centre; ///< x where the radicand is its variance, else null
  llvm::SmallVector<int64_t> axes;
  double epsilon;

  bool operator==(const InverseRoot &other) const {
    return y == other.y && centre == other.centre && axes == other.axes && epsilon == other.epsilon;
  }
};

/// What is multiplied, without the views that repeat it and without signs.
struct Parts {
  llvm::SmallVector<Value> factors; ///< as they are repeated
  llvm::SmallVector<InverseRoot> roots;
  bool isNegative = false;
};
/// By products, quotients by roots, and signs.
Parts partsOf(Value value);

/// What a factor repeats, and of which float type it may be a cast.
Value rowsOf(Value value);

} // namespace cupola::norm

#endif // CUPOLA_LIB_TRANSFORMS_NORM_H

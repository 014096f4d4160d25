//===- lib/Import/Onnx/Sized.h - extents that data decide ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// How many elements are chosen is counted on the device and read back once: a run symbol
// from there on (docs/rationale/control.md). Which ones they are is a search in the sums of
// those before: the k-th chosen place is the first one up to which more than k are chosen.
// Of many places a processor finds them by going through all (graph.host).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SIZED_H
#define CUPOLA_LIB_IMPORT_ONNX_SIZED_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

/// One int64 of data, at least `least` and never above `most`, as an extent or a place. `what`, for errors: "the number
/// of nonzero elements".
Expr readCount(const OpBinder &op, Value count, const std::string &what, const std::optional<Expr> &most = std::nullopt,
               int64_t least = 0);

/// The value of an expression that depends on numbers of data, 0 or more, as a symbol: short, and of known bounds. The
/// host evaluates it.
Expr evaluated(const OpBinder &op, const Expr &value, const std::string &what, const std::optional<Expr> &most);

/// The places of a bool vector that are true, in order: int64. `what` as above.
Value placesOf(OpBinder &op, Value flags, const std::string &what);
/// The same of so many as are true.
Value placesOf(OpBinder &op, Value flags, const Expr &count);
/// How many are true: a scalar of int64.
Value countOf(OpBinder &op, Value flags);

/// Coordinates in `shape` of places of the flattened tensor, by dimension.
std::vector<Value> coordinatesOf(OpBinder &op, Value places, llvm::ArrayRef<Expr> shape);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SIZED_H

//===- lib/Import/Onnx/Ops/Sort.h - orders of elements --------------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_SORT_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_SORT_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

/// Integers in the order of the elements. Every NaN is the same and above infinity, and so are both zeros one.
Value keysOf(OpBinder &op, Value value);

/// [.., count]: the places of the first elements of each row of integers [.., n], largest or smallest first; of equal
/// ones the first goes first.
Value orderedPositions(OpBinder &op, Value keys, const Expr &count, bool largest);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_SORT_H

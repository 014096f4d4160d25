//===- lib/Import/Onnx/Ops/Scatter.h - what both scatters share ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Every element of the result looks for the last update that is meant for it, so that
// no order of threads can decide. The search takes (elements) x (updates) steps per
// row, of which nothing is stored: right for the rows of a KV cache, the regions
// of a mask, the entries of a shape. Where it may be long the host can do it instead, one
// update after the other (graph.host).
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_SCATTER_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_SCATTER_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import::scatter {

/// Throws unless data, indices and updates have the types that they must have.
void requireOperands(OpBinder &op);
/// How updates meet what they find (attribute `reduction`); nothing: they replace it.
std::optional<ReduceKind> readReduction(OpBinder &op);
/// Entries of a shape: data of rank 1 where everything is known.
std::optional<Known> scatterKnown(OpBinder &op);

/// Indices as int64, counted from the front of `extent` elements: what a gather finds there,
/// which makes one that is out of range an error of the run.
Value fromFront(OpBinder &op, Value index, const Expr &extent);
/// Before it was repeated: with extents of 1 where all elements are the same.
Value unrepeated(OpBinder &op, Value value);

/// [.., extent, updates, ..]: whether an update, along `axis` of `index`, is meant for a position.
Value matches(OpBinder &op, Value index, int64_t axis, const Expr &extent);
/// [.., extent, ..]: the last of the updates meant for each position, -1 where there is none.
Value lastMatch(OpBinder &op, Value index, int64_t axis, const Expr &extent);
/// The same, [shape of data], where the indices of ScatterElements are a constant: found once, here. Null where they
/// are none, lie outside, or data has dynamic extents or so many elements that the answer would be a burden.
Value lastOfConstant(OpBinder &op, llvm::ArrayRef<Expr> shape, int64_t axis);
Value isFound(OpBinder &op, Value last);
Value orFirst(OpBinder &op, Value last); ///< 0 instead of -1
/// With a zero behind `updates` where there may be none at all: what orFirst finds then.
Value withFirst(OpBinder &op, Value updates, int64_t axis);

/// Data, of as many elements as `updates` with `extent` in place of `axis`, with the updates that `index` brings to
/// each place. `index` has the rank of the updates, and extents of 1 where it is the same for all.
Value reduceInto(OpBinder &op, ReduceKind kind, Value data, Value index, Value updates, int64_t axis,
                 const Expr &extent);

} // namespace cupola::onnx_import::scatter

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_SCATTER_H

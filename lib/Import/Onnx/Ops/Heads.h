//===- lib/Import/Onnx/Ops/Heads.h - heads of attention, and turning them --===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_HEADS_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_HEADS_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import {

/// [batch, sequence, heads * size] -> [batch, heads, sequence, size]; `attribute` says how many.
Value splitHeads(OpBinder &op, Value value, int64_t heads, llvm::StringRef attribute);
/// The reverse.
Value joinHeads(OpBinder &op, Value value);
/// Every key and value head serves several of the query heads, of which there are `heads`.
Value repeatHeads(OpBinder &op, Value value, const Expr &heads);
/// The size of a head of [batch, heads, sequence, size].
int64_t headSize(OpBinder &op, Value value);

/// The first `part` elements of each head of [batch, heads, sequence, size], turned in pairs by the angles whose
/// cosines and sines are given as [batch or 1, sequence, part / 2]. Pairs are neighbours, or elements of either half.
Value turned(OpBinder &op, Value value, Value cosine, Value sine, int64_t part, bool neighbours);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_HEADS_H

//===- lib/Import/Onnx/SequenceLoop.h - loops that carry sequences ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Where it is known how often a loop runs, its iterations are made one by one: sequences are
// lists while compiling. Other loops carry the tensors of which a sequence consists, or,
// where it grows by tensors of one shape, their stack.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SEQUENCELOOP_H
#define CUPOLA_LIB_IMPORT_ONNX_SEQUENCELOOP_H

#include "lib/Import/Onnx/LoopBody.h"

namespace cupola::onnx_import {

/// Makes an iteration of a Loop; its outputs: the condition, the carried values, the rows.
using LoopIteration = std::function<std::vector<Tensor>(const Expr &index, llvm::ArrayRef<Tensor> carried)>;

/// What a loop gives in the end: carried values, then all rows. Nothing where it is not known how often it runs, or
/// where that is too much work.
std::optional<std::vector<Tensor>> unrolled(OpBinder &op, const LoopBounds &bounds, const onnx::GraphProto &graph,
                                            llvm::ArrayRef<Tensor> initial, const LoopIteration &iteration);

/// The same of a graph.loop.
std::vector<Tensor> rolled(OpBinder &op, const LoopBounds &bounds, std::vector<Tensor> initial,
                           const LoopIteration &iteration);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SEQUENCELOOP_H

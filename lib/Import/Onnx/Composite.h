//===- lib/Import/Onnx/Composite.h - sequences and optionals ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A sequence has no place in the IR: while compiling it is a list of tensors, an optional
// is a value or nothing. Only a sequence whose length a run decides, all tensors of which
// have one shape, is one tensor: its elements are the rows of the stack.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_COMPOSITE_H
#define CUPOLA_LIB_IMPORT_ONNX_COMPOSITE_H

#include "lib/Import/Onnx/OpBinder.h"
#include "lib/Runtime/Format/Plan.h"

namespace cupola::onnx_import {

/// "a tensor", "a sequence of 2 tensors", "an optional that is absent": equal where values consist alike of tensors.
std::string formOf(const TensorRecord &value);

/// An input of the model that consists of these tensors.
Tensor compositeOf(TensorPool &pool, const format::Composite &input, const std::vector<Tensor> &elements, Type element);

/// Appends the tensors of which a value consists; of a tensor, itself.
void addLeaves(Tensor value, std::vector<Tensor> &leaves);
std::vector<Tensor> leavesOf(llvm::ArrayRef<Tensor> values);
/// The value that consists of other tensors, the first ones of `leaves`, which are taken from there.
Tensor withLeaves(OpBinder &op, const TensorRecord &form, llvm::ArrayRef<Tensor> &leaves);

/// Whether all have one shape and element type, as far as is known while compiling.
bool areAlike(const OpBinder &op, llvm::ArrayRef<Tensor> tensors);
/// Tensors that are alike as the rows of one; at least one.
Value stacked(OpBinder &op, llvm::ArrayRef<Tensor> tensors);

/// The sequence of these rows.
Tensor stackOfRows(OpBinder &op, Value rows, Type element);
/// The rows of such a tensor, of which the number is known.
std::vector<Value> rowsOf(GraphBuilder &b, Value stack);

/// The tensor, of a sequence that is a stack; else null.
Tensor stackOf(const TensorRecord &sequence);
/// The tensors of the sequence; of a stack, its rows where their number is known. Throws where it is not.
std::vector<Tensor> elementsOf(OpBinder &op, size_t index, llvm::StringRef name);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_COMPOSITE_H

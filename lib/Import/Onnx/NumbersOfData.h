//===- lib/Import/Onnx/NumbersOfData.h - operands that data decides --------===//
// SPDX-License-Identifier: Apache-2.0
//
// A length, a size or a place may be computed of the model's data: the frames that a text
// takes when it is spoken, the box that a mask is pasted into. Where nothing else decides
// such an operand it is read back while the model runs: a run symbol (Sized.h). What exporters
// make of a few such numbers, "one more", "this beside a constant", is followed through the
// ops that were imported, so that two operands of one number are expressions over one symbol.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_NUMBERSOFDATA_H
#define CUPOLA_LIB_IMPORT_ONNX_NUMBERSOFDATA_H

#include "lib/Import/Onnx/OpBinder.h"

namespace cupola::onnx_import {

/// Integers, and few enough to be read one by one.
bool canBeRead(const TensorRecord &tensor);

/// The elements of such a tensor, row-major. `what`, for the run's errors: "input 1 (limit)".
Known readNumbers(const OpBinder &op, Tensor tensor, const std::string &what, Sign sign);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_NUMBERSOFDATA_H

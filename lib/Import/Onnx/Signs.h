//===- lib/Import/Onnx/Signs.h - numbers that are not negative -------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_SIGNS_H
#define CUPOLA_LIB_IMPORT_ONNX_SIGNS_H

#include "lib/Import/Onnx/GraphBuilder.h"

namespace cupola::onnx_import {

/// Whether the ops that made a value say that no element is below 0: it counts something, or is cut off there. Nothing
/// wrong comes of overflows: the run checks what is read of it.
bool isNeverNegative(Value value, const Ranges &ranges);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SIGNS_H

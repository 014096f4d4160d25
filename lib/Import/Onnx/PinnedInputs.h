//===- lib/Import/Onnx/PinnedInputs.h - inputs with a value at compile time -===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_PINNEDINPUTS_H
#define CUPOLA_LIB_IMPORT_ONNX_PINNEDINPUTS_H

#include "lib/Import/Onnx/Diagnostic.h"

#include <memory>
#include <optional>

namespace onnx {
class TensorProto;
class ValueInfoProto;
} // namespace onnx

namespace cupola::onnx_import {

/// More numbers than that are data, not an option of a command.
inline constexpr size_t maxPinnedElements = 256;

/// The value that `--set NAME=TEXT` gives an input: numbers of the declared type, in
/// row-major order, separated by commas; no text is no numbers. Unknown extents of a tensor of rank 1 follow from
/// the count; other shapes must be declared. Null, with a Usage error, where it does not fit.
std::unique_ptr<onnx::TensorProto> pinnedValue(const onnx::ValueInfoProto &input, const std::string &text,
                                               Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_PINNEDINPUTS_H

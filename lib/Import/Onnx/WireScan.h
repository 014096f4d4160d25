//===- lib/Import/Onnx/WireScan.h - look at a model before parsing it ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Walks the encoded bytes of a ModelProto without building anything: nesting,
// lengths, the number of nodes, operands, attributes and initialisers, the
// length of names, and that all text is UTF-8 without NUL. What passes can be
// parsed in memory proportional to the file. The walk keeps its own stack.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_WIRESCAN_H
#define CUPOLA_LIB_IMPORT_ONNX_WIRESCAN_H

#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/Limits.h"

#include <string_view>

namespace cupola::onnx_import {

/// True when `bytes` may be parsed; otherwise one error, which says where.
bool scanModelBytes(std::string_view bytes, const Limits &limits, Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_WIRESCAN_H

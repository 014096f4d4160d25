//===- lib/Import/Onnx/Ops/Normalization.h - what normalisations share -----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_NORMALIZATION_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_NORMALIZATION_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import {

/// value * scale + bias, where scale and bias (null: none) broadcast to the value.
Value scaleAndShift(OpBinder &op, Value value, Value scale, Value bias);
/// Softmax along `axis`, or of rows of all dimensions from it on, as before opset 13.
Value softmaxFlattened(OpBinder &op, Value value, int64_t axis, bool log);

/// Normalises [N, C, spatial..] over `groups` of channels, which the attribute says.
Value normalizeGroups(OpBinder &op, Value value, int64_t groups, llvm::StringRef attribute);
/// A [C] operand as [1, C, 1..] for values of [N, C, spatial..], which have this rank.
Value perChannel(OpBinder &op, size_t index, llvm::StringRef name, int64_t rank, const Expr &channels);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_NORMALIZATION_H

//===- lib/Import/Onnx/ForeignOps.h - ops that are ONNX's by name only -----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_FOREIGNOPS_H
#define CUPOLA_LIB_IMPORT_ONNX_FOREIGNOPS_H

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// onnxruntime has ops of its own in ONNX's domain: SimplifiedLayerNormalization, and LayerNormalization before ONNX
/// had it. From here on they are in the domain com.microsoft, as its other ops, so that ONNX's checker does not miss
/// them.
void moveForeignOps(onnx::ModelProto &model);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_FOREIGNOPS_H

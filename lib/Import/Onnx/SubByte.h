//===- lib/Import/Onnx/SubByte.h - constants of 2 and 4 bits ---------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_SUBBYTE_H
#define CUPOLA_LIB_IMPORT_ONNX_SUBBYTE_H

#include "lib/Import/Onnx/BlobStore.h"

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// Constants of int4, uint4, int2 and uint2 become ones of int8 and uint8 where DequantizeLinear alone reads them: it
/// means the same for both. Others stay, and are refused: a result of QuantizeLinear, for one, would have other bounds.
void widenSubByte(onnx::ModelProto &model, BlobStore &blobs);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SUBBYTE_H

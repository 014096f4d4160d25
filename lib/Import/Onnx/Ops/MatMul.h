//===- lib/Import/Onnx/Ops/MatMul.h - what matrix products share -----------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_MATMUL_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_MATMUL_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import {

/// The value of Gemm.
Value gemm(OpBinder &op);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_MATMUL_H

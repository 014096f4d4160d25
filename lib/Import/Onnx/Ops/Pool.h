//===- lib/Import/Onnx/Ops/Pool.h - what pools share -----------------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_OPS_POOL_H
#define CUPOLA_LIB_IMPORT_ONNX_OPS_POOL_H

#include "lib/Import/Onnx/Ops/Ops.h"

namespace cupola::onnx_import {

/// The average pool of [N, C, spatial..] that the node's attributes describe.
Value averagePool(OpBinder &op, Value value);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_OPS_POOL_H

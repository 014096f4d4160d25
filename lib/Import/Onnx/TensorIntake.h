//===- lib/Import/Onnx/TensorIntake.h - the choke-point of all tensors -----===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_IMPORT_ONNX_TENSORINTAKE_H
#define CUPOLA_LIB_IMPORT_ONNX_TENSORINTAKE_H

#include "lib/Import/Onnx/BlobStore.h"
#include "lib/Import/Onnx/Diagnostic.h"
#include "lib/Import/Onnx/ExternalData.h"
#include "lib/Import/Onnx/Limits.h"

namespace cupola::onnx_import {

/// Takes every TensorProto of the model (TensorWalk.h) through one function:
/// dimensions and data are checked against each other, external data is read, and
/// what is over BlobStore::threshold bytes moves to the store (raw_data without a
/// copy). Afterwards no tensor refers to a file. False at the first bad tensor.
bool takeInTensors(onnx::ModelProto &model, ExternalData &files, const Limits &limits, BlobStore &blobs,
                   Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_TENSORINTAKE_H

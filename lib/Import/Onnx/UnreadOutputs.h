//===- lib/Import/Onnx/UnreadOutputs.h - results that nobody asks for -------===//
// SPDX-License-Identifier: Apache-2.0
//
// A result without a name is one that a node need not make. Tools name all results of the ops that they write, also
// those that no node reads, such as the statistics of normalisations.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_UNREADOUTPUTS_H
#define CUPOLA_LIB_IMPORT_ONNX_UNREADOUTPUTS_H

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// Results behind the first of a node lose their names where no node, no body and no result of the model has them. A
/// name counts wherever it stands: one that two bodies have is read in both.
void dropUnreadOutputs(onnx::ModelProto &model);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_UNREADOUTPUTS_H

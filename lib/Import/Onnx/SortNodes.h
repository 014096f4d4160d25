//===- lib/Import/Onnx/SortNodes.h - every value before what reads it ------===//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX wants nodes in topological order, and its checker insists. Other runtimes sort by themselves, so that tools
// which put nodes at the end of the list (converters to 16 bits among them) go unnoticed.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SORTNODES_H
#define CUPOLA_LIB_IMPORT_ONNX_SORTNODES_H

namespace onnx {
class ModelProto;
}

namespace cupola::onnx_import {

/// Nodes of the graph, of its bodies and of local functions, which may be malformed otherwise. What is in order stays
/// as it is, else nodes move before the first one that needs them; a list with a cycle stays, too.
void sortNodes(onnx::ModelProto &model);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SORTNODES_H

//===- lib/Import/Onnx/Validator.h - the structure of a model --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// What must hold before any other code may rely on it, the ONNX checker included,
// which lets much of this pass: versions and opset imports, unique and defined
// names, order of nodes, one well-formed value per attribute, declared types and
// dimensions of inputs. Reports every problem of a graph, not only the first.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_VALIDATOR_H
#define CUPOLA_LIB_IMPORT_ONNX_VALIDATOR_H

#include "lib/Import/Onnx/Limits.h"
#include "lib/Import/Onnx/ModelNames.h"

#include <set>
#include <unordered_set>

namespace onnx {
class AttributeProto;
class GraphProto;
} // namespace onnx

namespace cupola::onnx_import {

bool validateModel(const onnx::ModelProto &model, const Limits &limits, Diagnostics &diagnostics);

/// The values that nodes of a graph may read: its own so far, and those of the
/// graphs around it.
struct NameScope {
  const NameScope *outer = nullptr;
  std::unordered_set<std::string> own;
  bool knows(const std::string &name) const { return own.count(name) || (outer && outer->knows(name)); }
};

/// Names, order and definedness of one graph and of its subgraphs. `attributes`:
/// the names that nodes of a function body may refer to (null: not in a function).
void validateGraph(const onnx::GraphProto &graph, const Opsets &opsets, const NameScope *outer,
                   const std::set<std::string> *attributes, Diagnostics &diagnostics);
void validateFunction(const onnx::FunctionProto &function, Diagnostics &diagnostics);

/// One node without regard to its operands: op type, opset import, attributes.
void validateNode(const onnx::NodeProto &node, const Opsets &opsets, const std::set<std::string> *attributes,
                  Diagnostics &diagnostics);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_VALIDATOR_H

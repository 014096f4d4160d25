//===- lib/Import/Onnx/SchemaFunctions.h - ops that ONNX makes of others ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The schemas of some ops have a body of simpler ops, fixed or made for a node's types and attributes. The importer
// reads a node without a row in OpTable.cpp as that body.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_IMPORT_ONNX_SCHEMAFUNCTIONS_H
#define CUPOLA_LIB_IMPORT_ONNX_SCHEMAFUNCTIONS_H

#include "lib/Import/Onnx/ModelNames.h"

#include <memory>
#include <vector>

namespace onnx {
class GraphProto;
class TypeProto;
} // namespace onnx

namespace cupola::onnx_import {

struct SchemaFunction {
  SchemaFunction();
  SchemaFunction(SchemaFunction &&) noexcept;
  ~SchemaFunction();

  /// Null: there is none, for the reason `problem`. It has no inputs: its nodes read what the node reads, and have the
  /// node's attributes. Its own values have names that nothing around it has which they read.
  std::unique_ptr<onnx::GraphProto> body;
  Opsets opsets; ///< what the nodes of the body mean
  ErrorKind kind = ErrorKind::Unsupported;
  std::string problem;
};

/// Whether ONNX defines the op of a domain ("" is ai.onnx) at a version by a body.
bool hasSchemaFunction(const std::string &domain, const std::string &op, int64_t version);

/// The body of such an op for a node whose inputs have these types; a type without a value stands for no input. Outputs
/// are those of the schema; one that the node leaves out need not be defined.
SchemaFunction schemaFunction(const onnx::NodeProto &node, int64_t version, const std::vector<onnx::TypeProto> &types);

} // namespace cupola::onnx_import

#endif // CUPOLA_LIB_IMPORT_ONNX_SCHEMAFUNCTIONS_H

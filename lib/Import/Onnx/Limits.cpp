//===- lib/Import/Onnx/Limits.cpp - how much a model may ask for -----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Limits.h"

namespace cupola::onnx_import {

const std::vector<LimitInfo> &allLimits() {
  static const std::vector<LimitInfo> rows = {
      {"file-bytes", &Limits::fileBytes, "bytes of the model file"},
      {"nodes", &Limits::nodes, "nodes in the file, and again after inlining"},
      {"initializers", &Limits::initializers, "initialisers, and graph inputs"},
      {"functions", &Limits::functions, "local functions"},
      {"function-depth", &Limits::functionDepth, "function calls inside function calls"},
      {"body-nodes", &Limits::bodyNodes, "nodes of loops that are imported again to find what shapes they carry"},
      {"node-operands", &Limits::nodeOperands, "inputs, or outputs, of one node"},
      {"node-attributes", &Limits::nodeAttributes, "attributes of one node"},
      {"attribute-elements", &Limits::attributeElements, "elements of one attribute"},
      {"list-entries", &Limits::listEntries, "entries of any other list"},
      {"value-infos", &Limits::valueInfos, "declared intermediate values"},
      {"name-bytes", &Limits::nameBytes, "bytes of one name"},
      {"text-bytes", &Limits::textBytes, "bytes of one documentation or metadata text"},
      {"tensor-bytes", &Limits::tensorBytes, "bytes of one tensor; by default no more than the machine's memory"},
      {"folded-bytes", &Limits::foldedBytes, "bytes of one tensor made by constant folding"},
  };
  return rows;
}

bool setLimit(Limits &limits, std::string_view name, int64_t value) {
  for (const LimitInfo &row : allLimits())
    if (row.name == name && value >= 0) {
      limits.*row.member = value;
      return true;
    }
  return false;
}

std::string exceeds(const Limits &limits, int64_t Limits::*member, const std::string &found) {
  std::string name;
  for (const LimitInfo &row : allLimits())
    if (row.member == member)
      name = row.name;
  return found + " exceeds the limit " + name + "=" + std::to_string(limits.*member) + " (raise it with --limit " +
         name + "=N)";
}

} // namespace cupola::onnx_import

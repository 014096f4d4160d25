//===- lib/Import/Onnx/OnnxLibrary.cpp - ONNX's checker and inliner --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OnnxLibrary.h"

#include "lib/Import/Onnx/ModelNames.h"
#include "lib/Import/Onnx/Text.h"

#include "onnx/checker.h"
#include "onnx/inliner/inliner.h"
#include "onnx/onnx_pb.h"

#include <exception>
#include <new>
#include <unordered_map>
#include <vector>

namespace cupola::onnx_import {

std::string oneLine(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\t')
      c = ' ';
  while (!text.empty() && (text.back() == ' ' || text.back() == '.'))
    text.pop_back();
  return printable(text, 400, /*quotes=*/true);
}

namespace {

/// The checker asks for type and shape of each graph output, which exporters may leave
/// out and which are inferred here anyway: others stand in for a while.
class OutputTypes {
public:
  explicit OutputTypes(onnx::GraphProto &graph) {
    for (auto &output : *graph.mutable_output()) {
      if (const auto &type = output.type();
          type.value_case() == onnx::TypeProto::VALUE_NOT_SET ||
          (type.has_tensor_type() && type.tensor_type().elem_type() == onnx::TensorProto::UNDEFINED)) {
        untyped.push_back(&output);
        output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
      }
      if (output.type().has_tensor_type() && !output.type().tensor_type().has_shape()) {
        added.push_back(output.mutable_type()->mutable_tensor_type());
        added.back()->mutable_shape();
      }
    }
  }
  ~OutputTypes() {
    for (auto *type : added)
      type->clear_shape();
    for (auto *output : untyped)
      output->clear_type();
  }

private:
  std::vector<onnx::TypeProto_Tensor *> added;
  std::vector<onnx::ValueInfoProto *> untyped;
};

/// The checker stops at its first complaint and names the node inside of a text:
/// this asks it about every node of the main graph and labels what it says.
bool labelComplaints(const onnx::ModelProto &model, Diagnostics &diagnostics) {
  const Opsets opsets = opsetsOf(model);
  std::unordered_map<std::string, int> imports;
  for (const auto &[domain, version] : opsets)
    imports[domain] = static_cast<int>(version);
  onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(model.ir_version()));
  context.set_opset_imports(imports);
  context.set_is_main_graph(true);
  onnx::checker::LexicalScopeContext values;
  for (const auto &input : model.graph().input())
    values.add(input.name());
  for (const auto &tensor : model.graph().initializer())
    values.add(tensor.name());
  const size_t before = diagnostics.errors().size();
  for (const auto &node : model.graph().node()) {
    try {
      onnx::checker::check_node(node, context, values);
    } catch (const std::bad_alloc &) {
      throw; // no complaint about the model
    } catch (const std::exception &problem) {
      diagnostics.error(ErrorKind::BadModel, labelOf(node, opsets), oneLine(problem.what()));
    }
    for (const std::string &output : node.output())
      values.add(output);
  }
  return diagnostics.errors().size() > before;
}

} // namespace

bool runOnnxChecker(onnx::ModelProto &model, Diagnostics &diagnostics) {
  if (model.graph().name().empty())
    model.mutable_graph()->set_name("graph"); // required by the checker only
  const OutputTypes types(*model.mutable_graph());
  try {
    onnx::checker::check_model(model, /*full_check=*/false);
    return true;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &problem) {
    if (!labelComplaints(model, diagnostics))
      diagnostics.error(ErrorKind::BadModel, "the ONNX checker says: " + oneLine(problem.what()));
    return false;
  }
}

bool inlineLocalFunctions(onnx::ModelProto &model, Diagnostics &diagnostics) {
  if (model.functions().empty())
    return true;
  try {
    onnx::inliner::InlineLocalFunctions(model, /*convert_version=*/false);
    return true;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &problem) {
    diagnostics.error(ErrorKind::BadModel, "inlining the local functions failed: " + oneLine(problem.what()));
    return false;
  }
}

} // namespace cupola::onnx_import

//===- lib/Import/Onnx/OnnxLibrary.cpp - ONNX's checker and inliner --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OnnxLibrary.h"

#include "lib/Import/Onnx/Text.h"

#include "onnx/checker.h"
#include "onnx/inliner/inliner.h"
#include "onnx/onnx_pb.h"

#include <exception>

namespace cupola::onnx_import {
namespace {

/// The library's texts span lines: keep one.
std::string oneLine(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\t')
      c = ' ';
  while (!text.empty() && (text.back() == ' ' || text.back() == '.'))
    text.pop_back();
  return printable(text, 400);
}

/// The checker asks for a shape of each graph output, which exporters may leave
/// out and which is inferred here anyway: an empty one stands in for a while.
class OutputShapes {
public:
  explicit OutputShapes(onnx::GraphProto &graph) {
    for (auto &output : *graph.mutable_output())
      if (output.type().has_tensor_type() && !output.type().tensor_type().has_shape()) {
        added.push_back(output.mutable_type()->mutable_tensor_type());
        added.back()->mutable_shape();
      }
  }
  ~OutputShapes() {
    for (auto *type : added)
      type->clear_shape();
  }

private:
  std::vector<onnx::TypeProto_Tensor *> added;
};

} // namespace

bool runOnnxChecker(onnx::ModelProto &model, Diagnostics &diagnostics) {
  if (model.graph().name().empty())
    model.mutable_graph()->set_name("graph"); // required by the checker only
  OutputShapes shapes(*model.mutable_graph());
  try {
    onnx::checker::check_model(model, /*full_check=*/false);
    return true;
  } catch (const std::exception &problem) {
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
  } catch (const std::exception &problem) {
    diagnostics.error(ErrorKind::BadModel,
                      "inlining the local functions failed: " + oneLine(problem.what()));
    return false;
  }
}

} // namespace cupola::onnx_import

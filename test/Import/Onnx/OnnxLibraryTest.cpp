//===- test/Import/Onnx/OnnxLibraryTest.cpp - checker and inliner ----------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OnnxLibrary.h"
#include "lib/Import/Onnx/LoadModel.h"
#include "lib/Import/Onnx/TensorData.h"

#include "test/Import/Onnx/TestModels.h"

namespace cupola::onnx_import {
namespace {

TEST(OnnxLibrary, CheckerComplaintsNameTheNode) {
  onnx::ModelProto model = modelOf("g (float[2] x) => (float[2] y) { y = Softmax <axis = 0.5> (x) }");
  Diagnostics diagnostics;
  EXPECT_FALSE(runOnnxChecker(model, diagnostics));
  EXPECT_EQ(firstError(diagnostics), "node that makes 'y' (Softmax, opset 17): Mismatched attribute "
                                     "type in ' : axis'. Expected: 'INT', actual: 'FLOAT'");
}

TEST(OnnxLibrary, OutputsWithoutShapeStayWithout) {
  onnx::ModelProto model = modelOf("g (float[2] x) => (float[] y) { y = Relu(x) }");
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  Diagnostics diagnostics;
  EXPECT_TRUE(runOnnxChecker(model, diagnostics)) << firstError(diagnostics);
  EXPECT_FALSE(model.graph().output(0).type().tensor_type().has_shape());
}

TEST(OnnxLibrary, OutputsWithoutTypeStayWithout) {
  onnx::ModelProto model = modelOf("g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Neg(x) }");
  model.mutable_graph()->mutable_output(0)->clear_type();
  model.mutable_graph()->mutable_output(1)->mutable_type()->mutable_tensor_type()->set_elem_type(0);
  Diagnostics diagnostics;
  EXPECT_TRUE(runOnnxChecker(model, diagnostics)) << firstError(diagnostics);
  EXPECT_FALSE(model.graph().output(0).has_type());
  EXPECT_FALSE(model.graph().output(1).has_type());
}

bool everything(const std::string &, const std::string &, int64_t) { return true; }

TEST(OnnxLibrary, WeightsOfFunctionsSurviveInlining) {
  onnx::ModelProto model = modelOf("<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]>"
                                   "g (float[400] x) => (float[400] y) { z = my.F(x) y = my.F(z) }"
                                   "<domain: \"my\", opset_import: [\"\" : 17]>"
                                   "F (a) => (b) { c = Constant() b = Add(a, c) }");
  auto *attribute = model.mutable_functions(0)->mutable_node(0)->add_attribute();
  attribute->set_name("value");
  attribute->set_type(onnx::AttributeProto::TENSOR);
  attribute->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  attribute->mutable_t()->add_dims(400);
  attribute->mutable_t()->set_raw_data(std::string(1600, 'w'));
  Diagnostics diagnostics;
  const auto loaded = loadModelBytes(model.SerializeAsString(), "m", {}, everything, diagnostics);
  ASSERT_TRUE(loaded) << firstError(diagnostics);
  EXPECT_EQ(loaded->proto->functions_size(), 0);
  EXPECT_EQ(loaded->blobs.size(), 1u); // once, though called twice
  int constants = 0;
  for (const auto &node : loaded->proto->graph().node())
    for (const auto &entry : node.attribute())
      if (entry.has_t()) {
        ++constants;
        EXPECT_EQ(readTensor(entry.t(), loaded->blobs).bytes, std::string(1600, 'w'));
      }
  EXPECT_EQ(constants, 2);
}

} // namespace
} // namespace cupola::onnx_import

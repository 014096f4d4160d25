//===- test/Import/Onnx/WireScanTest.cpp - encoded bytes before parsing ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/WireScan.h"

#include "lib/Import/Onnx/ModelFile.h"
#include "test/Import/Onnx/TestModels.h"

namespace cupola::onnx_import {
namespace {

std::string scan(const std::string &bytes, const Limits &limits = {}) {
  Diagnostics diagnostics;
  EXPECT_EQ(scanModelBytes(bytes, limits, diagnostics), !diagnostics.failed());
  return firstError(diagnostics);
}

std::string relu() { return modelOf("g (float[2] x) => (float[2] y) { y = Relu(x) }").SerializeAsString(); }

std::string withNodes(int count) {
  onnx::ModelProto model = modelOf("g (float[2] x) => (float[2] y) { y = Relu(x) }");
  for (int i = 1; i < count; ++i)
    *model.mutable_graph()->add_node() = model.graph().node(0);
  return model.SerializeAsString();
}

TEST(WireScan, AcceptsWhatProtobufWrites) { EXPECT_EQ(scan(relu()), "no error"); }

TEST(WireScan, EveryCutEndsInAnErrorOrAShorterModel) {
  const std::string whole = relu();
  for (size_t size = 0; size < whole.size(); ++size) {
    onnx::ModelProto parsed;
    Diagnostics diagnostics;
    const bool scanned = scanModelBytes(whole.substr(0, size), {}, diagnostics);
    EXPECT_EQ(scanned, parsed.ParsePartialFromString(whole.substr(0, size))) << size;
  }
}

TEST(WireScan, UnknownFieldsAndLongVarintsChangeNothing) {
  // Field 99, length-delimited; then ir_version again as a 10-byte varint.
  const std::string extra = std::string("\x9a\x06\x03"
                                        "abc",
                                        6) +
                            std::string("\x08\x88\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11);
  EXPECT_EQ(scan(relu() + extra), "no error");
  Limits limits;
  onnx::ModelProto plain, padded;
  Diagnostics diagnostics;
  ASSERT_TRUE(parseModel(relu(), limits, plain, diagnostics));
  ASSERT_TRUE(parseModel(relu() + extra, limits, padded, diagnostics));
  EXPECT_EQ(plain.graph().SerializeAsString(), padded.graph().SerializeAsString());
  EXPECT_EQ(plain.ir_version(), padded.ir_version());
}

TEST(WireScan, RejectsLengthsBeyondTheEnd) {
  EXPECT_CONTAINS(scan(std::string("\x3a\xff\x7f", 3)), "graph says that it has 16383 bytes, but 0 are left");
  EXPECT_CONTAINS(scan(std::string("\x08\xff", 2)), "ends inside a number");
  EXPECT_CONTAINS(scan(std::string("\x0b", 1)), "wire type 3");
}

TEST(WireScan, CountsOverTheWholeFileAndPerMessage) {
  Limits limits;
  limits.nodes = 5;
  EXPECT_EQ(scan(withNodes(5), limits), "no error");
  EXPECT_CONTAINS(scan(withNodes(6), limits), "exceeds the limit nodes=5 (raise it with --limit nodes=N)");

  onnx::ModelProto model = modelOf("g (float[2] x) => (float[2] y) { y = Relu(x) }");
  for (int i = 0; i < 9; ++i)
    model.mutable_graph()->mutable_node(0)->add_input("x");
  limits.nodeOperands = 9;
  EXPECT_CONTAINS(scan(model.SerializeAsString(), limits), "limit node-operands=9");
}

TEST(WireScan, LimitsTextsAndAsksForUtf8WithoutNul) {
  onnx::ModelProto model = modelOf("g (float[2] x) => (float[2] y) { y = Relu(x) }");
  Limits limits;
  limits.nameBytes = 100;
  model.mutable_graph()->mutable_node(0)->set_name(std::string(101, 'n'));
  EXPECT_CONTAINS(scan(model.SerializeAsString(), limits),
                  "graph[0].node[0].name with 101 bytes exceeds the limit name-bytes=100");
  model.mutable_graph()->mutable_node(0)->set_name(std::string("a\0b", 3));
  EXPECT_CONTAINS(scan(model.SerializeAsString()), "expected UTF-8 text without NUL");
  model.mutable_graph()->mutable_node(0)->set_name("\xff");
  EXPECT_CONTAINS(scan(model.SerializeAsString()), "graph[0].node[0].name is '\\xff'");
}

/// `depth` graphs inside each other, innermost first.
std::string nested(int depth) {
  onnx::GraphProto graph;
  for (int i = 0; i < depth; ++i) {
    onnx::GraphProto outer;
    auto *attribute = outer.add_node()->add_attribute();
    attribute->set_name("body");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    attribute->mutable_g()->Swap(&graph);
    graph.Swap(&outer);
  }
  onnx::ModelProto model;
  model.mutable_graph()->Swap(&graph);
  return model.SerializeAsString();
}

TEST(WireScan, NestingEndsWhereProtobufEnds) {
  EXPECT_EQ(scan(nested(31)), "no error");
  EXPECT_CONTAINS(scan(nested(40)), "nested more than 100 deep");
  onnx::ModelProto parsed;
  EXPECT_TRUE(parsed.ParseFromString(nested(31)));
  EXPECT_FALSE(parsed.ParseFromString(nested(40)));
}

} // namespace
} // namespace cupola::onnx_import

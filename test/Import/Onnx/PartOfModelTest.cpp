//===- test/Import/Onnx/PartOfModelTest.cpp - some nodes of a model, by themselves -===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/PartOfModel.h"

#include "test/Import/Onnx/TestModels.h"

namespace cupola::onnx_import {
namespace {

/// Of at most 1200 elements.
KnownValue value(format::DType dtype, std::vector<int64_t> shape) {
  static const std::string ones(4800, 1);
  size_t bytes = format::byteSize(dtype);
  for (const int64_t extent : shape)
    bytes *= static_cast<size_t>(extent);
  return {dtype, std::move(shape), std::string_view(ones).substr(0, bytes)};
}

class PartOfModelTest : public ::testing::Test {
protected:
  PartOfModelTest() {
    const std::string bytes = modelOf(R"(g (float[n, 4] x, bool b) => (float[n, 300] y) {
      s = Shape(x)
      two = Constant<value = float {2.0}>()
      d = Mul(x, two)
      w = ConstantOfShape<value = float[1] {0.5}>(s)
      m = Add(d, w)
      e = If(b) <then_branch = t () => (float[n, 4] p) { p = Mul(m, two) }, else_branch = f () => (float[n, 4] q) { q = Neg(d) }>
      y = Concat<axis = 1>(e, big)
    })")
                                  .SerializeAsString();
    onnx::ModelProto proto;
    proto.ParseFromString(bytes);
    auto *big = proto.mutable_graph()->add_initializer();
    big->set_name("big");
    big->set_data_type(1);
    big->add_dims(2);
    big->add_dims(296);
    big->set_raw_data(std::string(2 * 296 * 4, 'x'));
    Diagnostics diagnostics;
    auto loaded = loadModelBytes(
        proto.SerializeAsString(), "m", {}, [](const auto &, const auto &, int64_t) { return true; }, diagnostics);
    EXPECT_EQ(firstError(diagnostics), "no error");
    model.emplace(std::move(*loaded));
    using format::DType;
    values = {{"x", value(DType::F32, {2, 4})}, {"b", value(DType::Bool, {})},     {"s", value(DType::I64, {2})},
              {"d", value(DType::F32, {2, 4})}, {"w", value(DType::F32, {2, 4})},  {"m", value(DType::F32, {2, 4})},
              {"e", value(DType::F32, {2, 4})}, {"y", value(DType::F32, {2, 300})}};
  }

  Result<ModelPart> part(std::vector<uint32_t> nodes, std::set<std::string> pinned = {}) {
    return partOfModel(*model, {std::move(nodes), values, std::move(pinned)});
  }

  std::optional<LoadedModel> model;
  std::map<std::string, KnownValue> values;
};

using Names = std::vector<std::string>;

TEST_F(PartOfModelTest, WhatIsReadOfOthersIsAnInputAndWhatOthersReadAnOutput) {
  const ModelPart made = *part({2, 4}); // d and m
  EXPECT_EQ(made.inputs, (Names{"w", "x"}));
  EXPECT_EQ(made.outputs, (Names{"d", "m"}));
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(made.onnx));
  EXPECT_EQ(proto.graph().node_size(), 3); // with the constant
  EXPECT_EQ(proto.graph().input(1).type().tensor_type().shape().dim(0).dim_value(), 2);
}

TEST_F(PartOfModelTest, SmallIntegersSteerShapesAndAreConstants) {
  const ModelPart made = *part({3}); // w
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(made.onnx));
  EXPECT_EQ(made.inputs, Names{});
  ASSERT_EQ(proto.graph().initializer_size(), 1);
  EXPECT_EQ(proto.graph().initializer(0).name(), "s");
}

TEST_F(PartOfModelTest, BodiesReadTheGraphAroundThem) {
  EXPECT_EQ(part({5})->inputs, (Names{"b", "d", "m"})); // e
  EXPECT_EQ(part({5}, {"b"})->inputs, (Names{"d", "m"}));
}

TEST_F(PartOfModelTest, WeightsComeBackIntoTheModel) {
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(part({6})->onnx)); // y
  ASSERT_EQ(proto.graph().initializer_size(), 1);
  EXPECT_EQ(proto.graph().initializer(0).raw_data(), std::string(2 * 296 * 4, 'x'));
  EXPECT_EQ(proto.graph().initializer(0).dims(1), 296);
  EXPECT_EQ(proto.graph().initializer(0).metadata_props_size(), 0);
}

TEST_F(PartOfModelTest, AValueThatIsNotKnownIsAnError) {
  values.erase("d");
  const auto made = part({4});
  EXPECT_EQ(made.status().code(), Code::Unsupported);
  EXPECT_CONTAINS(made.status().message(), "the value of 'd' is not known");
}

TEST_F(PartOfModelTest, EveryValueBecomesAnOutputOnce) {
  returnEveryValue(*model->proto);
  Names names;
  for (const auto &output : model->proto->graph().output())
    names.push_back(output.name());
  EXPECT_EQ(names, (Names{"y", "x", "b", "s", "d", "w", "m", "e"}));
}

} // namespace
} // namespace cupola::onnx_import

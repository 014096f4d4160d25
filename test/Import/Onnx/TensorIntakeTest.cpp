//===- test/Import/Onnx/TensorIntakeTest.cpp - the choke-point -------------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/TensorIntake.h"

#include "lib/Import/Onnx/TensorData.h"
#include "test/Import/Onnx/TestModels.h"

namespace cupola::onnx_import {
namespace {

using T = onnx::TensorProto;

std::string takeIn(onnx::ModelProto &model, BlobStore &blobs) {
  Diagnostics diagnostics;
  ExternalData files;
  takeInTensors(model, files, {}, blobs, diagnostics);
  return firstError(diagnostics);
}

T tensor(int type, std::vector<int64_t> dims, const std::string &raw) {
  T result;
  result.set_name("w");
  result.set_data_type(type);
  for (int64_t dim : dims)
    result.add_dims(dim);
  if (!raw.empty())
    result.set_raw_data(raw);
  return result;
}

std::string takeIn(const T &initializer) {
  onnx::ModelProto model;
  *model.mutable_graph()->add_initializer() = initializer;
  BlobStore blobs;
  return takeIn(model, blobs);
}

TEST(TensorIntake, RawDataMovesWithoutACopy) {
  onnx::ModelProto model;
  *model.mutable_graph()->add_initializer() = tensor(T::FLOAT, {300}, std::string(1200, 'x'));
  const char *before = model.graph().initializer(0).raw_data().data();
  BlobStore blobs;
  EXPECT_EQ(takeIn(model, blobs), "no error");
  ASSERT_EQ(blobs.size(), 1u);
  EXPECT_EQ(blobs.at(0).bytes.data(), before);
  const TensorValue value = readTensor(model.graph().initializer(0), blobs);
  EXPECT_EQ(value.dims, std::vector<int64_t>{300});
  EXPECT_EQ(value.bytes.size(), 1200u);
  EXPECT_TRUE(model.graph().initializer(0).raw_data().empty());
}

TEST(TensorIntake, DataMustFitTypeAndDimensions) {
  EXPECT_CONTAINS(takeIn(tensor(T::FLOAT, {3}, "12345678")),
                  "initialiser 'w' has 8 bytes of raw_data, expected 12 for 3 elements of float32");
  EXPECT_CONTAINS(takeIn(tensor(T::FLOAT, {1}, "12345678")), "expected 4");
  EXPECT_CONTAINS(takeIn(tensor(T::FLOAT, {-1}, "")), "expected none below 0");
  EXPECT_CONTAINS(takeIn(tensor(T::FLOAT, {int64_t(1) << 32, int64_t(1) << 32}, "")), "does not fit 63 bits");
  EXPECT_CONTAINS(takeIn(tensor(T::FLOAT, {int64_t(1) << 40}, "")), "exceeds the limit tensor-bytes");
  EXPECT_CONTAINS(takeIn(tensor(T::FLOAT, std::vector<int64_t>(9, 1), "1234")), "has rank 9");
  EXPECT_CONTAINS(takeIn(tensor(99, {1}, "1234")), "element type number 99");
  T both = tensor(T::FLOAT, {1}, "1234");
  both.add_float_data(1);
  EXPECT_CONTAINS(takeIn(both), "has data in raw_data and float_data, expected one of them");
  T wrong = tensor(T::INT64, {1}, "");
  wrong.add_float_data(1);
  EXPECT_CONTAINS(takeIn(wrong), "has data in float_data, expected int64_data");
  T range = tensor(T::UINT8, {1}, "");
  range.add_int32_data(300);
  EXPECT_CONTAINS(takeIn(range), "has the value 300, which is outside of uint8");
}

TEST(TensorIntake, TypedFieldsBecomeCanonicalBytes) {
  BlobStore blobs;
  T half = tensor(T::FLOAT16, {2}, "");
  half.add_int32_data(0x3c00);
  half.add_int32_data(0xc000);
  EXPECT_EQ(readTensor(half, blobs).bytes, std::string_view("\x00\x3c\x00\xc0", 4));
  T flag = tensor(T::BOOL, {2}, "");
  flag.add_int32_data(1);
  flag.add_int32_data(0);
  EXPECT_EQ(readTensor(flag, blobs).bytes, std::string_view("\x01\x00", 2));
}

TEST(TensorIntake, AFileCannotBringStubs) {
  T stub = tensor(T::FLOAT, {0}, "");
  auto *entry = stub.add_metadata_props();
  entry->set_key("cupola.blob");
  entry->set_value("0");
  onnx::ModelProto model;
  *model.mutable_graph()->add_initializer() = tensor(T::FLOAT, {300}, std::string(1200, 'x'));
  *model.mutable_graph()->add_initializer() = stub;
  BlobStore blobs;
  EXPECT_EQ(takeIn(model, blobs), "no error");
  EXPECT_EQ(blobs.find(model.graph().initializer(1)), nullptr);
}

/// Every place that can hold a tensor, each holding one that names a file.
TEST(TensorIntake, NoTensorEscapes) {
  using Place = std::pair<const char *, std::function<T *(onnx::ModelProto &)>>;
  const auto attribute = [](onnx::NodeProto *node) {
    auto *result = node->add_attribute();
    result->set_name("a");
    return result;
  };
  const std::vector<Place> places = {
      {"initialiser", [](auto &m) { return m.mutable_graph()->add_initializer(); }},
      {"values of sparse initialiser",
       [](auto &m) { return m.mutable_graph()->add_sparse_initializer()->mutable_values(); }},
      {"indices of sparse initialiser",
       [](auto &m) { return m.mutable_graph()->add_sparse_initializer()->mutable_indices(); }},
      {"attribute 'a' of node", [&](auto &m) { return attribute(m.mutable_graph()->add_node())->mutable_t(); }},
      {"attribute 'a' of node", [&](auto &m) { return attribute(m.mutable_graph()->add_node())->add_tensors(); }},
      {"sparse attribute 'a'",
       [&](auto &m) { return attribute(m.mutable_graph()->add_node())->mutable_sparse_tensor()->mutable_values(); }},
      {"sparse attribute 'a'",
       [&](auto &m) { return attribute(m.mutable_graph()->add_node())->add_sparse_tensors()->mutable_indices(); }},
      {"initialiser",
       [&](auto &m) { return attribute(m.mutable_graph()->add_node())->mutable_g()->add_initializer(); }},
      {"initialiser",
       [&](auto &m) { return attribute(m.mutable_graph()->add_node())->add_graphs()->add_initializer(); }},
      {"attribute 'a' of node", [&](auto &m) { return attribute(m.add_functions()->add_node())->mutable_t(); }},
      {"attribute '' of function", [](auto &m) { return m.add_functions()->add_attribute_proto()->mutable_t(); }},
      {"initialiser", [](auto &m) { return m.add_training_info()->mutable_algorithm()->add_initializer(); }},
      {"initialiser", [](auto &m) { return m.add_training_info()->mutable_initialization()->add_initializer(); }},
  };
  for (const auto &[name, add] : places) {
    onnx::ModelProto model;
    T *hidden = add(model);
    *hidden = tensor(T::FLOAT, {1}, "");
    hidden->set_data_location(T::EXTERNAL);
    auto *entry = hidden->add_external_data();
    entry->set_key("location");
    entry->set_value("../secret");
    BlobStore blobs;
    const std::string error = takeIn(model, blobs);
    EXPECT_CONTAINS(error, name);
    EXPECT_CONTAINS(error, "contains '..'");
  }
}

} // namespace
} // namespace cupola::onnx_import

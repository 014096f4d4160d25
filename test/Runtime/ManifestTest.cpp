//===- test/Runtime/ManifestTest.cpp - Our encoder against protoc's code ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Manifest.h"
#include "manifest.pb.h"
#include "test/Runtime/TestPackage.h"

#include <gtest/gtest.h>

namespace cupola::format {

/// Every field of every struct differs from zero and from its neighbours.
static Package fullPackage() {
  Package package = test::makePackage();
  package.checks = {{"s0", "<=", "7", "too long"}};
  package.inputs[0].mask = true;
  package.inputs[0].indexedExtent = -5;
  Program &program = package.variants[0].program;
  program.arenaBytes = 1024;
  program.buffers.push_back({BufferKind::View, 4, "4", "8*s0", 1, 2, 256});
  Step copy;
  copy.kind = Step::CopyStep;
  copy.copy = {1, 2, "16"};
  program.steps.push_back(copy);
  program.steps[0].launch.call = {LibraryCallKind::MatrixProduct,
                                  {1, 2},
                                  {3, 4},
                                  {5, 6},
                                  {7, 8},
                                  {9, -10},
                                  {11, 12},
                                  {{PostOpKind::Clip, 13, ~0u}, {PostOpKind::Relu, 14, 15}},
                                  {16, 17, 18},
                                  DType::BF16,
                                  {19, -20, 21},
                                  {22, 23, 24},
                                  uint64_t(1) << 40};
  program.steps[0].launch.maps = {{}, {1, "64", DType::BF16, {"s0", "7"}, {"16*s0"}, {8, 9}, 32}};
  program.steps[1].launch.grid = {"s0", "5", "6"};
  program.kernels[0] = {"k_1", "gemm", "ab", 64, uint64_t(1) << 40, 17, 3, 9, {"r", "rw"}, "4*n0", 2, true, true};
  package.symbols.push_back({"r0", "", 1, 2, 3, true});
  Step branch;
  branch.kind = Step::IfStep;
  branch.branch = {{1, 2}, 3, {4, 5}, {6, 7}, {"r0"}, {"s0"}, {"s0 + 1"}};
  Step loop;
  loop.kind = Step::WhileStep;
  loop.loop = {1,   "s0", 2, 3, 4, {5, 6}, {{7, 8, 9}, {10, 11, 12}}, {{13, 14}, {15, 16}}, {{"a", "b", "c", "d"}},
               "e", "f"};
  Body body;
  body.scalars = {"s0"};
  body.buffers.push_back({BufferKind::Parameter, 3, "8*s0", "4", 5, 6, 512});
  Step host;
  host.kind = Step::HostStep;
  host.host = {"string_concat", {"\xff is no UTF-8", "b"}, {1, 2}, {3, 4}};
  body.steps = {loop, copy, host};
  body.arenaBytes = 768;
  program.steps.push_back(branch);
  program.bodies = {body, Body()};
  package.weights[0].offset = ~uint64_t(0);
  package.variants[0].binaries[0].offset = 256;
  package.variants[1].sources[0].bytes = 77;
  package.variants[1].multiprocessors = 32;
  package.strings = {"first", "\xff is no UTF-8"};
  package.composites = {{"parts", Composite::OptionalSequence, true, true, 5, 6}};
  package.metadata = {"maker", "1.2", "graph", "of a graph", "domain", "\xff is no UTF-8", -3, {{"key", "value"}}};
  return package;
}

TEST(Manifest, ProtobufReadsAndWritesTheSameBytes) {
  const std::string bytes = serializeManifest(fullPackage());
  manifest::Package message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  EXPECT_EQ(message.SerializeAsString(), bytes);
  EXPECT_EQ(message.producer(), "cupola test");
  EXPECT_EQ(message.inputs(0).indexed_extent(), -5);
  EXPECT_EQ(message.weights(0).offset(), ~uint64_t(0));
  EXPECT_EQ(message.variants(1).multiprocessors(), 32u);
  EXPECT_EQ(message.variants(0).program().kernels(0).shared_bytes(), uint64_t(1) << 40);
  EXPECT_EQ(message.variants(0).program().buffers(6).offset(), "8*s0");
  EXPECT_EQ(message.variants(0).program().steps(2).copy().bytes(), "16");
  EXPECT_EQ(message.variants(0).program().steps(0).launch().call().post_ops(0).beta(), ~0u);
  EXPECT_EQ(message.variants(0).program().steps(0).launch().call().source_strides(1), -20);
  EXPECT_EQ(message.variants(0).program().steps(0).launch().call().workspace(), uint64_t(1) << 40);
  EXPECT_FALSE(message.variants(0).program().steps(1).launch().has_call());
  EXPECT_EQ(message.variants(0).program().steps(0).launch().maps(1).strides(0), "16*s0");
  EXPECT_EQ(message.variants(0).program().steps(1).launch().grid(2), "6");
  EXPECT_TRUE(message.variants(0).program().kernels(0).programmatic());
  EXPECT_TRUE(message.variants(0).program().kernels(0).cooperative());
  EXPECT_EQ(message.variants(1).sources(0).bytes(), 77u);
  EXPECT_TRUE(message.symbols(1).run());
  EXPECT_EQ(message.variants(0).program().steps(3).branch().else_values(0), "s0 + 1");
  const manifest::Body &body = message.variants(0).program().bodies(0);
  EXPECT_EQ(body.arena_bytes(), 768);
  EXPECT_EQ(body.steps(0).loop().carried(1).spare(), 12u);
  EXPECT_EQ(body.steps(0).loop().scans(1).rows(), 16u);
  EXPECT_EQ(body.steps(0).loop().extents(0).last(), "d");
  EXPECT_EQ(body.steps(0).loop().count(), "f");
  EXPECT_EQ(message.metadata().graph_description(), "of a graph");
  EXPECT_EQ(message.metadata().description(), "\xff is no UTF-8");
  EXPECT_EQ(message.metadata().version(), -3);
  EXPECT_EQ(message.metadata().properties(0).value(), "value");
}

TEST(Manifest, HasNoFieldThatProtobufDoesNotKnow) {
  manifest::Package message;
  ASSERT_TRUE(message.ParseFromString(serializeManifest(fullPackage())));
  message.DiscardUnknownFields();
  EXPECT_EQ(message.SerializeAsString(), serializeManifest(fullPackage()));
}

TEST(Manifest, RoundTrips) {
  const std::string bytes = serializeManifest(fullPackage());
  Package parsed;
  ASSERT_TRUE(parseManifest(bytes, parsed).isOk());
  EXPECT_EQ(serializeManifest(parsed), bytes);
  EXPECT_EQ(parsed.variants[0].program.arenaBytes, 1024);
  EXPECT_EQ(parsed.variants[0].program.buffers[0].planned, -1);
  EXPECT_EQ(parsed.symbols[0].max, 1000);
}

TEST(Manifest, AGridOfOneExtentHasTheBytesOfASingleField) {
  Package package;
  package.variants.resize(1);
  package.variants[0].program.steps.resize(1);
  package.variants[0].program.steps[0].kind = Step::Kind(0);
  package.variants[0].program.steps[0].launch.grid = {"s0"};
  package.format = 0;
  package.variants[0].program.arenaBytes = 0;
  const std::string bytes = serializeManifest(package);
  EXPECT_NE(bytes.find("\x12\x04\x12\x02s0"), std::string::npos) << "Step::launch, Launch::grid";
  Package parsed;
  ASSERT_TRUE(parseManifest(bytes, parsed).isOk());
  EXPECT_EQ(parsed.variants[0].program.steps[0].launch.grid, std::vector<std::string>{"s0"});
}

TEST(Manifest, AbsentFieldsAreZeroNotDefaults) {
  Package package;
  package.variants.resize(1);
  package.variants[0].program.kernels.resize(1);
  package.variants[0].program.kernels[0].grain = 0;
  package.format = 0;
  Package parsed;
  ASSERT_TRUE(parseManifest(serializeManifest(package), parsed).isOk());
  EXPECT_EQ(parsed.variants[0].program.kernels[0].grain, 0u);
  EXPECT_EQ(parsed.format, 0u);
}

TEST(Manifest, SkipsUnknownFields) {
  Package parsed;
  // field 100: varint 1; field 101: 2 bytes; field 1: 9
  ASSERT_TRUE(parseManifest("\xa0\x06\x01\xaa\x06\x02zz\x08\x09", parsed).isOk());
  EXPECT_EQ(parsed.format, 9u);
}

TEST(Manifest, RefusesEveryCutAndMalformedNumbers) {
  const std::string bytes = serializeManifest(fullPackage());
  size_t refused = 0;
  for (size_t length = 1; length < bytes.size(); ++length) {
    Package parsed;
    refused += parseManifest(std::string_view(bytes).substr(0, length), parsed).failed();
  }
  EXPECT_GT(refused, bytes.size() / 2); // a cut between two fields is a message
  Package parsed;
  using namespace std::string_literals;
  EXPECT_TRUE(parseManifest("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, parsed).failed()) << "u32 overflow";
  EXPECT_TRUE(parseManifest("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"s, parsed).failed()) << "varint overflow";
  EXPECT_TRUE(parseManifest("\x0a\x01z"s, parsed).failed()) << "bytes where a number is expected";
  EXPECT_TRUE(parseManifest("\x00"s, parsed).failed()) << "field 0";
}

} // namespace cupola::format

//===- test/Import/Onnx/OpTableTest.cpp - the table against ONNX's list ----===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/OpTable.h"

#include "lib/Import/Onnx/ModelNames.h"

#include "onnx/defs/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace cupola::onnx_import {
namespace {

std::vector<int64_t> versionsOf(const OpRow &row) {
  return {std::begin(row.versions), std::find(std::begin(row.versions), std::end(row.versions), 0)};
}

TEST(OpTable, IsSortedWithoutRepetition) {
  std::set<std::tuple<std::string_view, std::string_view, int64_t>> seen;
  for (const OpRow &row : allOps())
    for (const int64_t version : versionsOf(row)) {
      const std::tuple next(row.domain, row.op, version);
      EXPECT_TRUE(seen.empty() || *seen.rbegin() < next) << row.op << " " << version;
      seen.insert(next);
    }
}

/// An op of the table has every version of it that a supported opset can
/// mean, and no other: a version that ONNX added later is not taken for an older.
TEST(OpTable, HasExactlyTheVersionsOfOnnx) {
  std::map<std::string, std::set<int64_t>> versions;
  std::set<std::pair<std::string, int64_t>> deprecated;
  for (const auto &schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    const std::string op = schema.domain() + ":" + schema.Name();
    versions[op].insert(schema.since_version());
    if (schema.deprecated())
      deprecated.insert({op, schema.since_version()});
  }
  std::map<std::string, std::set<int64_t>> table;
  for (const OpRow &row : allOps())
    for (const int64_t version : versionsOf(row))
      if (row.domain != "com.microsoft")
        table[std::string(row.domain) + ":" + std::string(row.op)].insert(version);
  ASSERT_FALSE(table.empty());
  for (const auto &[op, have] : table) {
    std::set<int64_t> want;
    const auto &all = versions[op];
    for (auto it = all.begin(); it != all.end(); ++it) {
      const bool current = std::next(it) == all.end() || *std::next(it) > oldestOpset;
      if (current && *it <= newestOpset && !deprecated.count({op, *it}))
        want.insert(*it);
    }
    EXPECT_EQ(have, want) << op;
  }
}

TEST(OpTable, FindsTheNewestRowThatIsNotTooNew) {
  EXPECT_EQ(findOp("", "Softmax", 7)->versions[0], 1);
  EXPECT_EQ(findOp("", "Softmax", 12)->versions[0], 1);
  EXPECT_EQ(findOp("", "Softmax", 28)->versions[0], 13);
  EXPECT_EQ(findOp("", "Gelu", 19), nullptr);
  EXPECT_EQ(findOp("", "NoSuchOp", 17), nullptr);
  EXPECT_EQ(findOp("com.example", "Relu", 17), nullptr);
}

/// docs/reference/onnx-ops.md names them.
TEST(OpTable, OpsWithoutARowThatOnnxMakesOfOthers) {
  std::set<std::string> found;
  for (const auto &schema : onnx::OpSchemaRegistry::get_all_schemas())
    if (!findOp(schema.domain(), schema.Name(), newestOpset) && isKnownOp(schema.domain(), schema.Name(), newestOpset))
      found.insert(schema.Name());
  EXPECT_EQ(found, (std::set<std::string>{"BlackmanWindow", "CausalConvWithState", "CenterCropPad", "FlexAttention",
                                          "HammingWindow", "HannWindow", "LinearAttention", "NegativeLogLikelihoodLoss",
                                          "SoftmaxCrossEntropyLoss", "SwiGLU"}));
  EXPECT_FALSE(isKnownOp("", "SwiGLU", 27));
  EXPECT_FALSE(isKnownOp("", "NoSuchOp", 17));
  EXPECT_FALSE(isKnownOp("com.example", "SwiGLU", 28));
}

/// ONNX says nothing of other domains; nobody changes what is in this one.
TEST(OpTable, HasOneVersionOfOtherOps) {
  EXPECT_TRUE(hasOpsOf("com.microsoft"));
  EXPECT_FALSE(hasOpsOf("com.example"));
  for (const OpRow &row : allOps())
    if (row.domain == "com.microsoft")
      EXPECT_EQ(versionsOf(row), std::vector<int64_t>{1}) << row.op;
  EXPECT_NE(findOp("com.microsoft", "FusedMatMul", 1), nullptr);
  EXPECT_EQ(findOp("", "FusedMatMul", 17), nullptr);
}

} // namespace
} // namespace cupola::onnx_import

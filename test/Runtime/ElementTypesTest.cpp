//===- test/Runtime/ElementTypesTest.cpp - the table of element types ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/ElementTypes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace cupola::format;

TEST(ElementTypes, RowsStandInTheOrderOfTheirNumbers) {
  EXPECT_EQ(std::size(kElementTypes), static_cast<size_t>(DType::F8E8M0));
  for (const ElementType &row : kElementTypes) {
    EXPECT_EQ(&rowOf(row.dtype), &row) << row.name;
    EXPECT_TRUE(isValid(row.dtype));
  }
  EXPECT_FALSE(isValid(DType{0}));
  EXPECT_FALSE(isValid(DType{25}));
}

TEST(ElementTypes, NoTwoRowsAreCalledTheSame) {
  std::set<std::string> names, onnxNames, npys;
  std::set<int> numbers;
  std::set<std::pair<int, int>> bits;
  for (const ElementType &row : kElementTypes) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(onnxNames.insert(row.onnxName).second) << row.name;
    EXPECT_TRUE(!isComputed(row.dtype) || npys.insert(row.npy).second) << row.name;
    EXPECT_TRUE(numbers.insert(row.onnx).second) << row.name;
    EXPECT_TRUE(bits.emplace(static_cast<int>(row.number), row.bits).second) << row.name;
  }
}

/// .npy names types by kind and bytes, ONNX by kind and bits.
TEST(ElementTypes, NamesSayTheBits) {
  for (const ElementType &row : kElementTypes) {
    EXPECT_EQ(row.npy + 1, std::to_string(row.bytes)) << row.name;
    if (row.dtype != DType::Bool && isComputed(row.dtype)) {
      const std::string bits = std::to_string(row.bits), name = row.name, onnxName = row.onnxName;
      EXPECT_EQ(name.substr(name.size() - bits.size()), bits);
      EXPECT_EQ(onnxName.substr(onnxName.size() - bits.size()), bits);
      EXPECT_EQ(8 * row.bytes, row.bits) << row.name;
    }
  }
}

TEST(ElementTypes, AccumulatorsAreAsWideAndOfTheSameKind) {
  for (const ElementType &row : kElementTypes) {
    const ElementType &accumulator = rowOf(row.accumulator);
    EXPECT_GE(accumulator.bits, row.bits) << row.name;
    const bool isMultiplied = row.dtype == DType::F8E4M3FN || row.dtype == DType::F8E5M2; // by matrix units
    EXPECT_EQ(isFloat(accumulator.dtype), isFloat(row.dtype) || isMultiplied) << row.name;
    EXPECT_EQ(accumulator.accumulator, accumulator.dtype) << row.name;
  }
}

TEST(ElementTypes, AreStoredAsTypesOfTheirSizeThatKernelsHave) {
  for (const ElementType &row : kElementTypes) {
    EXPECT_TRUE(isComputed(row.storage)) << row.name;
    EXPECT_EQ(byteSize(row.storage), row.bytes) << row.name;
    EXPECT_LE(row.bits, rowOf(row.storage).bits) << row.name;
    EXPECT_EQ(isComputed(row.dtype), row.dtype <= DType::Bool) << row.name;
  }
}

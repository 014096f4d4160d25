//===- test/Runtime/ShapeElementsTest.cpp - Elements of inputs as symbols ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/ShapeElements.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace cupola::format {
namespace {

using Values = std::vector<int64_t>;

template <typename T> std::optional<Values> valuesOf(DType dtype, const std::vector<T> &elements) {
  return symbolValues(dtype, elements.data(), elements.size());
}

TEST(ShapeElements, IntegersAreThemselves) {
  EXPECT_EQ(valuesOf<int64_t>(DType::I64, {-1, std::numeric_limits<int64_t>::min()}),
            (Values{-1, std::numeric_limits<int64_t>::min()}));
  EXPECT_EQ(valuesOf<int32_t>(DType::I32, {-7}), Values{-7});
  EXPECT_EQ(valuesOf<int8_t>(DType::I8, {-128}), Values{-128});
  EXPECT_EQ(valuesOf<uint8_t>(DType::U8, {255}), Values{255});
  EXPECT_EQ(valuesOf<uint16_t>(DType::U16, {65535}), Values{65535});
  EXPECT_EQ(valuesOf<uint32_t>(DType::U32, {4294967295u}), Values{4294967295});
}

TEST(ShapeElements, FloatsAreExactFractions) {
  EXPECT_EQ(valuesOf<float>(DType::F32, {0.0f, 0.75f, -6.0f}), (Values{0, 1, 3, 4, -6, 1}));
  EXPECT_EQ(valuesOf<float>(DType::F32, {0.1f}), (Values{13421773, int64_t(1) << 27}));
  EXPECT_EQ(valuesOf<double>(DType::F64, {0x1p61, 0x1p-62}), (Values{int64_t(1) << 61, 1, 1, int64_t(1) << 62}));
  EXPECT_EQ(valuesOf<uint16_t>(DType::F16, {0x3c00, 0xc100, 0x0001}), (Values{1, 1, -5, 2, 1, 1 << 24}));
  EXPECT_EQ(valuesOf<uint16_t>(DType::BF16, {0x3f80, 0xc020}), (Values{1, 1, -5, 2}));
}

TEST(ShapeElements, WhatNoSymbolHoldsHasNoValue) {
  const Values numbers = *valuesOf<double>(DType::F64, {1, NAN, INFINITY, 0x1p63, 0x1p-63, 0});
  EXPECT_EQ(numbers, (Values{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  for (size_t place = 0; place < numbers.size(); ++place)
    EXPECT_EQ(hasValue(DType::F64, numbers, place), place < 2 || place > 9) << place;
  EXPECT_EQ(valuesOf<uint16_t>(DType::F16, {0x7c00}), (Values{0, 0}));
  EXPECT_TRUE(hasValue(DType::I64, {3, 0, 0}, 1));
  EXPECT_EQ(valuesOf<uint64_t>(DType::U64, {1}), std::nullopt);
}

TEST(ShapeElements, OtherTypesHaveNoSymbols) {
  EXPECT_EQ(symbolsPerElement(DType::Bool), 0u);
  EXPECT_EQ(symbolsPerElement(DType::U64), 0u);
  EXPECT_EQ(symbolsPerElement(DType::I64), 1u);
  EXPECT_EQ(symbolsPerElement(DType::BF16), 2u);
}

} // namespace
} // namespace cupola::format

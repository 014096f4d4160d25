//===- test/Runtime/NarrowFloatsTest.cpp - floats of up to 8 bits ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/NarrowFloats.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace cupola::format;

namespace {

const NarrowFloat &of(DType dtype) { return *narrowFloatOf(dtype); }

unsigned bitsOf(const NarrowFloat &type) { return rowOf(type.dtype).bits; }

} // namespace

TEST(NarrowFloats, AreAllTypesThatAreCalledSo) {
  for (const ElementType &row : kElementTypes)
    EXPECT_EQ(narrowFloatOf(row.dtype) != nullptr, row.bits <= 8 && row.name[0] == 'f') << row.name;
}

TEST(NarrowFloats, EveryNumberHasItsOwnBits) {
  for (const NarrowFloat &type : kNarrowFloats)
    for (unsigned bits = 0; bits < 1U << bitsOf(type); ++bits)
      if (const double value = decoded(type, bits); std::isfinite(value)) {
        EXPECT_EQ(encoded(type, value), bits) << rowOf(type.dtype).name << " " << value;
      }
}

TEST(NarrowFloats, GreaterCodesAreGreaterNumbers) {
  for (const NarrowFloat &type : kNarrowFloats)
    for (unsigned code = 0; code < type.largest; ++code)
      EXPECT_LT(decoded(type, code), decoded(type, code + 1)) << rowOf(type.dtype).name << " " << code;
}

TEST(NarrowFloats, EndsAreThoseOfTheTypes) {
  EXPECT_EQ(decoded(of(DType::F4E2M1), 0x7), 6);
  EXPECT_EQ(decoded(of(DType::F4E2M1), 0x1), 0.5);
  EXPECT_EQ(decoded(of(DType::F8E4M3FN), 0x7e), 448);
  EXPECT_EQ(decoded(of(DType::F8E4M3FN), 0x01), 0x1p-9);
  EXPECT_EQ(decoded(of(DType::F8E4M3FNUZ), 0x7f), 240);
  EXPECT_EQ(decoded(of(DType::F8E4M3FNUZ), 0x01), 0x1p-10);
  EXPECT_EQ(decoded(of(DType::F8E5M2), 0xfb), -57344);
  EXPECT_EQ(decoded(of(DType::F8E5M2), 0x01), 0x1p-16);
  EXPECT_EQ(decoded(of(DType::F8E5M2), 0xfc), -INFINITY);
  EXPECT_EQ(decoded(of(DType::F8E5M2FNUZ), 0x7f), 57344);
  EXPECT_EQ(decoded(of(DType::F8E5M2FNUZ), 0x01), 0x1p-17);
  EXPECT_EQ(decoded(of(DType::F8E8M0), 0x00), 0x1p-127);
  EXPECT_EQ(decoded(of(DType::F8E8M0), 0xfe), 0x1p127);
}

TEST(NarrowFloats, NaNIsWhereTheTypesHaveIt) {
  constexpr std::pair<DType, unsigned> counts[] = {{DType::F4E2M1, 0}, {DType::F8E4M3FN, 2},   {DType::F8E4M3FNUZ, 1},
                                                   {DType::F8E5M2, 6}, {DType::F8E5M2FNUZ, 1}, {DType::F8E8M0, 1}};
  for (const auto &[dtype, expected] : counts) {
    unsigned count = 0;
    for (unsigned bits = 0; bits < 1U << bitsOf(of(dtype)); ++bits)
      count += std::isnan(decoded(of(dtype), bits));
    EXPECT_EQ(count, expected) << dtypeName(dtype);
  }
  EXPECT_TRUE(std::isnan(decoded(of(DType::F8E4M3FNUZ), 0x80)));
}

TEST(NarrowFloats, TiesGoToTheEvenCodeAndTheRestToTheNearest) {
  const NarrowFloat &type = of(DType::F8E4M3FN);
  EXPECT_EQ(encoded(type, 17), encoded(type, 16));
  EXPECT_EQ(encoded(type, 19), encoded(type, 20));
  EXPECT_EQ(encoded(type, 17.01), encoded(type, 18));
  EXPECT_EQ(encoded(type, 0x1p-10), 0u);
  EXPECT_EQ(encoded(type, 1e6), 0x7eu);
  EXPECT_EQ(encoded(type, -1e6), 0xfeu);
  EXPECT_EQ(encoded(type, -0.0), 0x80u);
  EXPECT_EQ(encoded(of(DType::F8E5M2FNUZ), -0.0), 0u);
}

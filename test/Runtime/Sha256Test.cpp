//===- test/Runtime/Sha256Test.cpp - sums of one text and of two at once ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Format/Sha256Pair.h"

#include <gtest/gtest.h>

namespace cupola::format {
namespace {

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/// Every place where a text may end in a block, and where the length has to go into one more.
TEST(Sha256, OfTwoTextsIsThatOfEach) {
  for (size_t size = 0; size < 330; ++size) {
    std::string a(size, '\0'), b(size, '\0');
    for (size_t i = 0; i < size; ++i) {
      a[i] = static_cast<char>(i * 37 + size);
      b[i] = static_cast<char>(i * i + 1);
    }
    for (const char first : {'\0', '\x81'}) {
      const std::array<Digest, 2> both = sha256Pair(first, a, b);
      EXPECT_EQ(both[0], sha256(first + a)) << size;
      EXPECT_EQ(both[1], sha256(first + b)) << size;
    }
  }
}

TEST(Sha256, OfTwoLongTexts) {
  std::string a(size_t(1) << 20, 'a'), b(a.size(), 'b');
  a[777777] = 'c';
  const std::array<Digest, 2> both = sha256Pair('x', a, b);
  EXPECT_EQ(both[0], sha256('x' + a));
  EXPECT_EQ(both[1], sha256('x' + b));
}

} // namespace
} // namespace cupola::format

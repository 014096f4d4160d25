//===- test/Import/Onnx/TextTest.cpp - text that comes from a model --------===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Import/Onnx/Text.h"

#include <gtest/gtest.h>

namespace cupola::onnx_import {
namespace {

TEST(Text, CleanTextIsUtf8WithoutNul) {
  EXPECT_TRUE(isCleanText("plain, ü, 语, \xf0\x9f\x98\x80"));
  for (const std::string &bad :
       {std::string("a\0b", 3), std::string("\xff"), std::string("\xc0\x80"), std::string("\xe0\x80\x80"),
        std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"), std::string("\xe4\xb8")})
    EXPECT_FALSE(isCleanText(bad)) << printable(bad);
}

TEST(Text, PrintableStaysOnOneLineAndShowsWhatIsThere) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m"), "a\\nb\\tc\\x1b[31m");
  EXPECT_EQ(printable("it's \\"), "it\\'s \\\\");
  EXPECT_EQ(printable("x\xe2\x80\xaey"), "x\\u202ey"); // writes from right to left
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("语"), "语");
  EXPECT_EQ(printable(std::string(1000, 'a')).size(), 128u + 3u);
}

TEST(Text, CountsHaveNothingButDigits) {
  EXPECT_EQ(parseCount("0"), 0);
  EXPECT_EQ(parseCount("9223372036854775807"), INT64_MAX);
  for (const char *bad : {"", "-4", "+4", " 4", "4 ", "abc", "0x10", "9223372036854775808", "18446744073709551615"})
    EXPECT_FALSE(parseCount(bad)) << bad;
}

} // namespace
} // namespace cupola::onnx_import

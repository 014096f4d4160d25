//===- test/Runtime/HostTest.cpp - What the host computes of strings ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/LetterCase.h"
#include "lib/Runtime/Host/Utf8.h"
#include "test/Runtime/HostRunner.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::runtime;
using cupola::test::viewOf;

namespace {

using Texts = std::vector<std::string>;

/// Runs one op on texts or numbers.
struct Host {
  Texts constants{"constant"};
  StringTable strings{constants};

  std::vector<int64_t> numbersOf(const Texts &texts) {
    std::vector<int64_t> numbers;
    for (const std::string &text : texts)
      numbers.push_back(strings.give(text));
    return numbers;
  }
  Texts textsOf(const std::vector<int64_t> &numbers) {
    Texts texts;
    for (int64_t number : numbers)
      texts.emplace_back(strings.find(number).value());
    return texts;
  }

  template <class T>
  Status run(const std::string &op, const Texts &arguments, std::vector<HostOperand> operands, std::vector<T> &result) {
    strings.beginRun();
    return test::runHostOp(op, arguments, std::move(operands), result, strings);
  }
  Texts texts(const std::string &op, const Texts &arguments, const Texts &input, size_t count) {
    const std::vector<int64_t> numbers = numbersOf(input);
    std::vector<int64_t> result(count);
    const Status status = run(op, arguments, {viewOf(numbers)}, result);
    EXPECT_TRUE(status.isOk()) << status.message();
    return status.isOk() ? textsOf(result) : Texts();
  }
  std::vector<int64_t> counts(const std::string &op, const Texts &arguments, const Texts &input, size_t count) {
    const std::vector<int64_t> numbers = numbersOf(input);
    std::vector<int64_t> result(count);
    EXPECT_TRUE(run(op, arguments, {viewOf(numbers)}, result).isOk());
    return result;
  }
  template <class T> Texts formatted(const std::string &type, const std::vector<T> &numbers) {
    std::vector<int64_t> result(numbers.size());
    EXPECT_TRUE(run("string_format", {type}, {viewOf(numbers)}, result).isOk());
    return textsOf(result);
  }
  template <class T> Status parse(const std::string &type, const Texts &input, std::vector<T> &result) {
    const std::vector<int64_t> numbers = numbersOf(input);
    result.resize(input.size());
    return run("string_parse", {type}, {viewOf(numbers)}, result);
  }
};

TEST(Host, Concat) {
  Host host;
  const auto a = host.numbersOf({"a", "", "constant"}), b = host.numbersOf({"b", "", "s"});
  std::vector<int64_t> result(3);
  ASSERT_TRUE(host.run("string_concat", {}, {viewOf(a), viewOf(b)}, result).isOk());
  EXPECT_EQ(host.textsOf(result), (Texts{"ab", "", "constants"}));
}

TEST(Host, Rank) {
  Host host;
  const auto texts = host.numbersOf({"b", "", "constant", "\xc3\xa9", "b", "Z"});
  std::vector<int64_t> result(6);
  ASSERT_TRUE(host.run("string_rank", {}, {viewOf(texts)}, result).isOk());
  EXPECT_EQ(result, (std::vector<int64_t>{2, 0, 3, 4, 2, 1}));
  std::vector<int64_t> few(5);
  EXPECT_EQ(host.run("string_rank", {}, {viewOf(texts)}, few).code(), Code::Package);
}

TEST(Host, NumbersOfNoString) {
  Host host;
  const std::vector<int64_t> wrong{int64_t(1) << 40}, negative{-1};
  std::vector<int64_t> result(1);
  for (const auto &numbers : {wrong, negative})
    EXPECT_EQ(host.run("string_concat", {}, {viewOf(numbers), viewOf(numbers)}, result).code(), Code::Usage);
}

/// What a package says may not fit: no result is written beyond its buffer.
TEST(Host, SizesThatDoNotFit) {
  Host host;
  const auto two = host.numbersOf({"a b", "c"}), one = host.numbersOf({"a"});
  std::vector<int64_t> result(1);
  EXPECT_EQ(host.run("string_concat", {}, {viewOf(two), viewOf(two)}, result).code(), Code::Package);
  EXPECT_EQ(host.run("string_concat", {}, {viewOf(one), viewOf(two)}, result).code(), Code::Package);
  EXPECT_EQ(host.run("string_normalize", {"none", "1"}, {viewOf(two)}, result).code(), Code::Package);
  EXPECT_EQ(host.run("string_split_count", {"", "-1"}, {viewOf(two)}, result).code(), Code::Package);
  result.resize(2);
  EXPECT_EQ(host.run("string_split", {"", "-1"}, {viewOf(two)}, result).code(), Code::Package);
  EXPECT_EQ(host.run("string_split", {"", "x"}, {viewOf(two)}, result).code(), Code::Package);
  EXPECT_EQ(host.run("no_op", {}, {viewOf(two)}, result).code(), Code::Package);
  EXPECT_EQ(host.run("string_parse", {"string"}, {viewOf(two)}, result).code(), Code::Package);
  EXPECT_EQ(host.run("string_concat", {}, {viewOf(two)}, result).code(), Code::Package);
}

TEST(Host, Normalize) {
  Host host;
  const Texts words{"Monday", "monday", "\xc3\x84pfel", ""};
  EXPECT_EQ(host.texts("string_normalize", {"upper", "1", "monday"}, words, 3), (Texts{"MONDAY", "\xc3\x84PFEL", ""}));
  EXPECT_EQ(host.texts("string_normalize", {"lower", "0", "MONDAY"}, words, 2), (Texts{"\xc3\xa4pfel", ""}));
  EXPECT_EQ(host.texts("string_normalize", {"none", "0", "MONDAY", "\xc3\xa4pfel", ""}, words, 1), Texts{""});
  EXPECT_EQ(host.counts("string_normalize_count", {"none", "0", "MONDAY"}, words, 1)[0], 2);
  EXPECT_EQ(host.counts("string_normalize_count", {"none", "0", "monday"}, {"monday"}, 1)[0], 1);
}

TEST(Host, Split) {
  Host host;
  EXPECT_EQ(host.counts("string_split_count", {"", "-1"}, {" a  b ", "", "a", "\xe3\x80\x80x\xc2\xa0y"}, 4),
            (std::vector<int64_t>{2, 0, 1, 2}));
  EXPECT_EQ(host.texts("string_split", {"", "-1"}, {" a  b ", ""}, 4), (Texts{"a", "b", "", ""}));
  EXPECT_EQ(host.texts("string_split", {"", "1"}, {" a  b c "}, 2), (Texts{"a", "b c "}));
  EXPECT_EQ(host.texts("string_split", {",", "-1"}, {"a,,b", ""}, 6), (Texts{"a", "", "b", "", "", ""}));
  EXPECT_EQ(host.texts("string_split", {", ", "1"}, {"a, b, c"}, 2), (Texts{"a", "b, c"}));
  EXPECT_EQ(host.counts("string_split_count", {",", "-1"}, {"", "a,,b"}, 2), (std::vector<int64_t>{1, 3}));
}

TEST(Host, FormatsAsNumpyDoes) {
  Host host;
  EXPECT_EQ(
      host.formatted<float>("f32", {3.14F, 1, 0, -0.0F, 1e20F, 1e-5F, 1e-4F, 123456789.0F, INFINITY, -INFINITY, NAN}),
      (Texts{"3.14", "1.0", "0.0", "-0.0", "1e+20", "1e-05", "0.0001", "123456790.0", "inf", "-inf", "nan"}));
  EXPECT_EQ(host.formatted<double>("f64", {0.1, 1e16, 1234567890123456.0, 5e-324}),
            (Texts{"0.1", "1e+16", "1234567890123456.0", "5e-324"}));
  EXPECT_EQ(host.formatted<uint16_t>("f16", {0x2e66, 0x7bff, 0x0001, 0x7c00}),
            (Texts{"0.1", "65500.0", "6e-08", "inf"}));
  EXPECT_EQ(host.formatted<uint16_t>("bf16", {0x3dcd, 0xff80}), (Texts{"0.1", "-inf"}));
  EXPECT_EQ(host.formatted<int8_t>("i8", {-128}), Texts{"-128"});
  EXPECT_EQ(host.formatted<uint64_t>("u64", {~uint64_t(0)}), Texts{"18446744073709551615"});
  EXPECT_EQ(host.formatted<uint8_t>("bool", {0, 1}), (Texts{"False", "True"}));
}

TEST(Host, Parses) {
  Host host;
  std::vector<float> floats;
  ASSERT_TRUE(host.parse("f32", {"1.5", " +2 ", "-1E-5", "INF", "-inf", "1e99", "1e-99", "-1e99"}, floats).isOk());
  EXPECT_EQ(floats, (std::vector<float>{1.5, 2, -1e-5F, INFINITY, -INFINITY, INFINITY, 0, -INFINITY}));
  ASSERT_TRUE(host.parse("f32", {"NaN"}, floats).isOk());
  EXPECT_TRUE(std::isnan(floats[0]));
  std::vector<uint16_t> halves;
  ASSERT_TRUE(host.parse("f16", {"0.1", "65519", "65520", "6e-8", "-0", "nan", "inf"}, halves).isOk());
  EXPECT_EQ(halves, (std::vector<uint16_t>{0x2e66, 0x7bff, 0x7c00, 0x0001, 0x8000, 0x7e00, 0x7c00}));
  ASSERT_TRUE(host.parse("bf16", {"0.1", "1e39"}, halves).isOk());
  EXPECT_EQ(halves, (std::vector<uint16_t>{0x3dcd, 0x7f80}));
  std::vector<int8_t> bytes;
  ASSERT_TRUE(host.parse("i8", {"-128", "+7"}, bytes).isOk());
  EXPECT_EQ(bytes, (std::vector<int8_t>{-128, 7}));
  std::vector<uint8_t> bools;
  ASSERT_TRUE(host.parse("bool", {"1", "False", "true"}, bools).isOk());
  EXPECT_EQ(bools, (std::vector<uint8_t>{1, 0, 1}));
  for (const char *text : {"", "x", "1.5", "128", "1 2", "++1", "+-1"})
    EXPECT_EQ(host.parse("i8", {text}, bytes).code(), Code::Usage) << text;
  const Status status = host.parse("f32", {"1", "Hello\n"}, floats);
  EXPECT_EQ(status.message(), "element 1 is 'Hello?', which is no f32");
}

TEST(Host, LetterCases) {
  EXPECT_EQ(uppered("stra\xc3\x9f"
                    "e \xc3\xa9 \xce\xb1 \xd1\x8f"),
            "STRA\xc3\x9f"
            "E \xc3\x89 \xce\x91 \xd0\xaf"); // ss of the sharp s would be two letters
  EXPECT_EQ(lowered("\xc3\x84\xff\xce\xa3"), "\xc3\xa4\xff\xcf\x83");
  EXPECT_EQ(lowerOf(0x10428 - 40), 0x10428U);
  EXPECT_EQ(upperOf('1'), uint32_t('1'));
}

TEST(Host, Utf8) {
  EXPECT_TRUE(isUtf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char *text : {"\x80", "\xc0\x80", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xff"})
    EXPECT_FALSE(isUtf8(text)) << text;
  std::string text;
  for (uint32_t point : {0x41U, 0xe9U, 0x20acU, 0x1f600U})
    appendCodePoint(text, point);
  EXPECT_EQ(text, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(StringTable, OneNumberForEqualTexts) {
  const Texts constants{"a", "b"};
  StringTable table(constants);
  EXPECT_EQ(table.give("b"), 1);
  const int64_t c = table.give("c");
  EXPECT_EQ(table.give("c"), c);
  table.beginRun();
  EXPECT_EQ(table.make("c"), c);
  EXPECT_EQ(table.find(table.make("d")), "d");
}

TEST(StringTable, DropsWhatRunsMade) {
  const Texts constants{"a"};
  StringTable table(constants);
  const int64_t given = table.give("given");
  table.beginRun();
  const int64_t made = table.make("made");
  table.beginRun(); // the same inputs once more
  EXPECT_EQ(table.find(given), "given");
  EXPECT_EQ(table.find(made), std::nullopt);
  const int64_t again = table.make("other");
  EXPECT_NE(again, made);
  EXPECT_EQ(table.give(*table.find(again)), again + 1); // a result is the next input
  EXPECT_EQ(table.find(given), std::nullopt);
  EXPECT_EQ(table.find(again + 1), "other");
  EXPECT_EQ(table.find(0), "a");
}

TEST(StringTable, StaysSmall) {
  const Texts constants;
  StringTable table(constants);
  for (int run = 0; run < 100000; ++run) {
    table.give("input " + std::to_string(run));
    table.beginRun();
    table.make("result " + std::to_string(run));
  }
  EXPECT_LE(table.size(), 2U);
}

} // namespace

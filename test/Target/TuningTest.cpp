//===- test/Target/TuningTest.cpp - the database of measured times ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Target/Tuning.h"

#include <gtest/gtest.h>

namespace cupola {
namespace {

const std::string header = "{\"schema\":\"cupola.tuning/1\"}\n";

TuningLine line(const std::string &kernel, const std::string &nvrtc, const std::string &schedule, double time) {
  return {kernel, "sm_80", nvrtc, schedule, time};
}

const std::string first = "00000000000000aa", second = "00000000000000bb";

TEST(Tuning, IsSortedWhateverTheOrder) {
  const std::vector<TuningLine> lines = {line(second, "12.9", "#cuda.a<1>", 3), line(first, "12.10", "#cuda.a<1>", 2),
                                         line(first, "12.9", "#cuda.b<1>", 1.25), line(first, "sim", "#cuda.b<1>", 900),
                                         line(first, "12.9", "#cuda.a<1>", 1)};
  TuningTable forwards, backwards;
  for (size_t i = 0; i < lines.size(); ++i) {
    forwards.add(lines[i]);
    backwards.add(lines[lines.size() - 1 - i]);
  }
  const auto text = [](const std::string &kernel, const std::string &nvrtc, const std::string &rest) {
    return "{\"kernel\":\"" + kernel + "\",\"target\":\"sm_80\",\"nvrtc\":\"" + nvrtc + "\"," + rest + "}\n";
  };
  const std::string expected = header + text(first, "sim", "\"schedule\":\"#cuda.b<1>\",\"time\":900") +
                               text(first, "12.9", "\"schedule\":\"#cuda.a<1>\",\"time\":1") +
                               text(first, "12.9", "\"schedule\":\"#cuda.b<1>\",\"time\":1.25") +
                               text(first, "12.10", "\"schedule\":\"#cuda.a<1>\",\"time\":2") +
                               text(second, "12.9", "\"schedule\":\"#cuda.a<1>\",\"time\":3");
  EXPECT_EQ(forwards.text(), expected);
  EXPECT_EQ(backwards.text(), expected);
  Result<TuningTable> again = TuningTable::parse(expected, "file");
  ASSERT_TRUE(again.isOk()) << again.status().message();
  EXPECT_EQ(again->text(), expected);
}

TEST(Tuning, ReplacesALineAndKeepsTheOthers) {
  TuningTable table;
  table.add(line(first, "12.9", "#cuda.a<x 1, y 2>", 1));
  table.add(line(first, "12.9", "#cuda.b<1>", 2));
  table.add(line(first, "12.9", "#cuda.a< x 1,y 2 >", 0.1 + 0.2)); // spaces tell nothing apart
  EXPECT_EQ(table.text(), header + "{\"kernel\":\"" + first +
                              "\",\"target\":\"sm_80\",\"nvrtc\":\"12.9\",\"schedule\":"
                              "\"#cuda.a< x 1,y 2 >\",\"time\":0.3}\n"
                              "{\"kernel\":\"" +
                              first +
                              "\",\"target\":\"sm_80\",\"nvrtc\":\"12.9\",\"schedule\":"
                              "\"#cuda.b<1>\",\"time\":2}\n");
}

TEST(Tuning, TheNewestNvrtcCounts) {
  TuningTable table;
  table.add(line(first, "sim", "#cuda.s<1>", 1));
  ASSERT_TRUE(table.find(first, "sm_80"));
  EXPECT_EQ(table.find(first, "sm_80")->count("#cuda.s<1>"), 1u);
  table.add(line(first, "12.10", "#cuda.a<1>", 3));
  table.add(line(first, "12.9", "#cuda.b<1>", 1));
  const TuningTable::Times *times = table.find(first, "sm_80");
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 1u);
  EXPECT_EQ(times->at("#cuda.a<1>").time, 3);
  EXPECT_FALSE(table.find(first, "sm_86"));
  EXPECT_FALSE(table.find(second, "sm_80"));
}

/// What is said of a text.
std::string errorOf(const std::string &text) {
  const Result<TuningTable> parsed = TuningTable::parse(text, "t.jsonl");
  if (parsed.isOk())
    return "";
  EXPECT_EQ(parsed.status().code(), Code::Usage);
  return parsed.status().message();
}

TEST(Tuning, ErrorsNameTheLineAndWhatWasExpected) {
  const std::string good =
      R"({"kernel":"00000000000000aa","target":"sm_80","nvrtc":"12.9","schedule":"#cuda.a<1>","time":1})";
  EXPECT_EQ(errorOf(header + "\n" + good), "");
  EXPECT_EQ(errorOf(R"({"schema":"cupola.tuning/1","note":"by hand"})"), "");
  const std::string noHeader = "expected {\"schema\":\"cupola.tuning/1\"} as the first line";
  EXPECT_EQ(errorOf(""), "t.jsonl: line 1: " + noHeader);
  EXPECT_EQ(errorOf(good), "t.jsonl: line 1: " + noHeader);
  EXPECT_EQ(errorOf("{\"schema\":\"cupola.tuning/2\"}"), "t.jsonl: line 1: " + noHeader);
  EXPECT_EQ(errorOf(header + "\n" + good + "\n[1]"), "t.jsonl: line 4: expected a JSON object");
  EXPECT_EQ(errorOf(header + "{"), "t.jsonl: line 2: expected a JSON object");
  EXPECT_EQ(errorOf(header + good + "\n" + good),
            "t.jsonl: line 3: expected each schedule of a kernel, target and NVRTC once");
  EXPECT_EQ(errorOf(header + std::string(5000, '[')),
            "t.jsonl: line 2: expected at most 4096 bytes in a line, not 5000");
  const auto changed = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return errorOf(header + text);
  };
  EXPECT_EQ(changed("aa", "aA"), "t.jsonl: line 2: expected \"kernel\": 16 hexadecimal digits");
  EXPECT_EQ(changed("sm_80", "sm_8"), "t.jsonl: line 2: expected \"target\": one of sm_75, sm_80, sm_86, sm_89, sm_90, "
                                      "sm_90a, sm_100, sm_120");
  for (const char *version : {"12", "12.", "12.9.1", "v12.9", "-1.0", "0.0"})
    EXPECT_EQ(changed("12.9", version), "t.jsonl: line 2: expected \"nvrtc\": a version, as \"12.9\", or \"sim\"");
  EXPECT_EQ(changed("#cuda", "cuda"),
            "t.jsonl: line 2: expected \"schedule\": an attribute, as \"#cuda.pointwise<threads 256, vector 4>\"");
  for (const char *time : {":0", ":-1", ":\"1\"", ":null"})
    EXPECT_EQ(changed(":1}", std::string(time) + "}"), "t.jsonl: line 2: expected \"time\": a number above 0");
  EXPECT_EQ(changed("\"time\"", "\"zeit\":1,\"times\""),
            "t.jsonl: line 2: expected no key 'times'; there are: kernel, nvrtc, schedule, target, time");
}

} // namespace
} // namespace cupola

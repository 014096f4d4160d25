//===- test/Runtime/PatternTest.cpp - Regular expressions over whole texts ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Pattern.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace cupola;
using namespace cupola::runtime;

namespace {

bool matches(const std::string &pattern, const std::string &text) {
  const Result<Pattern> parsed = Pattern::parse(pattern);
  EXPECT_TRUE(parsed.isOk()) << parsed.status().message();
  return parsed.isOk() && parsed->matches(text);
}

TEST(Pattern, WholeTexts) {
  EXPECT_TRUE(matches("abc", "abc"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_FALSE(matches("bc", "abc"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("a|bc|", "bc"));
  EXPECT_TRUE(matches("a|bc|", ""));
  EXPECT_FALSE(matches("a|bc|", "abc"));
}

TEST(Pattern, Repetition) {
  EXPECT_TRUE(matches("a*", "aaa"));
  EXPECT_TRUE(matches("a+?b??", "aab"));
  EXPECT_FALSE(matches("a+", ""));
  EXPECT_TRUE(matches("(ab){2}", "abab"));
  EXPECT_FALSE(matches("(ab){2}", "ab"));
  EXPECT_TRUE(matches("a{2,}", "aaaa"));
  EXPECT_FALSE(matches("a{2,3}", "aaaa"));
  EXPECT_TRUE(matches("a{0}", ""));
  EXPECT_TRUE(matches("a{,2}", "a{,2}")); // braces that count nothing
  EXPECT_TRUE(matches("(a*)*b", "aab"));
}

TEST(Pattern, ClassesAndEscapes) {
  EXPECT_TRUE(matches("[a-c]+", "abc"));
  EXPECT_FALSE(matches("[^a-c]+", "xbz"));
  EXPECT_TRUE(matches("[]a]+", "a]"));
  EXPECT_TRUE(matches("[a\\-z]+", "-az"));
  EXPECT_TRUE(matches("[[:alpha:][:^digit:]]+", "a."));
  EXPECT_TRUE(matches("\\d\\D\\w\\W\\s\\S", "1a_. x"));
  EXPECT_TRUE(matches("[\\d.]+", "1.5"));
  EXPECT_TRUE(matches("\\x41\\x{1F600}\\t\\.", "A\xf0\x9f\x98\x80\t."));
  EXPECT_TRUE(matches("\\Qa.b*\\E+", "a.b**"));
  EXPECT_TRUE(matches("\\Qa|(\\", "a|(\\"));
  EXPECT_TRUE(matches("\\012", "\n"));
}

TEST(Pattern, PlacesAndFlags) {
  EXPECT_TRUE(matches("^a$", "a"));
  EXPECT_FALSE(matches("a^b", "ab"));
  EXPECT_FALSE(matches("a.b", "a\nb"));
  EXPECT_TRUE(matches("(?s)a.b", "a\nb"));
  EXPECT_TRUE(matches("(?m)a$\n^b", "a\nb"));
  EXPECT_FALSE(matches("a$\n^b", "a\nb"));
  EXPECT_TRUE(matches("a\\b \\bb", "a b"));
  EXPECT_FALSE(matches("a\\bb", "ab"));
  EXPECT_TRUE(matches("(?i)stra\xc3\x9f"
                      "e \xc3\x89t\xc3\xa9",
                      "STRA\xc3\x9f"
                      "E \xc3\xa9T\xc3\x89"));
  EXPECT_TRUE(matches("(?i:a)b", "Ab"));
  EXPECT_FALSE(matches("(?i:a)b", "AB"));
  EXPECT_TRUE(matches("(?P<name>a)(?:b)", "ab"));
}

TEST(Pattern, CodePoints) {
  EXPECT_TRUE(matches(".", "\xc3\xa9"));
  EXPECT_TRUE(matches("[\xc3\xa0-\xc3\xbf]+", "\xc3\xa9\xc3\xa8"));
  EXPECT_FALSE(matches("..", "\xc3\xa9"));
  EXPECT_TRUE(matches("a.b", "a\xff"
                             "b")); // a byte that is no UTF-8 counts as one
}

TEST(Pattern, Categories) {
  const char *const e = "\xc3\xa9", *const capital = "\xc3\x89", *const digit = "\xd9\xa3"; // of Arabic
  EXPECT_TRUE(matches("\\pL", e) && matches("\\p{L}", e) && matches("\\p{Ll}", e) && matches("\\p{^Lu}", e));
  EXPECT_FALSE(matches("\\PL", e) || matches("\\P{Ll}", e) || matches("\\p{Lu}", e) || matches("\\P{^Lu}", e));
  EXPECT_TRUE(matches("\\p{Lu}\\pL+", std::string(capital) + "t" + e));
  EXPECT_TRUE(matches("[\\p{Nd}_]+", std::string("7_") + digit));
  EXPECT_FALSE(matches("[^\\p{Nd}]", digit) || matches("\\d", digit));
  EXPECT_TRUE(matches("[\\PL]", "7") && matches("\\p{Any}", "\n") && matches("\\pZ\\p{Sc}\\pP", " $!"));
  EXPECT_TRUE(matches("\\p{Co}", "\xf4\x8f\xbf\xbd")); // the last run
  EXPECT_TRUE(matches("(?i)\\p{Lu}", e));
  std::string many = "[";
  for (int i = 0; i < 10000; ++i)
    many += "\\pL";
  EXPECT_EQ(Pattern::parse(many + "]").status().code(), Code::Limit);
}

TEST(Pattern, Refused) {
  for (const char *pattern :
       {"(",          ")",       "a)",       "[a",          "*a",    "a**",   "(?<x",    "\\",      "[z-a]",
        "\\p{Greek}", "\\p",     "\\p{",     "\\p{}",       "\\p{L", "\\pX",  "\\p{Cn}", "[\\p{No", "\\C",
        "(?x)a",      "a{1001}", "[[:no:]]", "\\x{110000}", "\\1",   "(?=a)", "(?!a)"})
    EXPECT_EQ(Pattern::parse(pattern).status().code(), Code::Usage) << pattern;
  EXPECT_EQ(Pattern::parse("((a{1000}){1000}){1000}").status().code(), Code::Limit);
  EXPECT_EQ(Pattern::parse(std::string(10000, '(')).status().code(), Code::Limit);
}

/// A matcher that tries one way after the other takes 2^30 steps for it.
TEST(Pattern, TakesTimeInProportion) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(matches("(a|a)*(a|a)*(a*)*c", std::string(3000, 'a') + "b"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

} // namespace

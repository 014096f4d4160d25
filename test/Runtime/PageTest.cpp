//===- test/Runtime/PageTest.cpp - Pages hold a report and do nothing else ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Page/Page.h"

#include <gtest/gtest.h>

using namespace cupola::runtime;

namespace {

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

/// Between the first `begin` and the first `end` behind it.
std::string between(const std::string &text, const std::string &begin, const std::string &end) {
  const size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

std::string reportIn(const std::string &page) { return between(page, "id=\"report\">", "</script>"); }

TEST(Page, AllowsItsOwnStyleAndScriptAndNothingElse) {
  const std::string page = htmlPage("t", "{}");
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_EQ(policy.find("default-src 'none'; script-src 'sha256-"), 0u);
  EXPECT_NE(policy.find("style-src 'sha256-"), std::string::npos);
  EXPECT_NE(policy.find("base-uri 'none'; form-action 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(count(page, "<script"), 2u); // the report, the script
  EXPECT_EQ(count(page, "<style"), 1u);
}

TEST(Page, NamesNoOtherPlaceAndMakesNoMarkupOfTexts) {
  const std::string page = htmlPage("t", "{}");
  for (const char *word :
       {"http:", "https:", "//www", "url(", "@import", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
        "eval(", "new Function", "fetch(", "XMLHttpRequest", "{{", "}}\n<"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
}

TEST(Page, HoldsAnyReportAsData) {
  const std::string page = htmlPage("t", R"({"a":"</script><script>alert(1)</script><!-- & {{script}}"})");
  EXPECT_EQ(count(page, "<script"), 2u);
  EXPECT_EQ(count(page, "</script>"), 2u);
  EXPECT_EQ(reportIn(page),
            R"({"a":"\u003c/script\u003e\u003cscript\u003ealert(1)\u003c/script\u003e\u003c!-- \u0026 {{script}}"})");
}

TEST(Page, WritesCharactersThatMisleadByTheirNumbers) {
  EXPECT_EQ(reportIn(htmlPage("t", "\"\u202e \u2028 \u00fc \U0001f600\"")), "\"\\u202e \\u2028 \\u00fc \U0001f600\"");
  EXPECT_EQ(reportIn(htmlPage("t", "\"\xe2\x80")), "\"\xe2\x80"); // cut short: as it is
}

TEST(Page, EscapesItsTitle) {
  const std::string page = htmlPage("</title><b a='\"'>{{report}}", "{}");
  EXPECT_EQ(count(page, "&lt;/title&gt;&lt;b a=&#39;&quot;&#39;&gt;{{report}}"), 2u); // title and heading
  EXPECT_EQ(page.find("<b a"), std::string::npos);
}

} // namespace

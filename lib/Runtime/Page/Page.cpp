//===- lib/Runtime/Page/Page.cpp - A report as a page of a browser ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Page/Page.h"
#include "lib/Runtime/Format/Sha256.h"
#include "lib/Runtime/Page/embeddedPage.h"

#include <cstdio>
#include <map>

namespace cupola::runtime {

namespace {

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The embedded files of this ending, one after the other.
std::string filesOf(std::string_view ending) {
  std::string text;
  for (const EmbeddedPageFile &file : embeddedPage)
    if (endsWith(file.name, ending))
      text += file.text;
  return text;
}

std::string base64(const format::Digest &bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; ++k)
      text += k <= count ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// What a content security policy allows an element with this text by.
std::string sourceHash(const std::string &text) { return "'sha256-" + base64(format::sha256(text)) + "'"; }

std::string unicodeEscape(unsigned character) {
  char text[8];
  std::snprintf(text, sizeof(text), "\\u%04x", character);
  return text;
}

/// JSON that ends no element and begins no comment wherever it stands: these characters occur within its strings only,
/// and so may be written by their numbers. Those of two and three bytes are escaped, too, so that no editor that shows
/// the page's source is led astray by marks of direction.
std::string inertJson(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const auto follows = [&](size_t k) { return i + k < json.size() && (json[i + k] & 0xc0) == 0x80; };
    const auto part = [&](size_t k) { return static_cast<unsigned>(json[i + k] & 0x3f); };
    if (byte == '<' || byte == '>' || byte == '&') {
      text += unicodeEscape(byte);
    } else if ((byte & 0xe0) == 0xc0 && follows(1)) {
      text += unicodeEscape((byte & 0x1fu) << 6 | part(1));
      i += 1;
    } else if ((byte & 0xf0) == 0xe0 && follows(1) && follows(2)) {
      text += unicodeEscape((byte & 0x0fu) << 12 | part(1) << 6 | part(2));
      i += 2;
    } else {
      text += json[i];
    }
  }
  return text;
}

std::string escapeHtml(std::string_view text) {
  static const std::map<char, const char *> entities = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                                                        {'"', "&quot;"}, {'\'', "&#39;"}, {'\0', "\xef\xbf\xbd"}};
  std::string escaped;
  for (char c : text) {
    const auto entity = entities.find(c);
    escaped += entity == entities.end() ? std::string(1, c) : entity->second;
  }
  return escaped;
}

} // namespace

std::string htmlPage(std::string_view title, std::string_view json) {
  const std::string style = filesOf(".css"), script = "\"use strict\";\n" + filesOf(".js");
  const std::map<std::string_view, std::string> values = {
      {"title", escapeHtml(title)}, {"style", style},
      {"script", script},           {"style-hash", sourceHash(style)},
      {"report", inertJson(json)},  {"script-hash", sourceHash(script)},
  };
  const std::string frame = filesOf(".html");
  std::string page;
  size_t from = 0;
  // What is put in is not looked at again: "{{" in a report is text.
  for (size_t at; (at = frame.find("{{", from)) != std::string::npos;) {
    const size_t end = frame.find("}}", at);
    page.append(frame, from, at - from);
    page += values.at(std::string_view(frame).substr(at + 2, end - at - 2));
    from = end + 2;
  }
  return page.append(frame, from, std::string::npos);
}

} // namespace cupola::runtime

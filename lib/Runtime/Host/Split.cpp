//===- lib/Runtime/Host/Split.cpp - strings in parts ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/Utf8.h"

#include <charconv>

namespace cupola::runtime {

namespace {

/// What Python's str.split takes for white space.
bool isSpace(uint32_t point) {
  return (point >= 0x9 && point <= 0xd) || (point >= 0x1c && point <= 0x20) || point == 0x85 || point == 0xa0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 ||
         point == 0x202f || point == 0x205f || point == 0x3000;
}

/// At the first code point from `at` on that is white space, or none; the text's end: there is none.
size_t findSpace(std::string_view text, size_t at, bool wanted) {
  while (at < text.size()) {
    size_t behind = at;
    if (isSpace(nextCodePoint(text, behind)) == wanted)
      return at;
    at = behind;
  }
  return text.size();
}

using Parts = std::vector<std::string_view>;

/// Runs of white space are one delimiter, at the ends they are none; what the last split leaves keeps those at its end.
Parts splitAtSpace(std::string_view text, size_t most) {
  Parts parts;
  for (size_t at = findSpace(text, 0, false); at < text.size();) {
    const size_t end = parts.size() < most ? findSpace(text, at, true) : text.size();
    parts.push_back(text.substr(at, end - at));
    at = findSpace(text, end, false);
  }
  return parts;
}

Parts splitAt(std::string_view text, std::string_view delimiter, size_t most) {
  Parts parts;
  size_t begin = 0;
  for (size_t end; parts.size() < most && (end = text.find(delimiter, begin)) != std::string_view::npos;
       begin = end + delimiter.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

Result<Parts> partsOf(const HostCall &call, size_t at) {
  CUPOLA_ASSIGN(const std::string_view text, call.text(0, at));
  const std::string &number = call.argument(1);
  int64_t most = -1;
  if (std::from_chars(number.data(), number.data() + number.size(), most).ec != std::errc())
    return Status::package("the manifest is inconsistent: '" + number + "' is no number of splits");
  const size_t limit = most < 0 ? std::string::npos : static_cast<size_t>(most);
  return call.argument(0).empty() ? splitAtSpace(text, limit) : splitAt(text, call.argument(0), limit);
}

} // namespace

Status countSplit(HostCall &call) {
  CUPOLA_TRY(call.expectResults(call.count(0)));
  for (size_t i = 0; i < call.count(0); ++i) {
    CUPOLA_ASSIGN(const Parts parts, partsOf(call, i));
    call.put(i, static_cast<int64_t>(parts.size()));
  }
  return Status::ok();
}

Status splitStrings(HostCall &call) {
  const size_t texts = call.count(0), columns = texts == 0 ? 0 : call.resultCount() / texts;
  CUPOLA_TRY(call.expectResults(texts * columns));
  for (size_t i = 0; i < texts; ++i) {
    CUPOLA_ASSIGN(const Parts parts, partsOf(call, i));
    if (parts.size() > columns)
      return call.expectResults(texts * parts.size());
    for (size_t column = 0; column < columns; ++column)
      call.putText(i * columns + column, column < parts.size() ? parts[column] : std::string_view());
  }
  return Status::ok();
}

} // namespace cupola::runtime

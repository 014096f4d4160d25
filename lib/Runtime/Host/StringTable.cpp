//===- lib/Runtime/Host/StringTable.cpp - the strings of a session ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/StringTable.h"

namespace cupola::runtime {

StringTable::StringTable(const std::vector<std::string> &constants)
    : constants(constants), next(static_cast<int64_t>(constants.size())) {
  for (size_t i = 0; i < constants.size(); ++i)
    numbers.emplace(constants[i], static_cast<int64_t>(i));
}

int64_t StringTable::add(Segment &segment, std::string_view text) {
  const auto known = numbers.find(text);
  if (known != numbers.end())
    return known->second;
  if (segment.texts.empty())
    segment.first = next;
  numbers.emplace(segment.texts.emplace_back(text), next);
  return next++;
}

void StringTable::drop(Segment &segment) {
  for (const std::string &text : segment.texts)
    numbers.erase(text);
  segment.texts.clear();
}

/// Texts of the run before may be what is given now: those are copied before they go.
int64_t StringTable::give(std::string_view text) {
  if (!hasRun)
    return add(given, text);
  hasRun = false;
  const std::string copy(text);
  drop(made);
  drop(given);
  return add(given, copy);
}

void StringTable::beginRun() {
  drop(made);
  hasRun = true;
}

std::optional<std::string_view> StringTable::find(int64_t number) const {
  if (number >= 0 && number < static_cast<int64_t>(constants.size()))
    return constants[static_cast<size_t>(number)];
  for (const Segment *segment : {&given, &made})
    if (number >= segment->first && number - segment->first < static_cast<int64_t>(segment->texts.size()))
      return segment->texts[static_cast<size_t>(number - segment->first)];
  return std::nullopt;
}

} // namespace cupola::runtime

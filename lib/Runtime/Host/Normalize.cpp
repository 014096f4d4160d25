//===- lib/Runtime/Host/Normalize.cpp - words in one case, without stop words ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/HostCall.h"
#include "lib/Runtime/Host/LetterCase.h"

#include <unordered_set>

namespace cupola::runtime {

namespace {

class Normalizer {
public:
  explicit Normalizer(const HostCall &call) : action(call.argument(0)), isSensitive(call.argument(1) == "1") {
    for (size_t i = 2; i < call.arguments().size(); ++i)
      stopWords.insert(compared(call.argument(i)));
  }

  bool keeps(std::string_view text) const {
    return stopWords.empty() || stopWords.find(compared(text)) == stopWords.end();
  }
  std::string changed(std::string_view text) const {
    return action == "lower" ? lowered(text) : action == "upper" ? uppered(text) : std::string(text);
  }

private:
  std::string compared(std::string_view text) const {
    return isSensitive ? std::string(text) : action == "upper" ? uppered(text) : lowered(text);
  }

  const std::string &action;
  const bool isSensitive;
  std::unordered_set<std::string> stopWords;
};

} // namespace

/// Where nothing stays there is one string, which is empty.
Status countNormalized(HostCall &call) {
  CUPOLA_TRY(call.expectResults(1));
  const Normalizer normalizer(call);
  int64_t kept = 0;
  for (size_t i = 0; i < call.count(0); ++i) {
    CUPOLA_ASSIGN(const std::string_view text, call.text(0, i));
    kept += normalizer.keeps(text) ? 1 : 0;
  }
  call.put(0, std::max<int64_t>(kept, 1));
  return Status::ok();
}

Status normalizeStrings(HostCall &call) {
  const Normalizer normalizer(call);
  std::vector<std::string> kept;
  for (size_t i = 0; i < call.count(0); ++i) {
    CUPOLA_ASSIGN(const std::string_view text, call.text(0, i));
    if (normalizer.keeps(text))
      kept.push_back(normalizer.changed(text));
  }
  if (kept.empty())
    kept.emplace_back();
  CUPOLA_TRY(call.expectResults(kept.size()));
  for (size_t i = 0; i < kept.size(); ++i)
    call.putText(i, kept[i]);
  return Status::ok();
}

} // namespace cupola::runtime

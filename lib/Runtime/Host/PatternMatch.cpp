//===- lib/Runtime/Host/PatternMatch.cpp - regular expressions over texts ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/LetterCase.h"
#include "lib/Runtime/Host/Pattern.h"
#include "lib/Runtime/Host/Utf8.h"

namespace cupola::runtime {

namespace {

constexpr uint32_t kNone = ~0U; ///< before and behind a text

bool isWord(uint32_t point) {
  return (point >= '0' && point <= '9') || (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z') ||
         point == '_';
}

bool isIn(const Pattern::Ranges &ranges, uint32_t point) {
  for (const auto &[first, last] : ranges)
    if (first <= point && point <= last)
      return true;
  return false;
}

} // namespace

/// All places of the program that a text may have come to.
class PatternRun {
public:
  explicit PatternRun(const Pattern &pattern) : pattern(pattern), isReached(pattern.program.size()) {}

  bool run(std::string_view text) {
    uint32_t before = kNone;
    size_t at = 0;
    std::vector<uint32_t> starts{0};
    while (true) {
      size_t behind = at;
      const uint32_t point = at < text.size() ? nextCodePoint(text, behind) : kNone;
      follow(starts, before, point);
      if (point == kNone)
        break;
      starts.clear();
      for (uint32_t place : places)
        if (takes(pattern.program[place], point))
          starts.push_back(place + 1);
      before = point;
      at = behind;
    }
    for (uint32_t place : places)
      if (pattern.program[place].kind == Pattern::Kind::Match)
        return true;
    return false;
  }

private:
  bool takes(const Pattern::Instruction &instruction, uint32_t point) const {
    if (instruction.kind != Pattern::Kind::Class)
      return false;
    const Pattern::Ranges &ranges = pattern.classes[instruction.index];
    bool isThere = isIn(ranges, point);
    if (instruction.ignoresCase)
      isThere = isThere || isIn(ranges, lowerOf(point)) || isIn(ranges, upperOf(point));
    return isThere != instruction.negated;
  }

  bool holds(Pattern::Kind kind, uint32_t before, uint32_t next) const {
    switch (kind) {
    case Pattern::Kind::TextBegin:
      return before == kNone;
    case Pattern::Kind::TextEnd:
      return next == kNone;
    case Pattern::Kind::LineBegin:
      return before == kNone || before == '\n';
    case Pattern::Kind::LineEnd:
      return next == kNone || next == '\n';
    case Pattern::Kind::WordBorder:
      return isWord(before) != isWord(next);
    case Pattern::Kind::NoWordBorder:
      return isWord(before) == isWord(next);
    default:
      return true;
    }
  }

  /// To the instructions that take a code point, or end, from `starts` on, which becomes empty.
  void follow(std::vector<uint32_t> &starts, uint32_t before, uint32_t next) {
    places.clear();
    isReached.assign(isReached.size(), false);
    while (!starts.empty()) {
      const uint32_t place = starts.back();
      starts.pop_back();
      if (isReached[place])
        continue;
      isReached[place] = true;
      const Pattern::Instruction &instruction = pattern.program[place];
      switch (instruction.kind) {
      case Pattern::Kind::Class:
      case Pattern::Kind::Match:
        places.push_back(place);
        break;
      case Pattern::Kind::Split:
        starts.push_back(place + 1);
        starts.push_back(instruction.index);
        break;
      case Pattern::Kind::Jump:
        starts.push_back(instruction.index);
        break;
      default:
        if (holds(instruction.kind, before, next))
          starts.push_back(place + 1);
      }
    }
  }

  const Pattern &pattern;
  std::vector<bool> isReached;
  std::vector<uint32_t> places;
};

bool Pattern::matches(std::string_view text) const { return PatternRun(*this).run(text); }

} // namespace cupola::runtime

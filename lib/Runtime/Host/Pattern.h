//===- lib/Runtime/Host/Pattern.h - regular expressions ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The syntax of RE2 (https://github.com/google/re2/wiki/Syntax) without Unicode's scripts (\p{Greek}; its categories
// are there) and without \C, over code points. A text is walked through once, with all ways to match it side by side,
// so that the time is that of text times pattern whatever the two are.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_HOST_PATTERN_H
#define CUPOLA_LIB_RUNTIME_HOST_PATTERN_H

#include "lib/Runtime/Status.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace cupola::runtime {

class Pattern {
public:
  /// Code::Usage: what is wrong and where. Code::Limit: more than kMostInstructions or kMostRanges.
  static Result<Pattern> parse(std::string_view text);

  /// Whether the whole text matches.
  bool matches(std::string_view text) const;

  static constexpr size_t kMostInstructions = 100000;
  static constexpr size_t kMostRanges = 1000000; ///< of all classes

  /// Inclusive, in no order.
  using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;

private:
  friend class PatternParser;
  friend class PatternRun;

  enum class Kind : uint8_t {
    Class, ///< one code point of `ranges[index]`
    Split, ///< both the next one and `index`
    Jump,  ///< `index`
    TextBegin,
    TextEnd,
    LineBegin,
    LineEnd,
    WordBorder,
    NoWordBorder,
    Match,
  };
  struct Instruction {
    Kind kind;
    uint32_t index = 0;
    bool ignoresCase = false, negated = false; ///< Class
  };

  std::vector<Instruction> program;
  std::vector<Ranges> classes;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_PATTERN_H

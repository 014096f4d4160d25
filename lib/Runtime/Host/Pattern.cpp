//===- lib/Runtime/Host/Pattern.cpp - regular expressions as programs ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/Pattern.h"
#include "lib/Runtime/Host/PatternClasses.h"
#include "lib/Runtime/Host/Utf8.h"

namespace cupola::runtime {

using Ranges = Pattern::Ranges;

/// Reads from left to right; the first problem ends it. Indices of a piece of program count from its beginning.
class PatternParser {
public:
  explicit PatternParser(std::string_view text) : text(text) {}

  Result<Pattern> parse() {
    Program program = alternation(0);
    if (problem.isOk() && at < text.size())
      fail("a ')' without its '('");
    CUPOLA_TRY(problem);
    program.push_back({Kind::Match});
    pattern.program = std::move(program);
    return std::move(pattern);
  }

private:
  using Kind = Pattern::Kind;
  using Instruction = Pattern::Instruction;
  using Program = std::vector<Instruction>;
  struct Flags {
    bool ignoresCase = false, dotTakesLines = false, hasLines = false;
  };
  static constexpr unsigned kMostDepth = 200, kMostRepeats = 1000;

  void fail(const std::string &what, Code code = Code::Usage) {
    if (problem.isOk())
      problem = Status(code, "pattern, byte " + std::to_string(at) + ": " + what);
    at = text.size();
  }

  bool isNext(std::string_view wanted) const { return text.substr(at, wanted.size()) == wanted; }
  bool take(std::string_view wanted) {
    if (!isNext(wanted))
      return false;
    at += wanted.size();
    return true;
  }

  void append(Program &to, const Program &piece) {
    if (to.size() + piece.size() > Pattern::kMostInstructions)
      return fail("the pattern is longer than " + std::to_string(Pattern::kMostInstructions) + " steps", Code::Limit);
    const auto base = static_cast<uint32_t>(to.size());
    for (Instruction instruction : piece) {
      if (instruction.kind == Kind::Split || instruction.kind == Kind::Jump)
        instruction.index += base;
      to.push_back(instruction);
    }
  }

  //===--- Pieces ---===//

  /// Up to a ')' or the end.
  Program alternation(unsigned depth) {
    if (depth > kMostDepth)
      return fail("groups are more than " + std::to_string(kMostDepth) + " deep", Code::Limit), Program();
    Program whole = sequence(depth);
    while (take("|")) {
      const Program other = sequence(depth);
      Program both{{Kind::Split, static_cast<uint32_t>(whole.size() + 2)}};
      append(both, whole);
      both.push_back({Kind::Jump, static_cast<uint32_t>(both.size() + 1 + other.size())});
      append(both, other);
      whole = std::move(both);
    }
    return whole;
  }

  Program sequence(unsigned depth) {
    Program whole;
    bool isQuoted = false; // between \Q and \E all characters are themselves
    while (at < text.size() && (isQuoted || (!isNext("|") && !isNext(")")))) {
      if (isQuoted ? take("\\E") : take("\\Q")) {
        isQuoted = !isQuoted;
        continue;
      }
      const bool canRepeat = isQuoted || !isNext("(?") || !onlyFlags();
      Program piece = isQuoted ? literal(nextCodePoint(text, at)) : atom(depth);
      isQuoted = isQuoted && !take("\\E");
      while (canRepeat && !isQuoted && at < text.size() && repeat(piece)) {
      }
      append(whole, piece);
    }
    return whole;
  }

  /// "(?i)" changes what follows in its group.
  bool onlyFlags() const {
    const size_t end = text.find_first_not_of("imsU-", at + 2);
    return end != std::string_view::npos && text[end] == ')';
  }

  Program atom(unsigned depth) {
    if (take("("))
      return group(depth);
    if (take("["))
      return bracket();
    if (take("."))
      return one(flags.dotTakesLines ? Ranges() : Ranges{{'\n', '\n'}}, /*negated=*/true);
    if (take("^"))
      return {{flags.hasLines ? Kind::LineBegin : Kind::TextBegin}};
    if (take("$"))
      return {{flags.hasLines ? Kind::LineEnd : Kind::TextEnd}};
    if (isNext("*") || isNext("+") || isNext("?"))
      return fail("nothing to repeat"), Program();
    if (take("\\"))
      return escape();
    return literal(nextCodePoint(text, at));
  }

  Program one(Ranges ranges, bool negated) {
    count(ranges);
    pattern.classes.push_back(std::move(ranges));
    return {{Kind::Class, static_cast<uint32_t>(pattern.classes.size() - 1), flags.ignoresCase, negated}};
  }
  void count(const Ranges &more) {
    if ((rangeCount += more.size()) > Pattern::kMostRanges)
      fail("the classes have more than " + std::to_string(Pattern::kMostRanges) + " ranges", Code::Limit);
  }
  Program literal(uint32_t point) { return one({{point, point}}, false); }

  /// Behind its '('.
  Program group(unsigned depth) {
    const Flags outside = flags;
    if (take("?P<") || take("?<")) {
      const size_t end = text.find('>', at);
      if (end == std::string_view::npos || end == at)
        return fail("a group without a name"), Program();
      at = end + 1;
    } else if (take("?")) {
      readFlags();
      if (take(")"))
        return {};
      if (!take(":"))
        return fail("an unknown kind of group"), Program();
    }
    Program whole = alternation(depth + 1);
    if (!take(")"))
      fail("a '(' without its ')'");
    flags = outside;
    return whole;
  }

  void readFlags() {
    bool isOn = true;
    for (; at < text.size() && text[at] != ')' && text[at] != ':'; ++at)
      if (text[at] == '-' && isOn)
        isOn = false;
      else if (text[at] == 'i')
        flags.ignoresCase = isOn;
      else if (text[at] == 's')
        flags.dotTakesLines = isOn;
      else if (text[at] == 'm')
        flags.hasLines = isOn;
      else if (text[at] != 'U') // which of several matches: there is one
        return fail("an unknown flag or kind of group");
  }

  //===--- Repetition ---===//

  bool repeat(Program &piece) {
    unsigned least = 0, most = 0;
    if (take("*"))
      most = ~0U;
    else if (take("+"))
      least = 1, most = ~0U;
    else if (take("?"))
      most = 1;
    else if (!counts(least, most))
      return false;
    take("?"); // as few as can be: the whole text has to match all the same
    if (isNext("*") || isNext("+") || isNext("?"))
      fail("a repetition of a repetition");
    Program whole;
    for (unsigned i = 0; i < least && problem.isOk(); ++i)
      append(whole, piece);
    const auto size = static_cast<uint32_t>(piece.size());
    if (most == ~0U) {
      Program loop{{Kind::Split, size + 2}};
      append(loop, piece);
      loop.push_back({Kind::Jump, 0});
      append(whole, loop);
    }
    for (unsigned i = least; most != ~0U && i < most && problem.isOk(); ++i) {
      Program maybe{{Kind::Split, size + 1}};
      append(maybe, piece);
      append(whole, maybe);
    }
    piece = std::move(whole);
    return true;
  }

  bool number(size_t &place, unsigned &value) const {
    const size_t begin = place;
    for (value = 0; place < text.size() && text[place] >= '0' && text[place] <= '9' && value <= kMostRepeats; ++place)
      value = 10 * value + static_cast<unsigned>(text[place] - '0');
    return place > begin;
  }

  /// "{2}", "{2,}" or "{2,5}"; other braces are themselves.
  bool counts(unsigned &least, unsigned &most) {
    size_t place = at + 1;
    if (!isNext("{") || !number(place, least))
      return false;
    most = least;
    if (place < text.size() && text[place] == ',') {
      ++place;
      if (!number(place, most))
        most = ~0U;
    }
    if (place >= text.size() || text[place] != '}')
      return false;
    if (least > kMostRepeats || (most != ~0U && (most > kMostRepeats || most < least)))
      fail("a repetition of other than up to " + std::to_string(kMostRepeats) + " times");
    else
      at = place + 1;
    return true;
  }

  //===--- Escapes and classes ---===//

  /// Behind its '\'.
  Program escape() {
    switch (at < text.size() ? text[at] : 0) {
    case 'A':
      return ++at, Program{{Kind::TextBegin}};
    case 'z':
      return ++at, Program{{Kind::TextEnd}};
    case 'b':
      return ++at, Program{{Kind::WordBorder}};
    case 'B':
      return ++at, Program{{Kind::NoWordBorder}};
    default:
      break;
    }
    if (at < text.size() && (text[at] | 0x20) == 'p')
      return one(unicode(), false);
    if (at < text.size())
      if (std::optional<Ranges> ranges = perlClass(static_cast<unsigned char>(text[at])))
        return ++at, one(std::move(*ranges), false);
    return literal(escaped());
  }

  /// The code point that is written behind a '\'.
  uint32_t escaped() {
    if (at >= text.size())
      return fail("a '\\' at the end"), 0;
    const uint32_t letter = nextCodePoint(text, at);
    constexpr std::string_view kLetters = "aftnrv", kMeant = "\a\f\t\n\r\v";
    const bool isLetter = (letter | 0x20) >= 'a' && (letter | 0x20) <= 'z';
    if (letter == 'x')
      return hexadecimal();
    if (letter == '0')
      return octal(0);
    if (letter >= 0x80 || (!isLetter && !(letter >= '1' && letter <= '9')))
      return letter;
    const size_t known = kLetters.find(static_cast<char>(letter));
    if (known != std::string_view::npos)
      return static_cast<uint32_t>(kMeant[known]);
    return fail("the escape '\\" + std::string(1, static_cast<char>(letter)) + "' is not supported"), 0;
  }

  uint32_t octal(uint32_t value) {
    for (int i = 0; i < 2 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++i)
      value = 8 * value + static_cast<uint32_t>(text[at++] - '0');
    return value;
  }

  uint32_t hexadecimal() {
    const bool hasBraces = take("{");
    const size_t begin = at;
    uint32_t value = 0;
    for (size_t most = hasBraces ? 6 : 2; at < text.size() && at - begin < most; ++at) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const size_t digit = kDigits.find(static_cast<char>(text[at] | 0x20));
      if (digit == std::string_view::npos)
        break;
      value = 16 * value + static_cast<uint32_t>(digit);
    }
    if (at - begin < (hasBraces ? 1U : 2U) || (hasBraces && !take("}")) || value > 0x10ffff)
      fail("an escape of no code point");
    return value;
  }

  /// Behind its '['.
  Program bracket() {
    const bool negated = take("^");
    Ranges ranges;
    const auto add = [&](const Ranges &more) {
      count(more);
      ranges.insert(ranges.end(), more.begin(), more.end());
    };
    for (bool isFirst = true; isFirst || !isNext("]"); isFirst = false) {
      if (at >= text.size())
        return fail("a '[' without its ']'"), Program();
      const auto letter = static_cast<unsigned char>(isNext("\\") && at + 1 < text.size() ? text[at + 1] : 0);
      if (isNext("[:"))
        add(posix());
      else if ((letter | 0x20) == 'p')
        ++at, add(unicode());
      else if (const std::optional<Ranges> known = perlClass(letter); letter != 0 && known)
        at += 2, add(*known);
      else
        add({range()});
    }
    ++at;
    return one(std::move(ranges), negated);
  }

  std::pair<uint32_t, uint32_t> range() {
    const uint32_t first = take("\\") ? escaped() : nextCodePoint(text, at);
    if (!isNext("-") || at + 1 >= text.size() || text[at + 1] == ']')
      return {first, first};
    ++at;
    const uint32_t last = take("\\") ? escaped() : nextCodePoint(text, at);
    if (last < first)
      fail("a range that ends before it begins");
    return {first, last};
  }

  Ranges posix() {
    const size_t end = text.find(":]", at), length = end == std::string_view::npos ? 0 : end - at - 2;
    const std::optional<Ranges> known = posixClass(text.substr(at + 2, length));
    if (!known)
      return fail("an unknown class"), Ranges();
    at = end + 2;
    return *known;
  }

  /// Behind a '\\': pL, p{Lu}, P{^Lu}..
  Ranges unicode() {
    bool negated = text[at++] == 'P';
    std::string_view name = text.substr(at, 1);
    if (isNext("{")) {
      const size_t end = text.find('}', at);
      name = end == std::string_view::npos ? std::string_view() : text.substr(at + 1, end - at - 1);
      at += name.size() + 1;
      if (name.substr(0, 1) == "^")
        negated = !negated, name.remove_prefix(1);
    }
    const std::optional<Ranges> known = unicodeCategory(name);
    if (!known)
      return fail("supported are Unicode's categories, as \\pL, \\p{Lu} and \\p{Any}"), Ranges();
    ++at;
    return negated ? withoutThose(*known) : *known;
  }

  std::string_view text;
  size_t at = 0, rangeCount = 0;
  Flags flags;
  Status problem;
  Pattern pattern;
};

Result<Pattern> Pattern::parse(std::string_view text) { return PatternParser(text).parse(); }

} // namespace cupola::runtime

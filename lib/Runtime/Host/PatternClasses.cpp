//===- lib/Runtime/Host/PatternClasses.cpp - sets of characters that have names ---===//
// SPDX-License-Identifier: Apache-2.0
#include "lib/Runtime/Host/PatternClasses.h"

#include <algorithm>

namespace cupola::runtime {

namespace {

using Ranges = Pattern::Ranges;

struct NamedClass {
  std::string_view name;
  Ranges ranges;
};

const Ranges kDigits = {{'0', '9'}}, kSpaces = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}},
             kWords = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};

const NamedClass kPosix[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"ascii", {{0, 0x7f}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{'!', '~'}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{' ', '~'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"word", kWords},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

} // namespace

Ranges withoutThose(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end());
  Ranges others;
  uint32_t next = 0;
  for (const auto &[first, last] : ranges) {
    if (first > next)
      others.emplace_back(next, first - 1);
    next = std::max(next, last + 1);
  }
  others.emplace_back(next, 0x10ffff);
  return others;
}

std::optional<Ranges> perlClass(uint32_t letter) {
  constexpr uint32_t kSmall = 0x20;
  const Ranges *ranges = (letter | kSmall) == 'd'   ? &kDigits
                         : (letter | kSmall) == 's' ? &kSpaces
                         : (letter | kSmall) == 'w' ? &kWords
                                                    : nullptr;
  if (!ranges)
    return std::nullopt;
  return letter & kSmall ? *ranges : withoutThose(*ranges);
}

std::optional<Ranges> posixClass(std::string_view name) {
  const bool negated = !name.empty() && name[0] == '^';
  name.remove_prefix(negated ? 1 : 0);
  for (const NamedClass &known : kPosix)
    if (known.name == name)
      return negated ? withoutThose(known.ranges) : known.ranges;
  return std::nullopt;
}

} // namespace cupola::runtime

//===- lib/Runtime/Host/StringTable.h - the strings of a session ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A tensor of strings holds the numbers of its elements. Equal strings have equal numbers, so that kernels compare
// and move them as they do int64. A number is never used again for another text, so that an old one is found out.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_RUNTIME_HOST_STRINGTABLE_H
#define CUPOLA_LIB_RUNTIME_HOST_STRINGTABLE_H

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cupola::runtime {

/// The package's strings stay. What the caller gives stays until it begins to give anew after a run, what a run makes
/// until then or until the next run begins, whichever is first.
class StringTable {
public:
  /// `constants`: of the package, which outlives the table; all different.
  explicit StringTable(const std::vector<std::string> &constants);

  /// The number of a string that the caller hands in.
  int64_t give(std::string_view text);
  /// Of one that a run makes, once it has begun.
  int64_t make(std::string_view text) { return add(made, text); }
  void beginRun();

  /// Nothing: no string has the number. The text lives as long as that is so.
  std::optional<std::string_view> find(int64_t number) const;
  size_t size() const { return numbers.size(); }

private:
  struct Segment {
    int64_t first = 0;
    std::deque<std::string> texts; ///< addresses stay
  };
  int64_t add(Segment &segment, std::string_view text);
  void drop(Segment &segment);

  const std::vector<std::string> &constants;
  Segment given, made;
  int64_t next = 0;
  bool hasRun = false; ///< since the caller gave the last string
  std::unordered_map<std::string_view, int64_t> numbers;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_STRINGTABLE_H

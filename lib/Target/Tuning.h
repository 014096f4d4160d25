//===- lib/Target/Tuning.h - measured times of schedules ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A database is text, a JSON object per line (docs/tuning.md, docs/schemas.md). The first names
// the schema; every other is what one schedule of one kernel took on one target. What is
// written is sorted, so that equal contents are equal bytes.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_TARGET_TUNING_H
#define CUPOLA_LIB_TARGET_TUNING_H

#include "lib/Runtime/Status.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace cupola {

struct TuningLine {
  std::string kernel;   ///< 16 hexadecimal digits
  std::string target;   ///< "sm_80", the architecture of the variant
  std::string nvrtc;    ///< "12.9"; "sim": counts of the simulator, no time
  std::string schedule; ///< the attribute as it is printed
  double time = 0;      ///< microseconds; of "sim" a number for comparing
};

class TuningTable {
public:
  /// Times of one kernel on one target, by schedule without spaces.
  struct Measured {
    std::string schedule; ///< as the line spells it
    double time;
  };
  using Times = std::map<std::string, Measured>;

  /// `name` is what errors call the text. Code::Usage with the number of the line and what was expected there.
  static Result<TuningTable> parse(std::string_view text, const std::string &name);
  /// Code::IO where the file cannot be read.
  static Result<TuningTable> read(const std::string &path);

  /// Replaces what was known of the same kernel, target, NVRTC and schedule.
  void add(const TuningLine &line);
  /// Those of the newest NVRTC, as versions do not compare; the simulator's where there are no others. Null: none.
  const Times *find(const std::string &kernel, const std::string &target) const;
  bool isEmpty() const { return kernels.empty(); }
  /// All lines, sorted by kernel, target, NVRTC and schedule.
  std::string text() const;

private:
  using Version = std::pair<int, int>; ///< of NVRTC; 0.0: the simulator
  static bool parseVersion(std::string_view text, Version &version);
  static Status readLine(std::string_view text, TuningLine &line);

  std::map<std::pair<std::string, std::string>, std::map<Version, Times>> kernels; ///< by kernel and target
};

/// The form in which schedules are compared.
std::string withoutSpaces(std::string_view text);

} // namespace cupola

#endif // CUPOLA_LIB_TARGET_TUNING_H

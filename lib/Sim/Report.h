//===- lib/Sim/Report.h - What the checks found, as text ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_SIM_REPORT_H
#define CUPOLA_LIB_SIM_REPORT_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace cupola::sim {

enum class Finding {
  OutOfBounds,
  ReadOnly,
  Uninitialised,
  Race,
  Misaligned,
  ForeignStack,
  Deadlock,
  Divergence,
  AsyncCopy,
  MBarrier,
  TensorCopy,
  Wgmma,
  Registers,
  GridWait,
  Undefined,
  GuardZone,
  Limit,
};

/// "out of bounds", "race", ...
const char *findingName(Finding finding);

/// Collects the findings of one launch. A finding is told once per pair of source places, at most kMaxReports in all.
class Reports {
public:
  static constexpr size_t kMaxReports = 8;

  /// `text` says what, where in memory, and which thread and block; `pc` and `otherPc` (0: unknown) are places in the
  /// kernel's code, named when the text is asked for.
  void add(Finding finding, std::string text, uintptr_t pc, uintptr_t otherPc = 0);
  bool empty() const { return entries.empty(); }
  bool full() const { return entries.size() >= kMaxReports; }
  /// All findings, a line each: "<kind>: <text>, at <source line>".
  std::string text() const;

private:
  struct Entry {
    Finding finding;
    std::string text;
    uintptr_t pc, otherPc;
  };
  std::vector<Entry> entries;
  std::set<std::pair<int, uintptr_t>> seen;
};

/// "kernels.cu:12 (k_0123...)" for an address in a loaded kernel module, by llvm-symbolizer where there is one, else
/// the function's name and offset.
std::string describeCode(uintptr_t pc);

} // namespace cupola::sim

#endif

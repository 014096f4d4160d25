//===- lib/Runtime/LoopRun.h - One execution of a loop step ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_LOOPRUN_H
#define CUPOLA_LIB_RUNTIME_LOOPRUN_H

#include "lib/Runtime/BodyRunner.h"

#include <optional>
#include <string>
#include <vector>

namespace cupola::runtime {

/// Enters the loop's body again and again. A carried value is written to two buffers by
/// turns; where the number of iterations is known beforehand, so that the last one writes
/// to the result.
class LoopRun {
public:
  /// Of the step in a body that was placed and entered at `depth`.
  LoopRun(BodyRunner &runner, Frame &frame, size_t step, size_t depth);
  Status run();

private:
  Status begin();
  Status findMost();
  bool onlyCounts() const;
  Status iterate();
  Status finish();
  /// How many iterations there are is known.
  bool isCounted() const { return most && loop.proceed == 0; }
  /// Whether an iteration writes carried values to their results, else to the spare buffers.
  bool isResult(int64_t iteration) const { return ((isCounted() ? *most - 1 : 0) - iteration) % 2 == 0; }
  std::vector<HandedBuffer> parameters() const;
  HandedBuffer value(size_t carried) const;
  HandedBuffer target(size_t carried) const;
  Status nextExtents();
  Status appendRow(size_t scan);
  std::optional<uint64_t> roomFor(uint64_t rowBytes) const;
  Status keepLast(size_t carried);
  Status assign(const std::string &symbol, int64_t value);

  BodyRunner &runner;
  Frame &frame;
  const size_t depth;
  const format::Loop &loop;
  const ParsedControl &parsed;
  const std::string nodes;

  std::optional<int64_t> most; ///< iterations
  int64_t done = 0;
  bool proceed = true;
  std::vector<int64_t> extents;   ///< of the values that the next iteration gets
  std::vector<uint64_t> rowBytes; ///< by scan
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_LOOPRUN_H

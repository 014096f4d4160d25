//===- lib/Runtime/ProfilerRange.h - a range in the timeline of a profiler ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_PROFILERRANGE_H
#define CUPOLA_LIB_RUNTIME_PROFILERRANGE_H

#include <string>

namespace cupola::runtime {

/// A range of this thread, in the domain "cupola" of NVTX, as long as it lives. Nsight and other tools that listen to
/// NVTX show it above the work that it queued. Where none listens it costs a test.
class ProfilerRange {
public:
  /// `text()`, a std::string, is called where one listens. Names of a model are to be printable() in it.
  template <class Text> explicit ProfilerRange(const Text &text) : open(listens()) {
    if (open)
      push(text());
  }
  ProfilerRange(const ProfilerRange &) = delete;
  ProfilerRange &operator=(const ProfilerRange &) = delete;
  ~ProfilerRange() {
    if (open)
      pop();
  }

private:
  static bool listens();
  static void push(const std::string &text);
  static void pop();

  bool open;
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_PROFILERRANGE_H

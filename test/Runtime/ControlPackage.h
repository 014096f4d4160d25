//===- test/Runtime/ControlPackage.h - Packages with branches and loops, made by hand ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_RUNTIME_CONTROLPACKAGE_H
#define CUPOLA_TEST_RUNTIME_CONTROLPACKAGE_H

#include "test/Runtime/TestPackage.h"

#include <functional>
#include <string>
#include <vector>

namespace cupola::test {

/// Fills a body: scalars are expressions, buffers get their numbers in order.
class BodyBuilder {
public:
  BodyBuilder(format::Body &body, bool cuda) : body(body), cuda(cuda) {}

  uint32_t input(uint32_t index, const std::string &bytes) { return add(format::BufferKind::Input, index, bytes); }
  uint32_t output(uint32_t index, const std::string &bytes) { return add(format::BufferKind::Output, index, bytes); }
  uint32_t weight(uint32_t index, const std::string &bytes) { return add(format::BufferKind::Weight, index, bytes); }
  uint32_t init(uint32_t index, const std::string &bytes) { return add(format::BufferKind::Init, index, bytes); }
  /// Without a size: only handed on.
  uint32_t parameter(uint32_t index, const std::string &bytes = "") {
    return add(format::BufferKind::Parameter, index, bytes);
  }
  uint32_t growing() { return add(format::BufferKind::Growing, 0, ""); }
  uint32_t view(uint32_t parent, const std::string &bytes, const std::string &offset);
  /// Alive in all steps.
  uint32_t arena(const std::string &bytes) { return add(format::BufferKind::Arena, 0, bytes); }

  /// out = in * factor, floats
  void scale(const std::string &count, uint32_t in, uint32_t out, const std::string &factor);
  /// out = x + table[ids], rows of four floats
  void gather(const std::string &rows, std::vector<uint32_t> xTableIdsOut, const std::string &tableRows);
  /// out = in[0] < bound
  void less(uint32_t in, uint32_t out, const std::string &bound);
  /// out[i] = i < had ? in[i] : i
  void extend(const std::string &count, uint32_t in, uint32_t out, const std::string &had);
  void copy(uint32_t source, uint32_t target, const std::string &bytes);
  format::Branch &branch(format::Step::Kind kind);
  format::Loop &loop();
  /// Of the last step.
  void node(uint32_t index) { body.steps.back().nodes = {index}; }

private:
  uint32_t add(format::BufferKind kind, uint32_t index, const std::string &bytes);
  void launch(uint32_t kernel, const std::string &count, std::vector<uint32_t> buffers,
              const std::vector<std::string> &scalars);

  format::Body &body;
  const bool cuda;
};

/// A model for cpu and cuda: `fill` makes the program of each, given builders of the program
/// (0) and of `bodies` bodies (1 ..). `package` has the tensors, symbols and nodes.
format::Package makeControlPackage(format::Package package, size_t bodies,
                                   const std::function<void(std::vector<BodyBuilder> &)> &fill);

// ControlModels.cpp: inputs x: f32[s0], n: i64[], go: bool[]; one output y. Run symbols r0..r3
// are 0..4096.

/// y = go ? 2 * x : 3 * x
format::Package branchPackage();

enum class Ends { Trip, Condition, Both };
/// y = x * 2 * 2 * .. : n times, or while the first element is below 100 if go, or both.
format::Package doublingPackage(Ends ends);
/// n times n times, at most 5 of the inner loop's iterations each.
format::Package nestedPackage();

/// y: f32[r1, s0] has rows x * 1, x * 2, ..: n of them, where it is not `counted` none after
/// one that begins with 100 or more.
format::Package scanPackage(bool counted);

/// y: f32[r2] is x with the numbers s0, s0 + 1, .. behind it, n of them, or s0 where not go.
/// A loop in a branch; whether the loop knows beforehand how often it runs is `counted`.
format::Package growingPackage(bool counted);

/// y = x + n * 3 * w[ids] with x: f32[s0, 4], a fourth input ids: i64[s0], w as of makePackage.
format::Package selectingPackage();

} // namespace cupola::test

#endif // CUPOLA_TEST_RUNTIME_CONTROLPACKAGE_H

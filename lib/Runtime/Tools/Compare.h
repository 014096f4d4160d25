//===- lib/Runtime/Tools/Compare.h - outputs against references ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_TOOLS_COMPARE_H
#define CUPOLA_LIB_RUNTIME_TOOLS_COMPARE_H

#include "lib/Runtime/Npz/Npz.h"

namespace cupola::runtime {

/// How far an output is from its reference.
struct Difference {
  std::string name;
  uint64_t elements = 0;
  double maxAbs = 0;  ///< largest |a - b|
  double maxRel = 0;  ///< largest |a - b| / (max|b| + |b|)
  uint64_t index = 0; ///< linear position of the worst element
  bool pass = false;
  std::string problem; ///< other shape or type, NaN where the reference has none
};

/// Floats pass when |a - b| <= tolerance * max|b| + tolerance * |b| everywhere and NaN
/// and Inf stand where the reference has them; integers, bools and strings must be equal.
Difference compare(const npz::Array &value, const npz::Array &reference, double tolerance);

/// "pass NAME: max abs 0, max rel 0, worst at 0" and its end.
std::string differenceText(const std::string &name, const Difference &difference);

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_TOOLS_COMPARE_H

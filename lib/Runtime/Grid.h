//===- lib/Runtime/Grid.h - How many blocks a launch has ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_GRID_H
#define CUPOLA_LIB_RUNTIME_GRID_H

#include "lib/Runtime/Format/Checked.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cupola::runtime {

/// Blocks along each dimension (cuda), or iterations along x (cpu).
struct Grid {
  uint64_t x = 1, y = 1, z = 1;

  bool isEmpty() const { return x == 0 || y == 0 || z == 0; }
  /// All of them; nullopt: more than 64 bits hold.
  std::optional<uint64_t> blocks() const { return (format::Size(x) * format::Size(y) * format::Size(z)).value(); }
  /// "12", or "12 * 3 * 1" of one that has more than one dimension.
  std::string text() const {
    if (y == 1 && z == 1)
      return std::to_string(x);
    return std::to_string(x) + " * " + std::to_string(y) + " * " + std::to_string(z);
  }
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_GRID_H

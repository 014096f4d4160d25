//===- lib/Planner/Checked.h - 64-bit arithmetic that reports overflow ---===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_LIB_PLANNER_CHECKED_H
#define CUPOLA_LIB_PLANNER_CHECKED_H

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace cupola {

inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

inline std::optional<int64_t> checkedSub(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_sub_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// Rounded towards minus infinity; nullopt for b == 0 and INT64_MIN / -1.
inline std::optional<int64_t> checkedFloorDiv(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return std::nullopt;
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

inline std::optional<int64_t> checkedCeilDiv(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return std::nullopt;
  int64_t quotient = a / b;
  return quotient + (a % b != 0 && (a < 0) == (b < 0));
}

/// a - b * floor(a / b); nullopt for b == 0.
inline std::optional<int64_t> checkedMod(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1)
    return 0;
  int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/// |a|, also of INT64_MIN.
inline uint64_t magnitude(int64_t a) { return a < 0 ? 0 - uint64_t(a) : uint64_t(a); }

} // namespace cupola

#endif // CUPOLA_LIB_PLANNER_CHECKED_H

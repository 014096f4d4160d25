//===- lib/Runtime/Format/Checked.h - Arithmetic on sizes that cannot wrap ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_FORMAT_CHECKED_H
#define CUPOLA_LIB_RUNTIME_FORMAT_CHECKED_H

#include <cstdint>
#include <optional>

namespace cupola::format {

/// A non-negative number that remembers whether it ever left uint64.
class Size {
public:
  Size(uint64_t number) : number(number) {}

  Size operator+(Size other) const {
    Size sum(0);
    sum.wrapped = wrapped | other.wrapped | __builtin_add_overflow(number, other.number, &sum.number);
    return sum;
  }
  Size operator*(Size other) const {
    Size product(0);
    product.wrapped = wrapped | other.wrapped | __builtin_mul_overflow(number, other.number, &product.number);
    return product;
  }
  /// Rounded up to a multiple of `alignment`, a power of two.
  Size alignedTo(uint64_t alignment) const {
    Size up = *this + Size(alignment - 1);
    up.number &= ~(alignment - 1);
    return up;
  }
  std::optional<uint64_t> value() const { return wrapped ? std::nullopt : std::optional<uint64_t>(number); }

private:
  uint64_t number;
  bool wrapped = false;
};

/// Whether [offset, offset + bytes) lies in [0, total), without adding.
inline bool fits(uint64_t offset, uint64_t bytes, uint64_t total) { return bytes <= total && offset <= total - bytes; }

} // namespace cupola::format

#endif // CUPOLA_LIB_RUNTIME_FORMAT_CHECKED_H

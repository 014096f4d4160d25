//===- lib/Runtime/Host/Combine.h - two numbers become one ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_LIB_RUNTIME_HOST_COMBINE_H
#define CUPOLA_LIB_RUNTIME_HOST_COMBINE_H

#include <cstdint>
#include <type_traits>

namespace cupola::runtime {

/// NaN stays, as in kernels; integers wrap.
struct Add {
  template <class T> static T neutral() { return T(0); }
  template <class T> static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
};
struct Multiply {
  template <class T> static T neutral() { return T(1); }
  template <class T> static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
      return a * b;
  }
};
struct Largest {
  template <class T> static T combine(T a, T b) { return b > a || b != b ? b : a; }
};
struct Smallest {
  template <class T> static T combine(T a, T b) { return b < a || b != b ? b : a; }
};

} // namespace cupola::runtime

#endif // CUPOLA_LIB_RUNTIME_HOST_COMBINE_H

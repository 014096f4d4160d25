//===- test/Runtime/CUDA/SameFunction.h - our word for a C function against its header ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A function is the same to a caller if its parameters and result are of the same number, sizes and kinds.
#ifndef CUPOLA_TEST_RUNTIME_CUDA_SAMEFUNCTION_H
#define CUPOLA_TEST_RUNTIME_CUDA_SAMEFUNCTION_H

#include <tuple>
#include <type_traits>

namespace cupola::runtime::cuda {

template <typename A, typename B> constexpr bool sameKind() {
  return sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
         std::is_floating_point_v<A> == std::is_floating_point_v<B>;
}
template <typename Ours, typename Theirs> struct SameFunction : std::false_type {};
template <typename R, typename... P, typename S, typename... Q> struct SameFunction<R (*)(P...), S (*)(Q...)> {
  template <typename... X, typename... Y> static constexpr bool compare(std::tuple<X...> *, std::tuple<Y...> *) {
    if constexpr (sizeof...(X) != sizeof...(Y))
      return false;
    else
      return (sameKind<X, Y>() && ...);
  }
  static constexpr bool value =
      sameKind<R, S>() && compare(static_cast<std::tuple<P...> *>(nullptr), static_cast<std::tuple<Q...> *>(nullptr));
};

} // namespace cupola::runtime::cuda

#define SAME(table, slot, function)                                                                                    \
  static_assert(SameFunction<decltype(table::slot), decltype(&function)>::value, #function " differs")

#endif // CUPOLA_TEST_RUNTIME_CUDA_SAMEFUNCTION_H

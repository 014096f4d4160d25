//===- lib/Sim/device/entry.cuh - the entry point through which the simulator calls a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Appended to the kernels' text, which stays as it is: CUPOLA_SIM_ENTRY(k_0123456789abcdef) makes one function that
// takes the arguments as the driver's cuLaunchKernel does, as an array of pointers to them.
#ifndef CUPOLA_SIM_DEVICE_ENTRY_CUH
#define CUPOLA_SIM_DEVICE_ENTRY_CUH

namespace cupola_sim {

template <unsigned... I> struct Indices {};
template <unsigned N, unsigned... I> struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <unsigned... I> struct MakeIndices<0, I...> {
  using Type = Indices<I...>;
};

template <class T> struct Plain {
  using Type = T;
};
template <class T> struct Plain<const T> {
  using Type = T;
};

template <class... A, unsigned... I>
inline __attribute__((always_inline)) void call(void (*kernel)(A...), void *const *arguments, Indices<I...>) {
  kernel(*static_cast<typename Plain<A>::Type *>(arguments[I])...);
}
template <class... A>
inline __attribute__((always_inline)) void callKernel(void (*kernel)(A...), void *const *arguments) {
  call(kernel, arguments, typename MakeIndices<sizeof...(A)>::Type{});
}
template <class... A> constexpr int countParameters(void (*)(A...)) { return sizeof...(A); }

} // namespace cupola_sim

#define CUPOLA_SIM_ENTRY(name)                                                                                         \
  extern "C" const int cupola_sim_parameters_##name = cupola_sim::countParameters(&name);                              \
  extern "C" __attribute__((no_sanitize("thread"))) void cupola_sim_entry_##name(void *const *arguments) {             \
    cupola_sim::callKernel(&name, arguments);                                                                          \
  }

#endif

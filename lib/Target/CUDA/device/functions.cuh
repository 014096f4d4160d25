//===- lib/Target/CUDA/device/functions.cuh - pointwise functions of the graph dialect ---===//
// SPDX-License-Identifier: Apache-2.0
//
// cu_<kind> for the kinds of graph.unary and graph.binary that math.cuh and integer.cuh do not name. f16 and bf16 are
// computed in f32 and rounded once. Parameters are f32 (f64 for f64).
#ifndef CUPOLA_DEVICE_FUNCTIONS_CUH
#define CUPOLA_DEVICE_FUNCTIONS_CUH

#include "math.cuh"

namespace cupola_device {
/// The type a float function computes in.
template <class T> struct Compute {
  using Type = T;
};
template <> struct Compute<f16> {
  using Type = f32;
};
template <> struct Compute<bf16> {
  using Type = f32;
};
template <class T> using Wide = typename Compute<T>::Type;

CUPOLA_DEVICE f32 reciprocal(f32 x) { return 1.0f / x; }
CUPOLA_DEVICE f64 reciprocal(f64 x) { return 1.0 / x; }

/// 1 / (1 + exp(-x)), without overflow on either side.
template <class W> CUPOLA_DEVICE W sigmoid(W x) {
  const W z = cu_exp(-cu_abs(x));
  return x >= 0 ? W(1) / (W(1) + z) : z / (W(1) + z);
}
/// log(1 + exp(x)).
template <class W> CUPOLA_DEVICE W softplus(W x) { return cu_max(x, W(0)) + cu_log1p(cu_exp(-cu_abs(x))); }
} // namespace cupola_device

/// Defines cu_name(T x) by an expression in x, of the computing type W.
#define CUPOLA_UNARY(name, expression)                                                                                 \
  template <class T> CUPOLA_DEVICE T name(T value) {                                                                   \
    using W = cupola_device::Wide<T>;                                                                                  \
    const W x = W(value);                                                                                              \
    return T(expression);                                                                                              \
  }
/// With parameters alpha, or alpha and beta.
#define CUPOLA_UNARY1(name, expression)                                                                                \
  template <class T> CUPOLA_DEVICE T name(T value, cupola_device::Wide<T> alpha) {                                     \
    using W = cupola_device::Wide<T>;                                                                                  \
    const W x = W(value);                                                                                              \
    return T(expression);                                                                                              \
  }
#define CUPOLA_UNARY2(name, expression)                                                                                \
  template <class T> CUPOLA_DEVICE T name(T value, cupola_device::Wide<T> alpha, cupola_device::Wide<T> beta) {        \
    using W = cupola_device::Wide<T>;                                                                                  \
    const W x = W(value);                                                                                              \
    return T(expression);                                                                                              \
  }
CUPOLA_UNARY(cu_reciprocal, cupola_device::reciprocal(x))
CUPOLA_UNARY(cu_sigmoid, cupola_device::sigmoid(x))
CUPOLA_UNARY(cu_softplus, cupola_device::softplus(x))
CUPOLA_UNARY(cu_softsign, x / (W(1) + cu_abs(x)))
CUPOLA_UNARY(cu_hard_swish, x *cu_max(W(0), cu_min(W(1), x / W(6) + W(0.5))))
CUPOLA_UNARY(cu_mish, x *cu_tanh(cupola_device::softplus(x)))
CUPOLA_UNARY(cu_gelu_erf, W(0.5) * x * (W(1) + cu_erf(x * W(0.70710678118654752440))))
CUPOLA_UNARY(cu_gelu_tanh, W(0.5) * x * (W(1) + cu_tanh(W(0.79788456080286535588) * (x + W(0.044715) * x * x * x))))
CUPOLA_UNARY1(cu_leaky_relu, x < 0 ? alpha * x : x)
CUPOLA_UNARY1(cu_elu, x < 0 ? alpha * cu_expm1(x) : x)
CUPOLA_UNARY1(cu_celu, x < 0 ? alpha * cu_expm1(x / alpha) : x)
CUPOLA_UNARY1(cu_thresholded_relu, x > alpha ? x : W(0))
CUPOLA_UNARY1(cu_silu, x *cupola_device::sigmoid(alpha *x))
CUPOLA_UNARY2(cu_selu, x > 0 ? beta * x : beta * (alpha * cu_expm1(x)))
CUPOLA_UNARY2(cu_hard_sigmoid, cu_max(W(0), cu_min(W(1), alpha *x + beta)))
CUPOLA_UNARY2(cu_shrink, x<-alpha ? x + beta : x> alpha ? x - beta : W(0))
#undef CUPOLA_UNARY
#undef CUPOLA_UNARY1
#undef CUPOLA_UNARY2

/// NaN stays NaN.
template <class T> CUPOLA_DEVICE T cu_relu(T x) { return x < cu_cast<T>(0) ? cu_cast<T>(0) : x; }
CUPOLA_DEVICE bool cu_not(bool x) { return !x; }
template <class T> CUPOLA_DEVICE T cu_bitwise_not(T x) { return static_cast<T>(~x); }
/// `negative`, `positive`: whether that infinity counts.
template <class T> CUPOLA_DEVICE bool cu_is_inf(T x, f32 negative, f32 positive) {
  return (negative != 0 && x == cu_lowest<T>()) || (positive != 0 && x == cu_highest<T>());
}

template <class T> CUPOLA_DEVICE T cu_div(T a, T b) { return cu_div_trunc(a, b); }
template <class T> CUPOLA_DEVICE T cu_mod(T a, T b) {
  if constexpr (cupola_device::IsInteger<T>::value) {
    return cu_mod_floor(a, b);
  } else {
    const T r = cu_fmod(a, b);
    if (r == T(0.0f))
      return cu_copysign(r, b);
    return (r < T(0.0f)) != (b < T(0.0f)) ? r + b : r;
  }
}
/// C's remainder of integers; floats are in math.cuh.
template <class T> CUPOLA_DEVICE T cu_fmod(T a, T b) { return cu_mod_trunc(a, b); }
template <class T> CUPOLA_DEVICE T cu_prelu(T x, T slope) { return x < cu_cast<T>(0) ? cu_mul(x, slope) : x; }
template <class T> CUPOLA_DEVICE T cu_bitwise_and(T a, T b) { return static_cast<T>(a & b); }
template <class T> CUPOLA_DEVICE T cu_bitwise_or(T a, T b) { return static_cast<T>(a | b); }
template <class T> CUPOLA_DEVICE T cu_bitwise_xor(T a, T b) { return static_cast<T>(a ^ b); }
template <class T> CUPOLA_DEVICE T cu_shift_left(T a, T count) { return cu_shl(a, count); }
template <class T> CUPOLA_DEVICE T cu_shift_right(T a, T count) { return cu_shr(a, count); }

#endif

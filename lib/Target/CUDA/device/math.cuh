//===- lib/Target/CUDA/device/math.cuh - scalar functions with one meaning ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Each function takes f32, f64, f16 or bf16 (the narrow two are computed in f32 and rounded once). No fast-math: the
// f32 functions are within 2 ulp of the exact value, cu_pow within 8, on the GPU (CUDA C++ Programming Guide,
// mathematical functions) and in the simulator (glibc). floor, ceil, round, sqrt, fma, min, max and abs are exact.
#ifndef CUPOLA_DEVICE_MATH_CUH
#define CUPOLA_DEVICE_MATH_CUH

#include "angle.cuh"
#include "cast.cuh"

#define CUPOLA_FUNCTION1(name, single, twice)                                                                          \
  CUPOLA_DEVICE f32 name(f32 x) { return single(x); }                                                                  \
  CUPOLA_DEVICE f64 name(f64 x) { return twice(x); }                                                                   \
  CUPOLA_DEVICE f16 name(f16 x) { return f16(single(f32(x))); }                                                        \
  CUPOLA_DEVICE bf16 name(bf16 x) { return bf16(single(f32(x))); }
CUPOLA_FUNCTION1(cu_exp, expf, exp)
CUPOLA_FUNCTION1(cu_exp2, exp2f, exp2)
CUPOLA_FUNCTION1(cu_expm1, expm1f, expm1)
CUPOLA_FUNCTION1(cu_log, logf, log)
CUPOLA_FUNCTION1(cu_log2, log2f, log2)
CUPOLA_FUNCTION1(cu_log1p, log1pf, log1p)
CUPOLA_FUNCTION1(cu_sqrt, sqrtf, sqrt)
CUPOLA_FUNCTION1(cu_rsqrt, rsqrtf, rsqrt)
CUPOLA_FUNCTION1(cu_erf, erff, erf)
CUPOLA_FUNCTION1(cu_sin, cupola_device::sine, sin)
CUPOLA_FUNCTION1(cu_cos, cupola_device::cosine, cos)
CUPOLA_FUNCTION1(cu_tan, cupola_device::tangent, tan)
CUPOLA_FUNCTION1(cu_asin, asinf, asin)
CUPOLA_FUNCTION1(cu_acos, acosf, acos)
CUPOLA_FUNCTION1(cu_atan, atanf, atan)
CUPOLA_FUNCTION1(cu_sinh, sinhf, sinh)
CUPOLA_FUNCTION1(cu_cosh, coshf, cosh)
CUPOLA_FUNCTION1(cu_tanh, tanhf, tanh)
CUPOLA_FUNCTION1(cu_asinh, asinhf, asinh)
CUPOLA_FUNCTION1(cu_acosh, acoshf, acosh)
CUPOLA_FUNCTION1(cu_atanh, atanhf, atanh)
CUPOLA_FUNCTION1(cu_floor, floorf, floor)
CUPOLA_FUNCTION1(cu_ceil, ceilf, ceil)
CUPOLA_FUNCTION1(cu_trunc, truncf, trunc)
/// To the nearest integer, halves to the even one (ONNX Round).
CUPOLA_FUNCTION1(cu_round, rintf, rint)
#undef CUPOLA_FUNCTION1

#define CUPOLA_FUNCTION2(name, single, twice)                                                                          \
  CUPOLA_DEVICE f32 name(f32 a, f32 b) { return single(a, b); }                                                        \
  CUPOLA_DEVICE f64 name(f64 a, f64 b) { return twice(a, b); }                                                         \
  CUPOLA_DEVICE f16 name(f16 a, f16 b) { return f16(single(f32(a), f32(b))); }                                         \
  CUPOLA_DEVICE bf16 name(bf16 a, bf16 b) { return bf16(single(f32(a), f32(b))); }
CUPOLA_FUNCTION2(cu_pow, powf, pow)
CUPOLA_FUNCTION2(cu_atan2, atan2f, atan2)
/// Remainder with the sign of the dividend (C's fmod; ONNX Mod with fmod = 1).
CUPOLA_FUNCTION2(cu_fmod, fmodf, fmod)
CUPOLA_FUNCTION2(cu_copysign, copysignf, copysign)
#undef CUPOLA_FUNCTION2

/// exp(x) for what 16 bits are made of: within (1 + |x|) * 2^-22 of its size, 0 where that is no normal number.
CUPOLA_DEVICE f32 cu_exp_coarse(f32 x) { return cupola_device::exp2Approx(x * 1.44269504f); }

/// Integer power by squaring, wrapping. A negative exponent gives 0, except for the bases 1 and -1.
template <class T> CUPOLA_DEVICE T cu_pow(T base, T exponent) {
  if (exponent < 0)
    return base == 1 ? T(1) : base == T(-1) ? (exponent % 2 == 0 ? T(1) : base) : T(0);
  T result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0)
      result = cu_mul(result, base);
    base = cu_mul(base, base);
  }
  return result;
}

CUPOLA_DEVICE f32 cu_fma(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
CUPOLA_DEVICE f64 cu_fma(f64 a, f64 b, f64 c) { return fma(a, b, c); }

/// x / divisor for what is then rounded to an integer of up to 32 bits; `inverse` is 1 / divisor, rounded once, and the
/// divisor within 2^-60 and 2^60. From a quarter to 1e30 these are the bits of the division (Markstein: a product and
/// two fused ones), below it is less than a half, beyond as large or NaN: so no check and no branch is needed.
CUPOLA_DEVICE f32 cu_quotient(f32 x, f32 divisor, f32 inverse) {
  const f32 first = x * inverse, rest = fmaf(-divisor, first, x);
  return fabsf(first) < 1e30f ? fmaf(rest, inverse, first) : first;
}

/// False for every integer.
template <class T> CUPOLA_DEVICE bool cu_is_nan(T x) { return x != x; }
template <class T> CUPOLA_DEVICE bool cu_is_inf(T x) { return x == cu_highest<T>() || x == cu_lowest<T>(); }

/// NaN where either operand is NaN, as numpy's maximum and minimum; of equal operands the first.
template <class T> CUPOLA_DEVICE T cu_max(T a, T b) { return a >= b || cu_is_nan(a) ? a : b; }
template <class T> CUPOLA_DEVICE T cu_min(T a, T b) { return a <= b || cu_is_nan(a) ? a : b; }

/// The same in reductions, where nobody asks which of two zeros or of two NaNs it is: one instruction for f32.
template <class T> CUPOLA_DEVICE T cu_larger(T a, T b) { return cu_max(a, b); }
template <class T> CUPOLA_DEVICE T cu_smaller(T a, T b) { return cu_min(a, b); }
CUPOLA_DEVICE f32 cu_larger(f32 a, f32 b) { return cupola_device::maxNan(a, b); }
CUPOLA_DEVICE f32 cu_smaller(f32 a, f32 b) { return cupola_device::minNan(a, b); }

CUPOLA_DEVICE f32 cu_abs(f32 x) { return fabsf(x); }
CUPOLA_DEVICE f64 cu_abs(f64 x) { return fabs(x); }
CUPOLA_DEVICE f16 cu_abs(f16 x) { return f16_bits(static_cast<u16>(x.bits & 0x7fffu)); }
CUPOLA_DEVICE bf16 cu_abs(bf16 x) { return bf16_bits(static_cast<u16>(x.bits & 0x7fffu)); }
template <class T> CUPOLA_DEVICE T cu_abs(T x) { return x < 0 ? cu_neg(x) : x; }

/// -1, 0 or 1; NaN for NaN; zero keeps its sign bit cleared.
template <class T> CUPOLA_DEVICE T cu_sign(T x) {
  if (cu_is_nan(x))
    return x;
  return cu_cast<T>(static_cast<i32>(x > cu_cast<T>(0)) - static_cast<i32>(x < cu_cast<T>(0)));
}

#endif

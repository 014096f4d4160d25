//===- lib/Sim/device/primitives.cuh - the simulator's half: threads, barriers, shuffles, atomics ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Target/CUDA/device/primitives.cuh. The simulator puts this text in its place; all other device
// headers and the kernels themselves are compiled as they are. CUPOLA_ARCH comes from the command line.
#ifndef CUPOLA_DEVICE_PRIMITIVES_CUH
#define CUPOLA_DEVICE_PRIMITIVES_CUH

#include "calls.cuh"

#define CUPOLA_DEVICE static inline __attribute__((always_inline))
#define CUPOLA_MEMBER inline __attribute__((always_inline))
#define CUPOLA_UNROLL _Pragma("unroll")
#define CUPOLA_NO_UNROLL _Pragma("unroll 1")
/// Internal linkage: of all kernels of a text only those with an entry point (entry.cuh) are compiled.
#define CUPOLA_KERNEL(threads, minBlocks) static void

#define memcpy __builtin_memcpy
#define CUPOLA_LIBM1(name)                                                                                             \
  extern "C" float name##f(float);                                                                                     \
  extern "C" double name(double);
#define CUPOLA_LIBM2(name)                                                                                             \
  extern "C" float name##f(float, float);                                                                              \
  extern "C" double name(double, double);
CUPOLA_LIBM1(exp)
CUPOLA_LIBM1(exp2)
CUPOLA_LIBM1(expm1)
CUPOLA_LIBM1(log)
CUPOLA_LIBM1(log2)
CUPOLA_LIBM1(log1p)
CUPOLA_LIBM1(sqrt)
CUPOLA_LIBM1(erf)
CUPOLA_LIBM1(sin)
CUPOLA_LIBM1(cos)
CUPOLA_LIBM1(tan)
CUPOLA_LIBM1(asin)
CUPOLA_LIBM1(acos)
CUPOLA_LIBM1(atan)
CUPOLA_LIBM1(sinh)
CUPOLA_LIBM1(cosh)
CUPOLA_LIBM1(tanh)
CUPOLA_LIBM1(asinh)
CUPOLA_LIBM1(acosh)
CUPOLA_LIBM1(atanh)
CUPOLA_LIBM1(floor)
CUPOLA_LIBM1(ceil)
CUPOLA_LIBM1(trunc)
CUPOLA_LIBM1(rint)
CUPOLA_LIBM1(fabs)
CUPOLA_LIBM2(pow)
CUPOLA_LIBM2(atan2)
CUPOLA_LIBM2(fmod)
CUPOLA_LIBM2(copysign)
#undef CUPOLA_LIBM1
#undef CUPOLA_LIBM2
extern "C" float fmaf(float, float, float);
extern "C" double fma(double, double, double);
CUPOLA_DEVICE float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
CUPOLA_DEVICE double rsqrt(double x) { return 1.0 / sqrt(x); }

namespace cupola_device {

CUPOLA_DEVICE float exp2Approx(float x) {
  const float result = exp2f(x);
  return result < 0x1p-126f ? 0.0f : result;
}

CUPOLA_DEVICE float maxNan(float a, float b) { return a >= b || a != a ? a : b; }
CUPOLA_DEVICE float minNan(float a, float b) { return a <= b || a != a ? a : b; }

/// Where a barrier, shuffle or matrix operation stands in the text, through all functions that lead there. As an
/// operand of the call it survives what the optimiser does to the code around it.
struct Place {
  unsigned long long id;
};
CUPOLA_DEVICE Place operator+(Place outer, Place inner) { return {outer.id * 0x9e3779b97f4a7c15ull + inner.id}; }
#define CUPOLA_HERE                                                                                                    \
  (cupola_device::Place{static_cast<unsigned long long>(__builtin_LINE()) << 32 | unsigned(__builtin_COLUMN())})

CUPOLA_DEVICE unsigned threadIndex() { return cupola_sim_thread(); }
CUPOLA_DEVICE unsigned blockIndex() { return cupola_sim_block(); }
CUPOLA_DEVICE unsigned blockIndexY() { return cupola_sim_block_y(); }
CUPOLA_DEVICE unsigned blockIndexZ() { return cupola_sim_block_z(); }
CUPOLA_DEVICE unsigned blockThreads() { return cupola_sim_threads(); }
CUPOLA_DEVICE unsigned gridBlocks() { return cupola_sim_blocks(); }
CUPOLA_DEVICE unsigned char *sharedBase() { return cupola_sim_shared(); }

template <class T> CUPOLA_DEVICE T *globalPointer(unsigned long long address) { return reinterpret_cast<T *>(address); }

CUPOLA_DEVICE float bitsToFloat(unsigned bits) { return __builtin_bit_cast(float, bits); }
CUPOLA_DEVICE unsigned floatToBits(float x) { return __builtin_bit_cast(unsigned, x); }
CUPOLA_DEVICE double bitsToDouble(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
CUPOLA_DEVICE unsigned long long doubleToBits(double x) { return __builtin_bit_cast(unsigned long long, x); }

CUPOLA_DEVICE unsigned short floatToHalf(float x) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
}
CUPOLA_DEVICE unsigned short doubleToHalf(double x) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
}
CUPOLA_DEVICE float halfToFloat(unsigned short bits) { return static_cast<float>(__builtin_bit_cast(_Float16, bits)); }

/// Both halves of a word through a function of floats, whose result is rounded once more: of sums and products that
/// is the rounded result, as f32 has more than twice the precision of a half.
template <class Function> CUPOLA_DEVICE unsigned eachHalf(unsigned a, unsigned b, Function function) {
  const auto at = [&](unsigned shift) {
    const auto half = [&](unsigned word) { return halfToFloat(static_cast<unsigned short>(word >> shift)); };
    return static_cast<unsigned>(floatToHalf(function(half(a), half(b)))) << shift;
  };
  return at(0) | at(16);
}
CUPOLA_DEVICE unsigned addHalves(unsigned a, unsigned b) {
  return eachHalf(a, b, [](float x, float y) { return x + y; });
}
CUPOLA_DEVICE unsigned multiplyHalves(unsigned a, unsigned b) {
  return eachHalf(a, b, [](float x, float y) { return x * y; });
}
CUPOLA_DEVICE unsigned halvesOfE4M3(unsigned two) {
  const auto half = [](unsigned bits) {
    const unsigned code = bits & 0x7fu;
    const float size = code < 8 ? static_cast<float>(code) * 0x1p-9f : bitsToFloat((code + (120u << 3)) << 20);
    return (bits & 0x80u) << 8 | (code == 0x7fu ? 0x7fffu : floatToHalf(size));
  };
  return half(two & 0xffu) | half(two >> 8 & 0xffu) << 16;
}
CUPOLA_DEVICE unsigned maskWord(unsigned word, unsigned mask) { return word & mask; }
CUPOLA_DEVICE unsigned permuteBytes(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7u) & 0xffu) << 8 * i;
  return result;
}

/// Towards zero, clamped to [low, high]; `limit` is the power of two just above `high`.
template <class To, class From> CUPOLA_DEVICE To clampedTruncate(From x, To low, To high, From limit) {
  if (x != x)
    return 0;
  if (x >= limit)
    return high;
  return x <= static_cast<From>(low) ? low : static_cast<To>(x);
}
CUPOLA_DEVICE int floatToI32(float x) { return clampedTruncate<int>(x, -2147483647 - 1, 2147483647, 0x1p31f); }
CUPOLA_DEVICE unsigned floatToU32(float x) { return clampedTruncate<unsigned>(x, 0u, 0xffffffffu, 0x1p32f); }
CUPOLA_DEVICE long long floatToI64(float x) {
  return clampedTruncate<long long>(x, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll, 0x1p63f);
}
CUPOLA_DEVICE unsigned long long floatToU64(float x) {
  return clampedTruncate<unsigned long long>(x, 0ull, 0xffffffffffffffffull, 0x1p64f);
}
CUPOLA_DEVICE int doubleToI32(double x) { return clampedTruncate<int>(x, -2147483647 - 1, 2147483647, 0x1p31); }
CUPOLA_DEVICE unsigned doubleToU32(double x) { return clampedTruncate<unsigned>(x, 0u, 0xffffffffu, 0x1p32); }
CUPOLA_DEVICE long long doubleToI64(double x) {
  return clampedTruncate<long long>(x, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll, 0x1p63);
}
CUPOLA_DEVICE unsigned long long doubleToU64(double x) {
  return clampedTruncate<unsigned long long>(x, 0ull, 0xffffffffffffffffull, 0x1p64);
}

CUPOLA_DEVICE void blockBarrier(Place at) { cupola_sim_barrier(at.id); }
CUPOLA_DEVICE void warpBarrier(Place at) { cupola_sim_syncwarp(at.id); }
CUPOLA_DEVICE void deviceFence() { cupola_sim_fence(); }
CUPOLA_DEVICE void gridMeet(unsigned *counter, unsigned arrivals, Place at) {
  cupola_sim_grid_meet(counter, arrivals, at.id);
}

CUPOLA_DEVICE unsigned shuffleXor(unsigned value, unsigned laneMask, Place at) {
  return cupola_sim_shuffle(value, CupolaSimXor, laneMask, at.id);
}
CUPOLA_DEVICE unsigned shuffleIndex(unsigned value, unsigned lane, Place at) {
  return cupola_sim_shuffle(value, CupolaSimIndex, lane, at.id);
}
CUPOLA_DEVICE unsigned shuffleUp(unsigned value, unsigned delta, Place at) {
  return cupola_sim_shuffle(value, CupolaSimUp, delta, at.id);
}
CUPOLA_DEVICE unsigned shuffleDown(unsigned value, unsigned delta, Place at) {
  return cupola_sim_shuffle(value, CupolaSimDown, delta, at.id);
}
CUPOLA_DEVICE unsigned ballot(bool predicate, Place at) { return cupola_sim_ballot(predicate, at.id); }

CUPOLA_DEVICE void raiseGlobalMax(unsigned long long address, unsigned v) {
  cupola_sim_atomic(globalPointer<unsigned>(address), CupolaSimMaxU32, v, 0);
}

CUPOLA_DEVICE int atomicAddValue(int *p, int v) {
  return static_cast<int>(cupola_sim_atomic(p, CupolaSimAddI32, static_cast<unsigned>(v), 0));
}
CUPOLA_DEVICE unsigned atomicAddValue(unsigned *p, unsigned v) {
  return static_cast<unsigned>(cupola_sim_atomic(p, CupolaSimAddI32, v, 0));
}
CUPOLA_DEVICE unsigned long long atomicAddValue(unsigned long long *p, unsigned long long v) {
  return cupola_sim_atomic(p, CupolaSimAddU64, v, 0);
}
CUPOLA_DEVICE float atomicAddValue(float *p, float v) {
  return bitsToFloat(static_cast<unsigned>(cupola_sim_atomic(p, CupolaSimAddF32, floatToBits(v), 0)));
}
CUPOLA_DEVICE double atomicAddValue(double *p, double v) {
  return bitsToDouble(cupola_sim_atomic(p, CupolaSimAddF64, doubleToBits(v), 0));
}
CUPOLA_DEVICE unsigned atomicMaxValue(unsigned *p, unsigned v) {
  return static_cast<unsigned>(cupola_sim_atomic(p, CupolaSimMaxU32, v, 0));
}
CUPOLA_DEVICE int atomicMaxValue(int *p, int v) {
  return static_cast<int>(cupola_sim_atomic(p, CupolaSimMaxI32, static_cast<unsigned>(v), 0));
}
CUPOLA_DEVICE unsigned atomicMinValue(unsigned *p, unsigned v) {
  return static_cast<unsigned>(cupola_sim_atomic(p, CupolaSimMinU32, v, 0));
}
CUPOLA_DEVICE int atomicMinValue(int *p, int v) {
  return static_cast<int>(cupola_sim_atomic(p, CupolaSimMinI32, static_cast<unsigned>(v), 0));
}
CUPOLA_DEVICE unsigned atomicCasValue(unsigned *p, unsigned expected, unsigned v) {
  return static_cast<unsigned>(cupola_sim_atomic(p, CupolaSimCasU32, v, expected));
}

} // namespace cupola_device

#endif

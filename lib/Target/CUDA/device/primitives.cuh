//===- lib/Target/CUDA/device/primitives.cuh - the GPU half: threads, barriers, shuffles, atomics ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Sim/device/primitives.cuh, which declares the same names. Only primitives*.cuh contain PTX or CUDA
// intrinsics.
#ifndef CUPOLA_DEVICE_PRIMITIVES_CUH
#define CUPOLA_DEVICE_PRIMITIVES_CUH

#define CUPOLA_DEVICE static __device__ __forceinline__
#define CUPOLA_MEMBER __device__ __forceinline__
#define CUPOLA_UNROLL _Pragma("unroll")
#define CUPOLA_NO_UNROLL _Pragma("unroll 1")

/// The compute capability the code is compiled for: 750, 800, 860, 890, 900, 1000, 1200.
#ifdef __CUDA_ARCH__
#define CUPOLA_ARCH __CUDA_ARCH__
#else
#define CUPOLA_ARCH 0
#endif

/// Head of a kernel: `CUPOLA_KERNEL(threads, minBlocks) name(parameters) { ... }`. Blocks are one-dimensional.
#define CUPOLA_KERNEL(threads, minBlocks) extern "C" __global__ void __launch_bounds__(threads, minBlocks)

extern __shared__ __align__(1024) unsigned char cupolaDynamicShared[];

namespace cupola_device {

/// The place in the text at which the lanes of a warp or the threads of a block meet: what the simulator knows a
/// barrier by. Every function that meets takes one, by default that of its caller, and hands `at + CUPOLA_HERE` to what
/// it calls itself. Nothing on a GPU.
struct Place {};
CUPOLA_DEVICE Place operator+(Place outer, Place) { return outer; }
#define CUPOLA_HERE (cupola_device::Place{})

CUPOLA_DEVICE unsigned threadIndex() { return threadIdx.x; }
CUPOLA_DEVICE unsigned blockIndex() { return blockIdx.x; }
CUPOLA_DEVICE unsigned blockIndexY() { return blockIdx.y; }
CUPOLA_DEVICE unsigned blockIndexZ() { return blockIdx.z; }
CUPOLA_DEVICE unsigned blockThreads() { return blockDim.x; }
CUPOLA_DEVICE unsigned gridBlocks() { return gridDim.x; }
CUPOLA_DEVICE unsigned char *sharedBase() { return cupolaDynamicShared; }

/// An integer address as a pointer into global memory. The conversion tells the compiler the address space, so that
/// loads and stores become global ones.
template <class T> CUPOLA_DEVICE T *globalPointer(unsigned long long address) {
  return static_cast<T *>(__cvta_global_to_generic(address));
}

CUPOLA_DEVICE float bitsToFloat(unsigned bits) { return __int_as_float(static_cast<int>(bits)); }
CUPOLA_DEVICE unsigned floatToBits(float x) { return static_cast<unsigned>(__float_as_int(x)); }
CUPOLA_DEVICE double bitsToDouble(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
CUPOLA_DEVICE unsigned long long doubleToBits(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}

CUPOLA_DEVICE unsigned short floatToHalf(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
CUPOLA_DEVICE unsigned short doubleToHalf(double x) {
  unsigned short bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
  return bits;
}
CUPOLA_DEVICE float halfToFloat(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

/// Two halves at a time, each result rounded once.
CUPOLA_DEVICE unsigned addHalves(unsigned a, unsigned b) {
  unsigned sums;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sums) : "r"(a), "r"(b));
  return sums;
}
CUPOLA_DEVICE unsigned multiplyHalves(unsigned a, unsigned b) {
  unsigned products;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(products) : "r"(a), "r"(b));
  return products;
}
/// Two e4m3, in the lower half of a word, as two f16, exactly. From sm_89 on.
CUPOLA_DEVICE unsigned halvesOfE4M3(unsigned two) {
  unsigned halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<unsigned short>(two)));
  return halves;
}
/// word & mask. Of a word that is made of bytes the compiler would mask each byte apart.
CUPOLA_DEVICE unsigned maskWord(unsigned word, unsigned mask) {
  unsigned masked;
  asm("and.b32 %0, %1, %2;" : "=r"(masked) : "r"(word), "r"(mask));
  return masked;
}
/// Byte i of the result is byte `selector >> 4 * i & 7` of the eight of a, then b.
CUPOLA_DEVICE unsigned permuteBytes(unsigned a, unsigned b, unsigned selector) { return __byte_perm(a, b, selector); }

/// Float to integer: towards zero, clamped to the range, NaN becomes 0. cvt.rzi makes 0 of NaN from 32 bits to 32
/// alone; elsewhere NaN is the integer whose highest bit is set.
CUPOLA_DEVICE int doubleToI32(double x) { return isnan(x) ? 0 : __double2int_rz(x); }
CUPOLA_DEVICE unsigned doubleToU32(double x) { return isnan(x) ? 0 : __double2uint_rz(x); }
CUPOLA_DEVICE int floatToI32(float x) { return __float2int_rz(x); }
CUPOLA_DEVICE unsigned floatToU32(float x) { return __float2uint_rz(x); }
CUPOLA_DEVICE long long floatToI64(float x) { return isnan(x) ? 0 : __float2ll_rz(x); }
CUPOLA_DEVICE unsigned long long floatToU64(float x) { return isnan(x) ? 0 : __float2ull_rz(x); }
CUPOLA_DEVICE long long doubleToI64(double x) { return isnan(x) ? 0 : __double2ll_rz(x); }
CUPOLA_DEVICE unsigned long long doubleToU64(double x) { return isnan(x) ? 0 : __double2ull_rz(x); }

CUPOLA_DEVICE void blockBarrier(Place) { __syncthreads(); }
CUPOLA_DEVICE void warpBarrier(Place) { __syncwarp(); }
CUPOLA_DEVICE void deviceFence() { __threadfence(); }
/// Waits until *counter, in global memory, is `arrivals` or more, and sees what happened before those who arrived.
CUPOLA_DEVICE void gridMeet(unsigned *counter, unsigned arrivals, Place) {
  unsigned arrived;
  do
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(arrived)
                 : "l"(__cvta_generic_to_global(counter))
                 : "memory");
  while (arrived < arrivals);
}

/// 2^x, without subnormals.
CUPOLA_DEVICE float exp2Approx(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// NaN where either is NaN; of two zeros either.
#if CUPOLA_ARCH >= 800
CUPOLA_DEVICE float maxNan(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
CUPOLA_DEVICE float minNan(float a, float b) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
#else
CUPOLA_DEVICE float maxNan(float a, float b) { return a >= b || a != a ? a : b; }
CUPOLA_DEVICE float minNan(float a, float b) { return a <= b || a != a ? a : b; }
#endif

CUPOLA_DEVICE unsigned shuffleXor(unsigned value, unsigned laneMask, Place) {
  return __shfl_xor_sync(0xffffffffu, value, laneMask);
}
CUPOLA_DEVICE unsigned shuffleIndex(unsigned value, unsigned lane, Place) {
  return __shfl_sync(0xffffffffu, value, lane);
}
CUPOLA_DEVICE unsigned shuffleUp(unsigned value, unsigned delta, Place) {
  return __shfl_up_sync(0xffffffffu, value, delta);
}
CUPOLA_DEVICE unsigned shuffleDown(unsigned value, unsigned delta, Place) {
  return __shfl_down_sync(0xffffffffu, value, delta);
}
CUPOLA_DEVICE unsigned ballot(bool predicate, Place) { return __ballot_sync(0xffffffffu, predicate); }

/// *address = max(*address, v) in global memory, by its integer address: as a generic pointer, an address that is
/// loaded in a branch keeps NVRTC 13.0 from ever ending (a gather behind a matrix product with dynamic strides).
CUPOLA_DEVICE void raiseGlobalMax(unsigned long long address, unsigned v) {
  asm volatile("red.global.max.u32 [%0], %1;" ::"l"(address), "r"(v));
}

CUPOLA_DEVICE int atomicAddValue(int *p, int v) { return atomicAdd(p, v); }
CUPOLA_DEVICE unsigned atomicAddValue(unsigned *p, unsigned v) { return atomicAdd(p, v); }
CUPOLA_DEVICE unsigned long long atomicAddValue(unsigned long long *p, unsigned long long v) { return atomicAdd(p, v); }
CUPOLA_DEVICE float atomicAddValue(float *p, float v) { return atomicAdd(p, v); }
CUPOLA_DEVICE double atomicAddValue(double *p, double v) { return atomicAdd(p, v); }
CUPOLA_DEVICE unsigned atomicMaxValue(unsigned *p, unsigned v) { return atomicMax(p, v); }
CUPOLA_DEVICE int atomicMaxValue(int *p, int v) { return atomicMax(p, v); }
CUPOLA_DEVICE unsigned atomicMinValue(unsigned *p, unsigned v) { return atomicMin(p, v); }
CUPOLA_DEVICE int atomicMinValue(int *p, int v) { return atomicMin(p, v); }
CUPOLA_DEVICE unsigned atomicCasValue(unsigned *p, unsigned expected, unsigned v) { return atomicCAS(p, expected, v); }

} // namespace cupola_device

#endif

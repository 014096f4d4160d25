//===- lib/Target/CUDA/device/primitives_tensor.cuh - the GPU half: tensor copies and wgmma ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Sim/device/primitives_tensor.cuh. PTX ISA 8.0 and later; wgmma needs sm_90a.
#ifndef CUPOLA_DEVICE_PRIMITIVES_TENSOR_CUH
#define CUPOLA_DEVICE_PRIMITIVES_TENSOR_CUH

#include "primitives_cluster.cuh"

namespace cupola_device {

/// The map was written by the host, in memory that other kernels used before.
CUPOLA_DEVICE void acquireTensorMap(const void *map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(map) : "memory");
}

/// Copies the box of a tensor map at coordinates `at` (innermost first) to shared memory, zeros where it leaves the
/// tensor; the bytes count towards what `barrier` expects. With a mask, to the same place in every block of the
/// cluster whose bit is set, and towards the barriers there.
#define CUPOLA_TENSOR_COPY(rank, coordinates, ...)                                                                     \
  CUPOLA_DEVICE void tensorCopy(void *shared, const void *map, const int (&at)[rank], unsigned long long *barrier) {   \
    asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes "                \
                 "[%0], [%1, " coordinates "], [%2];" ::"r"(sharedAddress(shared)),                                    \
                 "l"(map), "r"(sharedAddress(barrier)), "h"(static_cast<unsigned short>(0)), __VA_ARGS__               \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  CUPOLA_DEVICE void tensorCopyMulticast(void *shared, const void *map, const int (&at)[rank],                         \
                                         unsigned long long *barrier, unsigned short mask) {                           \
    asm volatile("cp.async.bulk.tensor." #rank                                                                         \
                 "d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "                           \
                 "[%0], [%1, " coordinates "], [%2], %3;" ::"r"(sharedAddress(shared)),                                \
                 "l"(map), "r"(sharedAddress(barrier)), "h"(mask), __VA_ARGS__                                         \
                 : "memory");                                                                                          \
  }
CUPOLA_TENSOR_COPY(2, "{%4, %5}", "r"(at[0]), "r"(at[1]))
CUPOLA_TENSOR_COPY(3, "{%4, %5, %6}", "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUPOLA_TENSOR_COPY(4, "{%4, %5, %6, %7}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUPOLA_TENSOR_COPY(5, "{%4, %5, %6, %7, %8}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#undef CUPOLA_TENSOR_COPY

/// The same for the places of a window ("im2col"), from the one that begins at `at` on, each `taps` behind its begin.
#define CUPOLA_TAP(i) "h"(static_cast<unsigned short>(taps[i]))
#define CUPOLA_WINDOW_COPY(rank, axes, coordinates, offsets, ...)                                                      \
  CUPOLA_DEVICE void tensorCopyWindow(void *shared, const void *map, const int (&at)[rank],                            \
                                      const unsigned (&taps)[axes], unsigned long long *barrier) {                     \
    asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "         \
                 "[%0], [%1, " coordinates "], [%2], " offsets ";" ::"r"(sharedAddress(shared)),                       \
                 "l"(map), "r"(sharedAddress(barrier)), __VA_ARGS__                                                    \
                 : "memory");                                                                                          \
  }
CUPOLA_WINDOW_COPY(3, 1, "{%3, %4, %5}", "{%6}", "r"(at[0]), "r"(at[1]), "r"(at[2]), CUPOLA_TAP(0))
CUPOLA_WINDOW_COPY(4, 2, "{%3, %4, %5, %6}", "{%7, %8}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), CUPOLA_TAP(0),
                   CUPOLA_TAP(1))
CUPOLA_WINDOW_COPY(5, 3, "{%3, %4, %5, %6, %7}", "{%8, %9, %10}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
                   "r"(at[4]), CUPOLA_TAP(0), CUPOLA_TAP(1), CUPOLA_TAP(2))
#undef CUPOLA_WINDOW_COPY
#undef CUPOLA_TAP

//===--- wgmma: the four warps of a warpgroup together ---===//

/// Lists of the operands of an instruction: their places in its text, and the registers.
#define CUPOLA_TEN(tens)                                                                                               \
  "%" #tens "0, %" #tens "1, %" #tens "2, %" #tens "3, %" #tens "4, %" #tens "5, %" #tens "6, %" #tens "7, %" #tens    \
  "8, %" #tens "9, "
#define CUPOLA_FIRST_TEN "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
#define CUPOLA_SIXTY CUPOLA_FIRST_TEN CUPOLA_TEN(1) CUPOLA_TEN(2) CUPOLA_TEN(3) CUPOLA_TEN(4) CUPOLA_TEN(5)
#define CUPOLA_TILE(d, j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
#define CUPOLA_TILES4(d, j) CUPOLA_TILE(d, j), CUPOLA_TILE(d, j + 1), CUPOLA_TILE(d, j + 2), CUPOLA_TILE(d, j + 3)
#define CUPOLA_TILES16(d, j)                                                                                           \
  CUPOLA_TILES4(d, j), CUPOLA_TILES4(d, j + 4), CUPOLA_TILES4(d, j + 8), CUPOLA_TILES4(d, j + 12)

/// Orders this thread's accesses to registers before the products that use them. The empty statement keeps the compiler
/// from moving accumulators across.
template <int J> CUPOLA_DEVICE void wgmmaFence(float (&d)[J][4], Place) {
  CUPOLA_UNROLL
  for (int j = 0; j < J; ++j)
    asm volatile("" : CUPOLA_TILE(d, j)::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
/// The same of fragments that they read.
template <int J, int K> CUPOLA_DEVICE void wgmmaFence(float (&d)[J][4], unsigned (&a)[K][4], Place at) {
  CUPOLA_UNROLL
  for (int k = 0; k < K; ++k)
    asm volatile("" : "+r"(a[k][0]), "+r"(a[k][1]), "+r"(a[k][2]), "+r"(a[k][3])::"memory");
  wgmmaFence(d, at);
}
CUPOLA_DEVICE void wgmmaCommit(Place) { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `Pending` of the newest groups are under way; with 0 the accumulators may be used.
template <int Pending, int J> CUPOLA_DEVICE void wgmmaWait(float (&d)[J][4], Place) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
  CUPOLA_UNROLL
  for (int j = 0; j < J; ++j)
    asm volatile("" : CUPOLA_TILE(d, j)::"memory");
}

/// A value that all lanes have, so that the compiler knows.
CUPOLA_DEVICE unsigned uniform(unsigned value) { return __shfl_sync(0xffffffffu, value, 0); }

/// d(64 x 8*J) += a(64 x 16) * b(16 x 8*J), operands in shared memory by their descriptors. `TransposedB`: n runs
/// innermost in b.
#define CUPOLA_WGMMA(n, type, registers, a, b, one, trans, ...)                                                        \
  asm volatile("{\n"                                                                                                   \
               ".reg .pred add;\n"                                                                                     \
               "setp.ne.b32 add, " one ", 0;\n"                                                                        \
               "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" registers "}, " a ", " b           \
               ", add, 1, 1, 0, " trans ";\n"                                                                          \
               "}"                                                                                                     \
               : __VA_ARGS__                                                                                           \
               : "l"(descriptorA), "l"(descriptorB), "r"(1), "n"(TransposedB))
#define CUPOLA_WGMMA_64(type)                                                                                          \
  CUPOLA_WGMMA(64, type, CUPOLA_FIRST_TEN CUPOLA_TEN(1) CUPOLA_TEN(2) "%30, %31", "%32", "%33", "%34", "%35",          \
               CUPOLA_TILES4(d, 0), CUPOLA_TILES4(d, 4))
#define CUPOLA_WGMMA_128(type)                                                                                         \
  CUPOLA_WGMMA(128, type, CUPOLA_SIXTY "%60, %61, %62, %63", "%64", "%65", "%66", "%67", CUPOLA_TILES16(d, 0))
#define CUPOLA_WGMMA_256(type)                                                                                         \
  CUPOLA_WGMMA(256, type,                                                                                              \
               CUPOLA_SIXTY CUPOLA_TEN(6) CUPOLA_TEN(7) CUPOLA_TEN(8) CUPOLA_TEN(9) CUPOLA_TEN(10)                     \
                   CUPOLA_TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127",                                    \
               "%128", "%129", "%130", "%131", CUPOLA_TILES16(d, 0), CUPOLA_TILES16(d, 16))

template <bool Bf16, bool TransposedB>
CUPOLA_DEVICE void wgmma(float (&d)[8][4], unsigned long long descriptorA, unsigned long long descriptorB, Place) {
  if (Bf16)
    CUPOLA_WGMMA_64("bf16");
  else
    CUPOLA_WGMMA_64("f16");
}
template <bool Bf16, bool TransposedB>
CUPOLA_DEVICE void wgmma(float (&d)[16][4], unsigned long long descriptorA, unsigned long long descriptorB, Place) {
  if (Bf16)
    CUPOLA_WGMMA_128("bf16");
  else
    CUPOLA_WGMMA_128("f16");
}
template <bool Bf16, bool TransposedB>
CUPOLA_DEVICE void wgmma(float (&d)[32][4], unsigned long long descriptorA, unsigned long long descriptorB, Place) {
  if (Bf16)
    CUPOLA_WGMMA_256("bf16");
  else
    CUPOLA_WGMMA_256("f16");
}
/// The same with a in registers; without `adds` d is not read.
#define CUPOLA_WGMMA_A(n, type, registers, left, b, when, trans, ...)                                                  \
  asm volatile("{\n"                                                                                                   \
               ".reg .pred add;\n"                                                                                     \
               "setp.ne.b32 add, " when ", 0;\n"                                                                       \
               "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" registers "}, {" left "}, " b      \
               ", add, 1, 1, " trans ";\n"                                                                             \
               "}"                                                                                                     \
               : __VA_ARGS__                                                                                           \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptorB), "r"(static_cast<int>(adds)),            \
                 "n"(TransposedB))
#define CUPOLA_WGMMA_A_64(type)                                                                                        \
  CUPOLA_WGMMA_A(64, type, CUPOLA_FIRST_TEN CUPOLA_TEN(1) CUPOLA_TEN(2) "%30, %31", "%32, %33, %34, %35", "%36",       \
                 "%37", "%38", CUPOLA_TILES4(d, 0), CUPOLA_TILES4(d, 4))
#define CUPOLA_WGMMA_A_128(type)                                                                                       \
  CUPOLA_WGMMA_A(128, type, CUPOLA_SIXTY "%60, %61, %62, %63", "%64, %65, %66, %67", "%68", "%69", "%70",              \
                 CUPOLA_TILES16(d, 0))

template <bool Bf16, bool TransposedB>
CUPOLA_DEVICE void wgmma(float (&d)[8][4], const unsigned (&a)[4], unsigned long long descriptorB, bool adds, Place) {
  if (Bf16)
    CUPOLA_WGMMA_A_64("bf16");
  else
    CUPOLA_WGMMA_A_64("f16");
}
template <bool Bf16, bool TransposedB>
CUPOLA_DEVICE void wgmma(float (&d)[16][4], const unsigned (&a)[4], unsigned long long descriptorB, bool adds, Place) {
  if (Bf16)
    CUPOLA_WGMMA_A_128("bf16");
  else
    CUPOLA_WGMMA_A_128("f16");
}
#undef CUPOLA_WGMMA_A_64
#undef CUPOLA_WGMMA_A_128
#undef CUPOLA_WGMMA_A
#undef CUPOLA_WGMMA_64
#undef CUPOLA_WGMMA_128
#undef CUPOLA_WGMMA_256
#undef CUPOLA_WGMMA
#undef CUPOLA_TILES16
#undef CUPOLA_TILES4
#undef CUPOLA_TILE
#undef CUPOLA_SIXTY
#undef CUPOLA_FIRST_TEN
#undef CUPOLA_TEN

} // namespace cupola_device

#endif

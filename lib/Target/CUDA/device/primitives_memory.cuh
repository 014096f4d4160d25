//===- lib/Target/CUDA/device/primitives_memory.cuh - the GPU half: vector accesses and cp.async ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Counterpart: lib/Sim/device/primitives_memory.cuh.
#ifndef CUPOLA_DEVICE_PRIMITIVES_MEMORY_CUH
#define CUPOLA_DEVICE_PRIMITIVES_MEMORY_CUH

#include "primitives.cuh"

namespace cupola_device {

/// The built-in type whose load and store is one access of `Bytes` bytes.
template <int Bytes> struct Word;
template <> struct Word<1> {
  using Type = unsigned char;
};
template <> struct Word<2> {
  using Type = unsigned short;
};
template <> struct Word<4> {
  using Type = unsigned;
};
template <> struct Word<8> {
  using Type = uint2;
};
template <> struct Word<16> {
  using Type = uint4;
};

/// One access of sizeof(Vector) bytes; the address must be a multiple of that size.
template <class Vector> CUPOLA_DEVICE Vector loadVector(const void *p) {
  using Raw = typename Word<sizeof(Vector)>::Type;
  const Raw raw = *static_cast<const Raw *>(p);
  Vector v;
  memcpy(&v, &raw, sizeof(Vector));
  return v;
}
template <class Vector> CUPOLA_DEVICE void storeVector(void *p, const Vector &v) {
  using Raw = typename Word<sizeof(Vector)>::Type;
  Raw raw;
  memcpy(&raw, &v, sizeof(Vector));
  *static_cast<Raw *>(p) = raw;
}

/// The same address, of which the compiler knows nothing: it takes no sum apart that ends there.
CUPOLA_DEVICE const void *pinned(const void *p) {
  asm("" : "+l"(p));
  return p;
}

/// The line of L2 comes from memory; nobody waits for it.
CUPOLA_DEVICE void prefetch(const void *global) { asm volatile("prefetch.global.L2 [%0];" : : "l"(global)); }

CUPOLA_DEVICE unsigned sharedAddress(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// Copies `sourceBytes` from global to shared memory and fills up to `Bytes` with zeros, without waiting.
template <int Bytes> CUPOLA_DEVICE void asyncCopy(void *shared, const void *global, unsigned sourceBytes) {
#if CUPOLA_ARCH >= 800
  if (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(sharedAddress(shared)), "l"(global), "r"(sourceBytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;"
                 :
                 : "r"(sharedAddress(shared)), "l"(global), "r"(sourceBytes), "n"(Bytes == 16 ? 8 : Bytes)
                 : "memory");
#endif
}
CUPOLA_DEVICE void asyncCommit() {
#if CUPOLA_ARCH >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int Pending> CUPOLA_DEVICE void asyncWait() {
#if CUPOLA_ARCH >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

} // namespace cupola_device

#endif

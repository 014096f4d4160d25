//===- lib/Target/CUDA/device/reduce.cuh - reductions over a warp and over a block ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of a reduction is fixed (a butterfly over lanes, then over warps), so results do not depend on scheduling.
#ifndef CUPOLA_DEVICE_REDUCE_CUH
#define CUPOLA_DEVICE_REDUCE_CUH

#include "math.cuh"
#include "sync.cuh"

namespace cupola_device {

struct SumOp {
  template <class T> static CUPOLA_MEMBER T apply(T a, T b) { return cu_add(a, b); }
  template <class T> static CUPOLA_MEMBER T identity() { return T(0); }
};
struct ProdOp {
  template <class T> static CUPOLA_MEMBER T apply(T a, T b) { return cu_mul(a, b); }
  template <class T> static CUPOLA_MEMBER T identity() { return T(1); }
};
struct MaxOp {
  template <class T> static CUPOLA_MEMBER T apply(T a, T b) { return cu_larger(a, b); }
  template <class T> static CUPOLA_MEMBER T identity() { return cu_lowest<T>(); }
};
struct MinOp {
  template <class T> static CUPOLA_MEMBER T apply(T a, T b) { return cu_smaller(a, b); }
  template <class T> static CUPOLA_MEMBER T identity() { return cu_highest<T>(); }
};

/// Groups of `Lanes` neighbouring lanes, a power of two.
template <class Op, int Lanes, class T> CUPOLA_DEVICE T lanesReduce(T value, Place at) {
  static_assert(Lanes >= 2 && Lanes <= 32 && (Lanes & (Lanes - 1)) == 0, "2, 4, 8, 16 or 32 lanes");
  CUPOLA_UNROLL
  for (u32 step = Lanes / 2; step > 0; step /= 2)
    value = Op::apply(value, cu_shfl_xor(value, step, at));
  return value;
}

template <class Op, class T> CUPOLA_DEVICE T warpReduce(T value, Place at) { return lanesReduce<Op, 32>(value, at); }

/// Every warp reduces its lanes, then every warp reduces the warps' results: one pass through shared memory.
template <class Op, int Threads, class T> CUPOLA_DEVICE T blockReduce(T value, T *scratch, Place at) {
  static_assert(Threads % 32 == 0 && Threads >= 32 && Threads <= 1024, "a block is 1 to 32 whole warps");
  constexpr u32 warps = Threads / 32;
  value = warpReduce<Op>(value, at + CUPOLA_HERE);
  if (warps == 1)
    return value;
  if (cu_lane() == 0)
    scratch[cu_warp()] = value;
  cu_barrier(at + CUPOLA_HERE);
  value = cu_lane() < warps ? scratch[cu_lane()] : Op::template identity<T>();
  value = warpReduce<Op>(value, at + CUPOLA_HERE);
  cu_barrier(at + CUPOLA_HERE);
  return value;
}

} // namespace cupola_device

/// Reductions of f32, f64, i32, u32, i64, u64 over the 32 lanes; every lane gets the result.
template <class T> CUPOLA_DEVICE T warp_sum(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::warpReduce<cupola_device::SumOp>(value, at);
}
template <class T> CUPOLA_DEVICE T warp_prod(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::warpReduce<cupola_device::ProdOp>(value, at);
}
template <class T> CUPOLA_DEVICE T warp_max(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::warpReduce<cupola_device::MaxOp>(value, at);
}
template <class T> CUPOLA_DEVICE T warp_min(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::warpReduce<cupola_device::MinOp>(value, at);
}

/// The same over groups of `Lanes` (2, 4, 8, 16) neighbouring lanes; every lane gets the result of its group. All 32
/// lanes call.
template <int Lanes, class T> CUPOLA_DEVICE T lanes_sum(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::lanesReduce<cupola_device::SumOp, Lanes>(value, at);
}
template <int Lanes, class T> CUPOLA_DEVICE T lanes_prod(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::lanesReduce<cupola_device::ProdOp, Lanes>(value, at);
}
template <int Lanes, class T> CUPOLA_DEVICE T lanes_max(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::lanesReduce<cupola_device::MaxOp, Lanes>(value, at);
}
template <int Lanes, class T> CUPOLA_DEVICE T lanes_min(T value, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::lanesReduce<cupola_device::MinOp, Lanes>(value, at);
}

/// Reductions over a block of `Threads` threads (whole warps); every thread gets the result. `scratch` is shared memory
/// for Threads/32 elements (unused for one warp) that no thread still reads or writes when the first one calls; it is
/// free to use again when the call returns. All threads of the block must call.
template <int Threads, class T> CUPOLA_DEVICE T block_sum(T value, T *scratch, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::blockReduce<cupola_device::SumOp, Threads>(value, scratch, at);
}
template <int Threads, class T> CUPOLA_DEVICE T block_prod(T value, T *scratch, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::blockReduce<cupola_device::ProdOp, Threads>(value, scratch, at);
}
template <int Threads, class T> CUPOLA_DEVICE T block_max(T value, T *scratch, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::blockReduce<cupola_device::MaxOp, Threads>(value, scratch, at);
}
template <int Threads, class T> CUPOLA_DEVICE T block_min(T value, T *scratch, cupola_device::Place at = CUPOLA_HERE) {
  return cupola_device::blockReduce<cupola_device::MinOp, Threads>(value, scratch, at);
}

#endif

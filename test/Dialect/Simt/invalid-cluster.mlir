//===- test/Dialect/Simt/invalid-cluster.mlir - clusters, copies and products that no GPU runs ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a grid has 1 to 3 axes, not 4}}
simt.func @axes block %x of 1, %y of 1, %z of 1, %w of 1 thread %t of 32 scalars [] () {
}

// -----

// expected-error @below {{a cluster has at most 8 blocks, not 16}}
simt.func @cluster block %x of 16 cluster 16 thread %t of 32 scalars [] () {
}

// -----

// expected-error @below {{a tensor map is about parameter 1 of 1}}
simt.func @parameter block %x of 1 thread %t of 32 scalars []
    maps [#simt.tensor_map<1 offset "0" extents ["64"] strides ["1"] box [64] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
}

// -----

simt.func @rank block %x of 1 thread %t of 32 scalars []
    // expected-error @below {{a tensor map of rank 6, 1 to 5 are possible}}
    maps [#simt.tensor_map<0 offset "0" extents ["1", "1", "1", "1", "1", "1"] strides ["1", "1", "1", "1", "1", "1"] box [1, 1, 1, 1, 1, 1] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
}

// -----

simt.func @strides block %x of 1 thread %t of 32 scalars []
    // expected-error @below {{2 extents have 1 strides and 2 extents of a box}}
    maps [#simt.tensor_map<0 offset "0" extents ["64", "64"] strides ["1"] box [64, 64] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
}

// -----

simt.func @inner block %x of 1 thread %t of 32 scalars []
    // expected-error @below {{the innermost stride is 2, not 1}}
    maps [#simt.tensor_map<0 offset "0" extents ["64"] strides ["2"] box [64] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
}

// -----

simt.func @box block %x of 1 thread %t of 32 scalars []
    // expected-error @below {{a box of 512 elements, 1 to 256 are possible}}
    maps [#simt.tensor_map<0 offset "0" extents ["1024"] strides ["1"] box [512] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
}

// -----

simt.func @span block %x of 1 thread %t of 32 scalars []
    // expected-error @below {{a swizzle of 16 bytes is none of 0, 32, 64 and 128}}
    maps [#simt.tensor_map<0 offset "0" extents ["64"] strides ["1"] box [8] swizzle 16>]
    (%in0: !kernel.view<f16, read>) {
}

// -----

simt.func @alignment block %x of 1 thread %t of 32 scalars [] () {
  // expected-error @below {{offset 512 is no multiple of 1024}}
  %a = simt.smem at 512 : !simt.smem<64xf16, swizzle 128>
}

// -----

simt.func @swizzled block %x of 1 thread %t of 32 scalars [] () {
  %a = simt.smem : !simt.smem<64xf32, swizzle 128>
  %r = simt.registers : !simt.registers<4xf32>
  // expected-error @below {{accesses memory with a swizzle of 128 bytes}}
  simt.load_fragment %a[0] width 2 stride 8 to %r : <64xf32, swizzle 128> to <4xf32>
}

// -----

simt.func @rows block %x of 1 thread %t of 32 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %r = simt.registers : !simt.registers<2x4xui32>
  // expected-error @below {{reads rows of 80 bytes from memory with a swizzle of 128}}
  simt.mma_load a %a[0] stride 40 to %r : <4096xf16, swizzle 128> to <2x4xui32>
}

// -----

simt.func @acquire block %x of 1 thread %t of 32 scalars [] () {
  // expected-error @below {{is about tensor map 0, which the function does not have}}
  simt.tensor_map_acquire 0
}

// -----

simt.func @copies block %x of 1 thread %t of 32 scalars [] () {
  %a = simt.smem : !simt.smem<64xf16>
  %bars = simt.smem : !simt.smem<1xui64>
  // expected-error @below {{is about tensor map 2, which the function does not have}}
  simt.tensor_copy 2 to %a for %bars at [0] to [0] for [0] : <64xf16>, <1xui64>
}

// -----

simt.func @types block %x of 1 thread %t of 32 scalars []
    maps [#simt.tensor_map<0 offset "0" extents ["64"] strides ["1"] box [64] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
  %a = simt.smem : !simt.smem<64xf32>
  %bars = simt.smem : !simt.smem<1xui64>
  // expected-error @below {{copies between different types}}
  simt.tensor_copy 0 to %a for %bars at [0] to [0] for [0] : <64xf32>, <1xui64>
}

// -----

simt.func @swizzles block %x of 1 thread %t of 32 scalars []
    maps [#simt.tensor_map<0 offset "0" extents ["64"] strides ["1"] box [64] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
  %a = simt.smem : !simt.smem<64xf16, swizzle 128>
  %bars = simt.smem : !simt.smem<1xui64>
  // expected-error @below {{copies with a swizzle of 0 bytes to memory with one of 128}}
  simt.tensor_copy 0 to %a for %bars at [0] to [0] for [0] : <64xf16, swizzle 128>, <1xui64>
}

// -----

simt.func @coordinates block %x of 1 thread %t of 32 scalars []
    maps [#simt.tensor_map<0 offset "0" extents ["64"] strides ["1"] box [64] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
  %a = simt.smem : !simt.smem<64xf16>
  %bars = simt.smem : !simt.smem<1xui64>
  // expected-error @below {{has 2 coordinates, not 1}}
  simt.tensor_copy 0 to %a for %bars at [0, 0] to [0] for [0] : <64xf16>, <1xui64>
}

// -----

simt.func @blocks block %x of 2 cluster 2 thread %t of 32 scalars []
    maps [#simt.tensor_map<0 offset "0" extents ["64"] strides ["1"] box [64] swizzle 0>]
    (%in0: !kernel.view<f16, read>) {
  %a = simt.smem : !simt.smem<64xf16>
  %bars = simt.smem : !simt.smem<1xui64>
  // expected-error @below {{goes to blocks that a cluster of 2 does not have}}
  simt.tensor_copy 0 to %a for %bars at [0] to [0] for [0] blocks 4 : <64xf16>, <1xui64>
}

// -----

simt.func @alone block %x of 2 thread %t of 32 scalars [] () {
  // expected-error @below {{is in a function without clusters}}
  simt.cluster_barrier
}

// -----

simt.func @divergent block %x of 2 cluster 2 thread %t of 64 scalars [] () {
  // expected-note @below {{the condition}}
  simt.guard [31 - %t] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.cluster_barrier
  }
}

// -----

simt.func @inRole block %x of 1 thread %t of 256 scalars [] () {
  // expected-note @below {{the condition}}
  simt.role threads 0 to 128 registers 40 {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.barrier
  }
}

// -----

simt.func @role block %x of 1 thread %t of 256 scalars [] () {
  // expected-error @below {{threads 64 to 256 are no warpgroups of the block's 256}}
  simt.role threads 64 to 256 registers 40 {
  }
  simt.role threads 0 to 128 registers 80 {
  }
}

// -----

simt.func @count block %x of 1 thread %t of 256 scalars [] () {
  // expected-error @below {{20 registers are no multiple of 8 from 24 to 240}}
  simt.role threads 0 to 128 registers 20 {
  }
}

// -----

simt.func @budget block %x of 1 thread %t of 384 scalars [] () {
  // expected-error @below {{the roles have 71680 registers, more than 65536}}
  simt.role threads 0 to 128 registers 80 {
  }
  simt.role threads 128 to 384 registers 240 {
  }
}

// -----

simt.func @arrivals block %x of 1 thread %t of 32 scalars [] () {
  %bars = simt.smem : !simt.smem<1xui64>
  // expected-error @below {{a phase has at least one arrival}}
  simt.mbarrier_init %bars[0] arrivals 0 : <1xui64>
}

// -----

simt.func @expected block %x of 1 thread %t of 32 scalars [] () {
  %bars = simt.smem : !simt.smem<1xui64>
  // expected-error @below {{1048576 bytes are not what an mbarrier counts}}
  simt.mbarrier_expect %bars[0] bytes 1048576 : <1xui64>
}

// -----

simt.func @words block %x of 1 thread %t of 32 scalars [] () {
  %bars = simt.smem : !simt.smem<1xf32>
  // expected-error @below {{mbarriers have 64 bits}}
  simt.mbarrier_wait %bars [0] of [0] : <1xf32>
}

// -----

simt.func @accumulators block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %acc = simt.registers zero : !simt.registers<4x4xf32>
  // expected-error @below {{accumulators '!simt.registers<4x4xf32>' are none of 64 by 64, 128 or 256}}
  simt.wgmma %acc, %a, %a at [0] of [0] : <4x4xf32>, <4096xf16, swizzle 128>, <4096xf16, swizzle 128>
}

// -----

simt.func @operands block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %b = simt.smem : !simt.smem<4096xbf16, swizzle 128>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  // expected-error @below {{multiplies f16 with f16 or bf16 with bf16}}
  simt.wgmma %acc, %a, %b at [0] of [0] : <8x4xf32>, <4096xf16, swizzle 128>, <4096xbf16, swizzle 128>
}

// -----

simt.func @plain block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  // expected-error @below {{reads shared memory with a swizzle of 128 bytes}}
  simt.wgmma %acc, %a, %a at [0] of [0] : <8x4xf32>, <4096xf16>, <4096xf16>
}

// -----

simt.func @steps block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  // expected-error @below {{a row of 64 k has no 5 steps of 16}}
  simt.wgmma %acc, %a, %a at [0] of [0] steps 5 : <8x4xf32>, <4096xf16, swizzle 128>, <4096xf16, swizzle 128>
}

// -----

simt.func @half block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  // expected-note @below {{the condition}}
  simt.guard [63 - %t] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.wgmma %acc, %a, %a at [0] of [0] : <8x4xf32>, <4096xf16, swizzle 128>, <4096xf16, swizzle 128>
  }
}

// -----

simt.func @swizzle block %x of 1 thread %t of 128 scalars [] () {
  // expected-error @below {{a swizzle of 48 bytes is none of 0, 32, 64 and 128}}
  %a = simt.smem : !simt.smem<4096xf16, swizzle 48>
}

// -----

simt.func @fence block %x of 1 thread %t of 128 scalars [] () {
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  // expected-error @below {{'!simt.registers<8x4xf32>' are no fragments}}
  simt.wgmma_fence %acc, %acc : <8x4xf32>, !simt.registers<8x4xf32>
}

// -----

simt.func @wide block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %acc = simt.registers zero : !simt.registers<32x4xf32>
  %left = simt.registers : !simt.registers<4x4xui32>
  // expected-error @below {{accumulators '!simt.registers<32x4xf32>' are none of 64 by 64 or 128}}
  simt.wgmma_fragments %acc, %left, %a[0] group 4096 : <32x4xf32>, <4x4xui32>, <4096xf16, swizzle 128>
}

// -----

simt.func @left block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  // expected-error @below {{'!simt.registers<8x4xf32>' are no fragments}}
  simt.wgmma_fragments %acc, %acc, %a[0] group 4096 : <8x4xf32>, <8x4xf32>, <4096xf16, swizzle 128>
}

// -----

simt.func @right block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf32, swizzle 128>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  %left = simt.registers : !simt.registers<4x4xui32>
  // expected-error @below {{multiplies f16 with f16 or bf16 with bf16}}
  simt.wgmma_fragments %acc, %left, %a[0] group 4096 : <8x4xf32>, <4x4xui32>, <4096xf32, swizzle 128>
}

// -----

simt.func @unswizzled block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  %left = simt.registers : !simt.registers<4x4xui32>
  // expected-error @below {{reads shared memory with a swizzle of 128 bytes}}
  simt.wgmma_fragments %acc, %left, %a[0] group 4096 : <8x4xf32>, <4x4xui32>, <4096xf16>
}

// -----

simt.func @halfOfAGroup block %x of 1 thread %t of 128 scalars [] () {
  %a = simt.smem : !simt.smem<4096xf16, swizzle 128>
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  %left = simt.registers : !simt.registers<4x4xui32>
  // expected-note @below {{the condition}}
  simt.guard [63 - %t] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.wgmma_fragments %acc, %left, %a[0] group 4096 : <8x4xf32>, <4x4xui32>, <4096xf16, swizzle 128>
  }
}

// -----

simt.func @pack block %x of 1 thread %t of 128 scalars [] () {
  %acc = simt.registers zero : !simt.registers<8x4xf32>
  %left = simt.registers : !simt.registers<2x4xui32>
  // expected-error @below {{'!simt.registers<2x4xui32>' are not the fragments of accumulators '!simt.registers<8x4xf32>'}}
  simt.wgmma_pack %acc to %left : <8x4xf32> to <2x4xui32>
}

// -----

simt.func @alone block %x of 1 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf32>
  %r = simt.registers : !simt.registers<f32, vector 4>
  // expected-error @below {{is in a function without clusters}}
  simt.load_cluster %s to %r [0] of [1] : <64xf32> to <f32, vector 4>
}

// -----

simt.func @other block %x of 2 cluster 2 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf16>
  %r = simt.registers : !simt.registers<f32, vector 4>
  // expected-error @below {{moves another type than the memory holds}}
  simt.load_cluster %s to %r [0] of [1] : <64xf16> to <f32, vector 4>
}

// -----

simt.func @bytes block %x of 2 cluster 2 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf32>
  %r = simt.registers : !simt.registers<f32, vector 2>
  // expected-error @below {{moves 16 bytes, which are no one vector of '!simt.registers<f32, vector 2>'}}
  simt.load_cluster %s to %r [0] of [1] : <64xf32> to <f32, vector 2>
}

// -----

simt.func @swizzled block %x of 2 cluster 2 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf32, swizzle 128>
  %r = simt.registers : !simt.registers<f32, vector 4>
  // expected-error @below {{accesses memory with a swizzle of 128 bytes}}
  simt.load_cluster %s to %r [0] of [1] : <64xf32, swizzle 128> to <f32, vector 4>
}

// -----

simt.func @warps block %x of 1 thread %t of 160 scalars [] () {
  // Warps are enough where all roles have as many registers.
  simt.role threads 128 to 160 registers 128 {
  }
  // expected-error @below {{threads 16 to 128 are no warps of the block's 160}}
  simt.role threads 16 to 128 registers 128 {
  }
}

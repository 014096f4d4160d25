//===- test/Dialect/Simt/invalid.mlir - what no thread can run ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics

simt.func @divergent block %b of 1 thread %t of 64 scalars [] () {
  // expected-note @below {{the condition}}
  simt.guard [31 - %t] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.barrier
  }
}

// -----

// A value that depends on the thread is found through its definition.
simt.func @throughApply block %b of 1 thread %t of 64 scalars [] () {
  %lane = kernel.apply mod(%t, 32) below 32
  // expected-note @below {{the condition}}
  simt.guard [-%lane] {
    %0 = kernel.constant 1.0 : f32
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    %1 = simt.warp_reduce sum %0 : f32 -> f32
  }
}

// -----

// So is a loop that starts where the thread says.
simt.func @throughLoop block %b of 1 thread %t of 64 scalars [] () {
  simt.for %i = %t to 128 step 64 {
    // expected-note @below {{the condition}}
    simt.guard [%i - 3] {
      // expected-error @below {{is under a condition that differs between threads that must meet}}
      simt.barrier
    }
  }
}

// -----

// Whole warps may differ where only a warp meets.
simt.func @warps block %b of 1 thread %t of 64 scalars [] () {
  %warp = kernel.apply floordiv(%t, 32) below 2
  simt.guard [-%warp, -floordiv(%t, 32)] {
    %0 = kernel.constant 1.0 : f32
    %1 = simt.warp_reduce sum %0 : f32 -> f32
  }
}

// -----

simt.func @unknown block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{'n0 + x0' uses 'n0', which is neither an operand nor a scalar parameter}}
  %j = kernel.apply %t + n0 below 8
}

// -----

// expected-error @below {{has no index of the block and the thread}}
"simt.func"() <{sym_name = "none", blocks = [#graph.expr<"1">], threads = 64 : i64, scalars = []}> ({
^bb0(%b: index):
}) : () -> ()

// -----

// expected-error @below {{parameter of type 'f32' is no view}}
simt.func @scalar block %b of 1 thread %t of 64 scalars [] (%x: f32) {
}

// -----

simt.func @arguments block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{has 0 arguments, not 1 indices}}
  "simt.for"() <{from = #graph.expr<"0">, to = #graph.expr<"4">, step = #graph.expr<"1">}> ({
  ^bb0:
  }) : () -> ()
}

// -----

simt.func @stages block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{needs at least one stage}}
  simt.tile_loop to 4 stages 0 fetch (%i, %s) {
  } store (%i, %s) {
  } load (%i, %s, %k) {
  } compute (%i, %s, %k) {
  }
}

// -----

simt.func @no_fragments block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{copies asynchronously, but loads no fragments}}
  simt.tile_loop to 4 stages 2 async fetch (%i, %s) {
  } store (%i, %s) {
  } load (%i, %s, %k) {
  } compute (%i, %s, %k) {
  }
}

// -----

simt.func @variables block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{has 1 arguments, not 2 indices}}
  simt.tile_loop to 4 stages 2 fetch (%i) {
  } store (%i, %s) {
  } load (%i, %s, %k) {
  } compute (%i, %s, %k) {
  }
}

// -----

simt.func @steps block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{has 2 steps, but fragments of none}}
  simt.tile_loop to 4 stages 2 steps 2 fetch (%i, %s) {
  } store (%i, %s) {
  } load (%i, %s, %k) {
  } compute (%i, %s, %k) {
  }
}

// -----

simt.func @odd block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{has 3 steps, not an even number}}
  simt.tile_loop to 4 stages 2 steps 3 fetch (%i, %s) {
  } store (%i, %s) {
  } load (%i, %s, %k) {
    simt.barrier
  } compute (%i, %s, %k) {
  }
}

// -----

simt.func @ring block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{starts at 3 in a ring of 3}}
  simt.for %i = 0 to 4 step 1 ring 3 (%s = 3) {
  }
}

// -----

simt.func @unrolled block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{has a ring, which nothing unrolls}}
  simt.for %i = 0 to 4 step 1 unroll ring 3 (%s = 0) {
  }
}

// -----

simt.func @first block %b of 1 thread %t of 64 scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{a first value of its own type is for a variable}}
  %r = simt.registers init %0 : f32 : !simt.registers<2xf32>
}

// -----

simt.func @get block %b of 1 thread %t of 64 scalars [] () {
  %r = simt.registers : !simt.registers<f32>
  // expected-error @below {{reads another type than the registers hold}}
  %0 = simt.get %r [] : f16 from !simt.registers<f32>
}

// -----

simt.func @set block %b of 1 thread %t of 64 scalars [] () {
  %r = simt.registers : !simt.registers<f32>
  %0 = kernel.constant 1.0 : f16
  // expected-error @below {{writes another type than the registers hold}}
  simt.set %0, %r [] : f16 to !simt.registers<f32>
}

// -----

simt.func @accumulate block %b of 1 thread %t of 64 scalars [] () {
  %r = simt.registers : !simt.registers<f32>
  %0 = kernel.constant 1.0 : f16
  // expected-error @below {{combines another type than the registers hold}}
  simt.accumulate sum %0, %r [] : f16 to !simt.registers<f32>
}

// -----

simt.func @rank block %b of 1 thread %t of 64 scalars [] () {
  %r = simt.registers zero : !simt.registers<2x4xf32>
  // expected-error @below {{has 1 indices, not 2}}
  %0 = simt.get %r [1] : f32 from !simt.registers<2x4xf32>
}

// -----

simt.func @wide block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f64, read>) {
  %r = simt.registers : !simt.registers<f64, vector 4>
  // expected-error @below {{moves 32 bytes, not 1, 2, 4, 8 or 16}}
  simt.load_vector %in to %r [4*%t] into [] : !kernel.view<f64, read> to !simt.registers<f64, vector 4>
}

// -----

simt.func @element block %b of 1 thread %t of 64 scalars [] (%out: !kernel.view<f32, write>) {
  %r = simt.registers : !simt.registers<f16, vector 4>
  // expected-error @below {{moves another type than the memory holds}}
  simt.store_vector %r to %out [4*%t] from [] : !simt.registers<f16, vector 4> to !kernel.view<f32, write>
}

// -----

simt.func @mask block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f32, read>) {
  %r = simt.registers : !simt.registers<f32, vector 4>
  // expected-error @below {{needs a mask and a value for where it fails, or neither}}
  simt.load_vector %in to %r [4*%t] mask [%t - 3] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
}

// -----

simt.func @offset block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{offset 8 is no multiple of 16}}
  %s = simt.smem at 8 : !simt.smem<64xf32>
}

// -----

simt.func @loadShared block %b of 1 thread %t of 64 scalars [] () {
  %s = simt.smem : !simt.smem<64xf32>
  // expected-error @below {{loads another type than the memory holds}}
  %0 = simt.load_shared %s [%t] : f16 from !simt.smem<64xf32>
}

// -----

simt.func @storeShared block %b of 1 thread %t of 64 scalars [] () {
  %s = simt.smem : !simt.smem<64xf32>
  %0 = kernel.constant 1.0 : f16
  // expected-error @below {{stores another type than the memory holds}}
  simt.store_shared %0, %s [%t] : f16 to !simt.smem<64xf32>
}

// -----

simt.func @copyTypes block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f16, read>) {
  %s = simt.smem : !simt.smem<64xf32>
  // expected-error @below {{copies between different types}}
  simt.async_copy %in to %s [8*%t] to [8*%t] bytes 16 : !kernel.view<f16, read> to !simt.smem<64xf32>
}

// -----

simt.func @copyBytes block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f32, read>) {
  %s = simt.smem : !simt.smem<64xf32>
  // expected-error @below {{copies 32 bytes, not 4, 8 or 16}}
  simt.async_copy %in to %s [8*%t] to [8*%t] bytes 32 : !kernel.view<f32, read> to !simt.smem<64xf32>
}

// -----

simt.func @scratch block %b of 1 thread %t of 64 scalars [] () {
  %s = simt.smem at 0 : !simt.smem<1xf32>
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{needs scratch for one value per warp}}
  %1 = simt.block_reduce sum %0, %s : f32, !simt.smem<1xf32> -> f32
}

// -----

simt.func @fragment block %b of 1 thread %t of 64 scalars [] () {
  %s = simt.smem : !simt.smem<64xf32>
  %r = simt.registers : !simt.registers<6xf32>
  // expected-error @below {{fragment '!simt.registers<6xf32>' is not made of vectors of 4}}
  simt.load_fragment %s [%t] width 4 stride 8 to %r : !simt.smem<64xf32> to !simt.registers<6xf32>
}

// -----

simt.func @widenedHalves block %b of 1 thread %t of 32 scalars [] () {
  %bytes = simt.registers : !simt.registers<f16, vector 8>
  %out = simt.registers : !simt.registers<1xf32, vector 8>
  // expected-error @below {{bytes of type '!simt.registers<f16, vector 8>' are no vector of whole words}}
  simt.widen %bytes to %out : !simt.registers<f16, vector 8> to !simt.registers<1xf32, vector 8>
}

// -----

simt.func @widenedFew block %b of 1 thread %t of 32 scalars [] () {
  %bytes = simt.registers : !simt.registers<i8, vector 16>
  %out = simt.registers : !simt.registers<1xf16, vector 8>
  // expected-error @below {{results of type '!simt.registers<1xf16, vector 8>' are no vectors of as many floats of 16 bits or more}}
  simt.widen %bytes to %out : !simt.registers<i8, vector 16> to !simt.registers<1xf16, vector 8>
}

// -----

simt.func @unpackedBytes block %b of 1 thread %t of 32 scalars [] () {
  %bytes = simt.registers : !simt.registers<ui8, vector 2>
  %out = simt.registers : !simt.registers<f16, vector 2>
  %shift = kernel.constant 4 : ui8
  %offset = kernel.constant -8 : i8
  %scale = kernel.constant 0.5 : f16
  // expected-error @below {{bytes of type '!simt.registers<ui8, vector 2>' are no vector of whole words of ui8}}
  simt.unpack %bytes shift %shift offset %offset scale %scale to %out : !simt.registers<ui8, vector 2> by f16 to !simt.registers<f16, vector 2>
}

// -----

simt.func @unpackedResults block %b of 1 thread %t of 32 scalars [] () {
  %bytes = simt.registers : !simt.registers<ui8, vector 8>
  %out = simt.registers : !simt.registers<f16, vector 4>
  %shift = kernel.constant 4 : ui8
  %offset = kernel.constant -8 : i8
  %scale = kernel.constant 0.5 : f16
  // expected-error @below {{results of type '!simt.registers<f16, vector 4>' are no vector of as many f32, f16 or bf16}}
  simt.unpack %bytes shift %shift offset %offset scale %scale to %out : !simt.registers<ui8, vector 8> by f16 to !simt.registers<f16, vector 4>
}

// -----

simt.func @unpackedScale block %b of 1 thread %t of 32 scalars [] () {
  %bytes = simt.registers : !simt.registers<ui8, vector 8>
  %out = simt.registers : !simt.registers<f32, vector 8>
  %shift = kernel.constant 4 : ui8
  %offset = kernel.constant -8 : i8
  %scale = kernel.constant 0.5 : f16
  // expected-error @below {{a scale of type 'f16' is neither f32 nor of the results}}
  simt.unpack %bytes shift %shift offset %offset scale %scale to %out : !simt.registers<ui8, vector 8> by f16 to !simt.registers<f32, vector 8>
}

// -----

simt.func @fma block %b of 1 thread %t of 64 scalars [] () {
  %acc = simt.registers zero : !simt.registers<4x4xf32>
  %a = simt.registers : !simt.registers<2xf32>
  // expected-error @below {{accumulators are not lhs by rhs}}
  simt.fma_tile %acc, %a, %a : !simt.registers<4x4xf32>, !simt.registers<2xf32>, !simt.registers<2xf32>
}

// -----

simt.func @mmaFragments block %b of 1 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf16>
  %r = simt.registers : !simt.registers<4xui32>
  // expected-error @below {{fragments are [tiles][registers]}}
  simt.mma_load a %s [0] stride 8 to %r : !simt.smem<64xf16> to !simt.registers<4xui32>
}

// -----

simt.func @mmaRows block %b of 1 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf16>
  %r = simt.registers : !simt.registers<2x4xui32>
  // expected-error @below {{rows 12 apart are not aligned to 16 bytes}}
  simt.mma_load a %s [0] stride 12 to %r : !simt.smem<64xf16> to !simt.registers<2x4xui32>
}

// -----

simt.func @mmaTiles block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4xf32>
  %a = simt.registers : !simt.registers<2x4xui32>
  %c = simt.registers : !simt.registers<4x2xui32>
  // expected-error @below {{accumulators are not lhs tiles by rhs tiles by 4}}
  simt.mma %acc, %a, %c : !simt.registers<2x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
}

// -----

simt.func @mma block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xf32>
  %a = simt.registers : !simt.registers<2x4xui32>
  %c = simt.registers : !simt.registers<4x1xui32>
  // expected-error @below {{fragments are neither of K 8 nor of K 16}}
  simt.mma %acc, %a, %c : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x1xui32>
}

// -----

simt.func @columnsBeyond block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<1x4x4xf32>
  %a = simt.registers : !simt.registers<1x4xui32>
  %c = simt.registers : !simt.registers<2x2xui32>
  // expected-error @below {{rhs tiles from 3 on are none of the accumulators}}
  simt.mma %acc, %a, %c first 3 : !simt.registers<1x4x4xf32>, !simt.registers<1x4xui32>, !simt.registers<2x2xui32>
}

// -----

simt.func @columnsBefore block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<1x4x4xf32>
  %a = simt.registers : !simt.registers<1x4xui32>
  %c = simt.registers : !simt.registers<2x2xui32>
  // expected-error @below {{rhs tiles from -1 on are none of the accumulators}}
  simt.mma %acc, %a, %c first -1 : !simt.registers<1x4x4xf32>, !simt.registers<1x4xui32>, !simt.registers<2x2xui32>
}

// -----

simt.func @columnsOfAll block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<1x4x4xf32>
  %a = simt.registers : !simt.registers<1x4xui32>
  %c = simt.registers : !simt.registers<4x2xui32>
  // expected-error @below {{rhs tiles from 1 on are none of the accumulators}}
  simt.mma %acc, %a, %c first 1 : !simt.registers<1x4x4xf32>, !simt.registers<1x4xui32>, !simt.registers<4x2xui32>
}

// -----

simt.func @columnsShallow block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<1x8x4xf32>
  %a = simt.registers : !simt.registers<1x2xui32>
  %c = simt.registers : !simt.registers<4x1xui32>
  // expected-error @below {{some of the accumulators take fragments of K 16}}
  simt.mma %acc, %a, %c first 4 : !simt.registers<1x8x4xf32>, !simt.registers<1x2xui32>, !simt.registers<4x1xui32>
}

// -----

simt.func @packedRows block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xf32>
  %a = simt.registers : !simt.registers<1x4xui32>
  // expected-error @below {{fragments are not those of the accumulators' rows}}
  simt.mma_pack %acc[0] to %a : !simt.registers<2x4x4xf32> to !simt.registers<1x4xui32>
}

// -----

simt.func @packedTiles block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4xf32>
  %a = simt.registers : !simt.registers<2x4xui32>
  // expected-error @below {{fragments are not those of the accumulators' rows}}
  simt.mma_pack %acc[0] to %a : !simt.registers<2x4xf32> to !simt.registers<2x4xui32>
}

// -----

simt.func @packedDepth block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<1x4x4xf32>
  %a = simt.registers : !simt.registers<1x1xui32>
  // expected-error @below {{fragments are neither of K 8 nor of K 16}}
  simt.mma_pack %acc[0] to %a : !simt.registers<1x4x4xf32> to !simt.registers<1x1xui32>
}

// -----

simt.func @packedStep block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<1x4x4xf32>
  %a = simt.registers : !simt.registers<1x4xui32>
  // expected-error @below {{'n0' uses 'n0', which is neither an operand nor a scalar parameter}}
  simt.mma_pack %acc[n0] to %a : !simt.registers<1x4x4xf32> to !simt.registers<1x4xui32>
}

// -----

simt.func @lanes block %b of 1 thread %t of 32 scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{combines 1 lanes, not a power of two up to 32}}
  %1 = simt.warp_reduce sum %0 over 1 : f32 -> f32
}

// -----

simt.func @lanes block %b of 1 thread %t of 32 scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{combines 12 lanes, not a power of two up to 32}}
  %1 = simt.warp_reduce sum %0 over 12 : f32 -> f32
}

// -----

simt.func @lanes block %b of 1 thread %t of 32 scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-error @below {{combines 64 lanes, not a power of two up to 32}}
  %1 = simt.warp_reduce sum %0 over 64 : f32 -> f32
}

// -----

simt.func @groups block %b of 1 thread %t of 64 scalars [] () {
  %0 = kernel.constant 1.0 : f32
  // expected-note @below {{the condition}}
  simt.guard [15 - %t] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    %1 = simt.warp_reduce sum %0 over 16 : f32 -> f32
  }
}

// -----

// expected-error @below {{shared memory has one extent}}
func.func private @smem(!simt.smem<4x4xf32>)

// -----

// expected-error @below {{a block has 1 to 1024 threads, not 2048}}
simt.func @threads block %b of 1 thread %t of 2048 scalars [] () {
}

// -----

simt.func @elements block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{elements of type 'index' are no numbers}}
  %r = simt.registers : !simt.registers<2xindex>
}

// -----

simt.func @vectors block %b of 1 thread %t of 64 scalars [] () {
  // expected-error @below {{a vector of 0 elements}}
  %r = simt.registers : !simt.registers<2xf32, vector 0>
}

// -----

// expected-error @below {{has 2 parts of a workspace, more than parameters}}
simt.func @workspace block %b of 1 thread %t of 64 scalars [] workspace [8, 8] (%sums: !kernel.view<f32, readwrite>) {
}

// -----

// expected-error @below {{a workspace of '!kernel.view<f16, readwrite>' holds no words}}
simt.func @halfSums block %b of 1 thread %t of 64 scalars [] workspace [8] (%sums: !kernel.view<f16, readwrite>) {
}

// -----

simt.func @alone block %b of 1 thread %t of 64 scalars [] workspace [1] (%counters: !kernel.view<ui32, readwrite>) {
  %s = simt.smem at 0 : !simt.smem<1xui32>
  // expected-error @below {{one block alone is the last one}}
  simt.last_block %counters[0] of [1] scratch %s {
  } : !kernel.view<ui32, readwrite>, !simt.smem<1xui32>
}

// -----

simt.func @floats block %b of 2 thread %t of 64 scalars [] workspace [1] (%counters: !kernel.view<f32, readwrite>) {
  %s = simt.smem at 0 : !simt.smem<1xui32>
  // expected-error @below {{counts by elements of ui32, and wants scratch of ui32}}
  simt.last_block %counters[0] of [2] scratch %s {
  } : !kernel.view<f32, readwrite>, !simt.smem<1xui32>
}

// -----

simt.func @someThreads block %b of 2 thread %t of 64 scalars [] workspace [1] (%counters: !kernel.view<ui32, readwrite>) {
  %s = simt.smem at 0 : !simt.smem<1xui32>
  // expected-note @below {{the condition}}
  simt.guard [31 - %t] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.last_block %counters[0] of [2] scratch %s {
    } : !kernel.view<ui32, readwrite>, !simt.smem<1xui32>
  }
}

// -----

simt.func @floatsMeet block %b of 2 thread %t of 64 scalars [] workspace [1] (%counters: !kernel.view<f32, readwrite>) {
  // expected-error @below {{counts by elements of ui32}}
  simt.grid_barrier %counters arrivals[2] : !kernel.view<f32, readwrite>
}

// -----

simt.func @clustersMeet block %b of 2 cluster 2 thread %t of 64 scalars [] workspace [1] (%counters: !kernel.view<ui32, readwrite>) {
  // expected-error @below {{is for blocks without clusters}}
  simt.grid_leave %counters arrivals[2] : !kernel.view<ui32, readwrite>
}

// -----

simt.func @someMeet block %b of 2 thread %t of 64 scalars [] workspace [1] (%counters: !kernel.view<ui32, readwrite>) {
  // expected-note @below {{the condition}}
  simt.guard [31 - %t] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.grid_barrier %counters arrivals[2] : !kernel.view<ui32, readwrite>
  }
}

// -----

simt.func @pairTypes block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f16, read>) {
  %s = simt.smem : !simt.smem<64xbf16>
  // expected-error @below {{copies between different types}}
  simt.async_pair %in to %s [2*%t] to [2*%t] count [2] : !kernel.view<f16, read> to !simt.smem<64xbf16>
}

// -----

simt.func @pairBytes block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f32, read>) {
  %s = simt.smem : !simt.smem<64xf32>
  // expected-error @below {{copies elements of 4 bytes, not of 2}}
  simt.async_pair %in to %s [2*%t] to [2*%t] count [2] : !kernel.view<f32, read> to !simt.smem<64xf32>
}

// -----

simt.func @pairSwizzle block %b of 1 thread %t of 64 scalars [] (%in: !kernel.view<f16, read>) {
  %s = simt.smem : !simt.smem<512xf16, swizzle 128>
  // expected-error @below {{accesses memory with a swizzle of 128 bytes}}
  simt.async_pair %in to %s [2*%t] to [2*%t] count [2] : !kernel.view<f16, read> to !simt.smem<512xf16, swizzle 128>
}

// -----

simt.func @fragmentOfPairs block %b of 1 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf32>
  %a = simt.registers : !simt.registers<1x4xui32>
  // expected-error @below {{loads elements of 4 bytes, not of 2}}
  simt.mma_load_pair %s[2*%t] first [] second [] into [0, 0] of %a : !simt.smem<64xf32> to !simt.registers<1x4xui32>
}

// -----

simt.func @pairsOfFloats block %b of 1 thread %t of 32 scalars [] () {
  %s = simt.smem : !simt.smem<64xf16>
  %a = simt.registers : !simt.registers<1x4xf32>
  // expected-error @below {{fills fragments of ui32}}
  simt.mma_load_pair %s[2*%t] first [] second [] into [0, 0] of %a : !simt.smem<64xf16> to !simt.registers<1x4xf32>
}

// -----

simt.func @warpsApart block %b of 1 thread %t of 64 scalars [] () {
  // expected-note @below {{the condition}}
  simt.guard [-%t + 8] {
    // expected-error @below {{is under a condition that differs between threads that must meet}}
    simt.warp_barrier
  }
}

// -----

simt.func @overSmaller block %b of 1 thread %t of 64 scalars [] () {
  %s = simt.smem : !simt.smem<64xf16>
  // expected-error @below {{has no place in '!simt.smem<64xf16>'}}
  %o = simt.smem over %s : !simt.smem<64xf16> as : !simt.smem<64xf32>
}

// -----

simt.func @mmaSingles block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xf32>
  %a = simt.registers : !simt.registers<2x2xui32>
  %c = simt.registers : !simt.registers<4x1xui32>
  // expected-error @below {{f32 operands have two registers of rhs, for all accumulators}}
  simt.mma %acc, %a, %c as tf32 : !simt.registers<2x4x4xf32>, !simt.registers<2x2xui32>, !simt.registers<4x1xui32>
}

// -----

simt.func @mmaBytesSingles block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xi32>
  %a = simt.registers : !simt.registers<2x2xui32>
  %c = simt.registers : !simt.registers<4x1xui32>
  // expected-error @below {{bytes have two registers of rhs, for all accumulators}}
  simt.mma %acc, %a, %c as ui8_i8 : !simt.registers<2x4x4xi32>, !simt.registers<2x2xui32>, !simt.registers<4x1xui32>
}

// -----

simt.func @mmaBytesInFloat block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xf32>
  %a = simt.registers : !simt.registers<2x4xui32>
  %c = simt.registers : !simt.registers<4x2xui32>
  // expected-error @below {{accumulates in 'f32', not in i32}}
  simt.mma %acc, %a, %c as i8 : !simt.registers<2x4x4xf32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
}

// -----

simt.func @mmaFloat8InIntegers block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xi32>
  %a = simt.registers : !simt.registers<2x4xui32>
  %c = simt.registers : !simt.registers<4x2xui32>
  // expected-error @below {{accumulates in 'i32', not in f32}}
  simt.mma %acc, %a, %c as e4m3 : !simt.registers<2x4x4xi32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
}

// -----

simt.func @mmaHalvesInIntegers block %b of 1 thread %t of 32 scalars [] () {
  %acc = simt.registers zero : !simt.registers<2x4x4xi32>
  %a = simt.registers : !simt.registers<2x4xui32>
  %c = simt.registers : !simt.registers<4x2xui32>
  // expected-error @below {{accumulates in 'i32', not in f32}}
  simt.mma %acc, %a, %c : !simt.registers<2x4x4xi32>, !simt.registers<2x4xui32>, !simt.registers<4x2xui32>
}

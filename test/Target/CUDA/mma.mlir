// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-to-simt)' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-to-simt,simt.func(simt-pipeline-copies))' | FileCheck %s --check-prefix=PIPE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-to-simt,simt.func(simt-pipeline-copies,simt-hoist-positions))' | FileCheck %s --check-prefix=HOIST

// CHECK-LABEL: simt.func @plain
// CHECK: simt.smem : <6144xf16, swizzle 64>
// CHECK: simt.smem : <6144xf16, swizzle 128>
// CHECK: simt.tile_loop to 3 stages 3 steps 2 async fetch
// CHECK: simt.async_copy %{{.*}} bytes 16
// CHECK: } load (
// CHECK: simt.mma_load a %{{.*}} stride 32
// CHECK: simt.mma_load b %{{.*}} stride 64
// CHECK: } compute (
// CHECK-NEXT: simt.mma %{{.*}} : <2x4x4xf32>, <2x4xui32>, <4x2xui32>

// Two groups under way, one wait and one barrier an iteration, in which no product waits for fragments that were not
// loaded before the one ahead of it. Behind the last tile copies bring zeros.
// PIPE-LABEL: simt.func @plain
// PIPE: simt.async_copy
// PIPE: simt.async_commit
// PIPE: simt.async_copy
// PIPE: simt.async_commit
// PIPE-NEXT: simt.async_wait 1
// PIPE-NEXT: simt.barrier
// PIPE-NEXT: simt.mma_load a %[[LHS:.*]][1024*%[[WM:.*]]] {{.*}} to %[[A0:.*]] :
// PIPE-NEXT: simt.mma_load b %{{.*}} to %[[B0:.*]] :
// PIPE-NEXT: simt.for %[[KT:.*]] = 0 to 3 step 1 ring 3 (%[[S:.*]] = 0, %[[NEXT:.*]] = 1, %[[FILLED:.*]] = 2) {
// PIPE-NEXT: simt.mma_load a %[[LHS]][1024*%[[WM]] + 2048*%[[S]] + 16] {{.*}} to %[[A1:.*]] :
// PIPE-NEXT: simt.mma_load b %{{.*}} to %[[B1:.*]] :
// PIPE: simt.async_copy %{{.*}} to [2048*%[[FILLED]] + {{.*}}] mask [-%[[KT]]]
// PIPE: simt.async_commit
// PIPE-NEXT: simt.mma %[[ACC:.*]], %[[A0]], %[[B0]] :
// PIPE-NEXT: simt.async_wait 1
// PIPE-NEXT: simt.barrier
// PIPE-NEXT: simt.mma_load a %[[LHS]][1024*%[[WM]] + 2048*%[[NEXT]]] {{.*}} to %[[A0]] :
// PIPE-NEXT: simt.mma_load b %{{.*}} to %[[B0]] :
// PIPE-NEXT: simt.mma %[[ACC]], %[[A1]], %[[B1]] :

// In the main loop, positions are apart by constants and by what a tile adds; before it by constants.
// HOIST-LABEL: simt.func @plain
// HOIST-SAME: thread %[[T:.*]] of
// HOIST: %[[AHEAD:.*]] = simt.advance %{{.*}}[8*%[[T]] + 2048]
// HOIST-NEXT: simt.for %[[J:.*]] = 0 to 2 step 1 unroll
// HOIST: simt.async_copy %[[AHEAD]] to %{{.*}} [1024*%[[J]]] to
// HOIST: %[[LHS:.*]] = simt.advance %{{.*}}[96*floordiv(%[[T]], 4) + 8*mod(%[[T]], 4)]
// HOIST-NEXT: %[[RHS:.*]] = simt.advance %{{.*}}[8*%[[T]]]
// HOIST-NEXT: simt.for %[[KT:.*]] = 0 to 3 step 1 ring
// HOIST: %[[LHS_TILE:.*]] = simt.advance %[[LHS]][32*%[[KT]] + 64]
// HOIST-NEXT: simt.for %[[I:.*]] = 0 to 2 step 1 unroll
// HOIST: simt.async_copy %[[LHS_TILE]] to %{{.*}} [3072*%[[I]]] to
// HOIST: %[[RHS_TILE:.*]] = simt.advance %[[RHS]][2048*%[[KT]] + 4096]
// HOIST-NEXT: simt.for %[[J:.*]] = 0 to 2 step 1 unroll
// HOIST: simt.async_copy %[[RHS_TILE]] to %{{.*}} [1024*%[[J]]] to
kernel.func @plain gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 3, mma_k 16, async true>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 64, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}

// Older ones multiply half as deep.
// CHECK-LABEL: simt.func @older
// CHECK-NOT: simt.async
// CHECK: simt.tile_loop to 3 stages 2 steps 4 fetch
// CHECK: simt.mma %{{.*}} : <2x4x4xf32>, <2x2xui32>, <4x1xui32>
kernel.func @older gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 2, mma_k 8, async false>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 64, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}

// A computed operand goes through registers.
// SCHEDULE: @prologue {{.*}} schedule #cuda.gemm_mma<{{.*}}, stages 2, mma_k 16, async false>
// CHECK-LABEL: simt.func @prologue
// CHECK: simt.tile_loop
// CHECK-NOT: simt.async
// CHECK: kernel.unary tanh

// What was fetched before the products of a tile is stored behind them, into the other buffer.
// PIPE-LABEL: simt.func @prologue
// PIPE: simt.barrier
// PIPE: simt.for %[[KT:.*]] = 0 to 3 step 1 ring 2 (%[[S:.*]] = 0, %[[NEXT:.*]] = 1, %{{.*}} = 1) {
// PIPE: %[[AHEAD:.*]] = kernel.apply min(%[[KT]], 1) + 1 below 3
// PIPE-NOT: simt.guard
// PIPE: kernel.unary tanh
// PIPE: simt.mma
// PIPE: simt.store_vector %{{.*}}*%[[NEXT]]
// PIPE: simt.barrier
// PIPE: simt.mma_load a %{{.*}}*%[[NEXT]]
kernel.func @prologue gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 2, mma_k 16, async false>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 64, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2] : f16 from !kernel.view<f16, read>
    %2 = kernel.unary tanh %1 : f16 -> f16
    kernel.yield %2 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}

// Two blocks share a depth: each leaves its sums, the last one adds all of them, in order.
// CHECK-LABEL: simt.func @split
// CHECK-SAME: block %[[B:.*]] of 4 thread
// CHECK-SAME: workspace [16384, 2] (%{{.*}}, %[[SUMS:[a-z0-9]*]]: !kernel.view<f32, readwrite>, %[[COUNTERS:.*]]: !kernel.view<ui32, readwrite>)
// CHECK: %[[PART:.*]] = kernel.apply floordiv(%[[B]], 2) below 2
// CHECK: simt.tile_loop to 4 stages 4 steps 4 async fetch (%[[KT:.*]], %{{.*}}) {
// CHECK: kernel.apply 256*%[[PART]] + 64*%[[KT]] + {{.*}} below 512
// CHECK: } compute
// CHECK: kernel.store %{{.*}}, %[[SUMS]][
// CHECK: simt.last_block %[[COUNTERS]][%{{.*}}] of [2] scratch %{{.*}} {
// CHECK-NEXT: simt.for %[[P:.*]] = 0 to 2 step 1 {
// CHECK: kernel.load %[[SUMS]][{{.*}} + 4096*%[[P]] + {{.*}}]
// CHECK: simt.accumulate sum
// CHECK: simt.store_vector %{{.*}} to %{{.*}} : <f16, vector 8>
kernel.func @split gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x64, warps 2x2, slices 1, stages 4, mma_k 16, async true, split 2>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 128, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[512*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 128*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "128">
  kernel.foreach (%d3, %d4) in [64, 128] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[128*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}

// Many tiles of columns: neighbours in groups of four rows, so that blocks under way together read few of either.
// CHECK-LABEL: simt.func @many
// CHECK-SAME: block %[[B:.*]] of 128 thread
// CHECK: kernel.apply mod(floordiv(%[[B]], 4), 32) below 32
// CHECK: kernel.apply mod(%[[B]], 4) below 4
kernel.func @many gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x64, warps 2x2, slices 1, stages 4, mma_k 16, async true>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [256, 2048, 512] lhs (%d0, %d2) {
    %1 = kernel.load %in0[512*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[2048*%d2 + %d1] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "256", "2048">
  kernel.foreach (%d0, %d1) in [256, 2048] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "256", "2048">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[2048*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Bytes: fragments of 32 of them along both operands' rows, sums of i32.
// CHECK-LABEL: simt.func @bytes
// CHECK: simt.registers zero : <2x4x4xi32>
// CHECK: simt.smem : <{{.*}}xui8, swizzle 64>
// CHECK: simt.smem : <{{.*}}xi8, swizzle 64>
// CHECK: simt.tile_loop to 3 stages 3 steps 2 async fetch
// CHECK: simt.async_copy %{{.*}} bytes 16
// CHECK: } load (
// CHECK: simt.mma_load a %{{.*}} stride 64
// CHECK: simt.mma_load bt %{{.*}} stride 64
// CHECK: } compute (
// CHECK-NEXT: simt.mma %{{.*}} as ui8_i8 : <2x4x4xi32>, <2x4xui32>, <4x2xui32>
kernel.func @bytes gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x64, warps 2x2, slices 1, stages 3, mma_k 32, async true>
    (%in0: !kernel.view<ui8, read>, %in1: !kernel.view<i8, read>, %out0: !kernel.view<i32, write>) {
  %0 = kernel.dot [64, 64, 192] lhs (%d0, %d2) {
    %1 = kernel.load %in0[192*%d0 + %d2] : ui8 from !kernel.view<ui8, read>
    kernel.yield %1 : ui8
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[192*%d1 + %d2] : i8 from !kernel.view<i8, read>
    kernel.yield %1 : i8
  } : !kernel.tile<i32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : i32 from !kernel.tile<i32, "64", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : i32 to !kernel.view<i32, write>
  }
}

// No ldmatrix turns bytes: columns as neighbours are stored one by one, through registers. A border of another number than 0
// comes so, too.
// CHECK-LABEL: simt.func @turned_bytes
// CHECK: simt.tile_loop to 3 stages 2 steps 2 fetch
// CHECK: simt.load_vector {{.*}} else
// CHECK: simt.store_shared
// CHECK: simt.mma_load bt
kernel.func @turned_bytes gemm grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x64, warps 2x2, slices 1, stages 3, mma_k 32, async true>
    (%in0: !kernel.view<ui8, read>, %in1: !kernel.view<i8, read>, %out0: !kernel.view<i32, write>) {
  %0 = kernel.dot [64, 64, 192] lhs (%d0, %d2) {
    %z = kernel.constant 7 : ui8
    %1 = kernel.load %in0[192*%d0 + %d2 - 192] mask [%d0 - 1] else %z : ui8 : ui8 from !kernel.view<ui8, read>
    kernel.yield %1 : ui8
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[64*%d2 + %d1] : i8 from !kernel.view<i8, read>
    kernel.yield %1 : i8
  } : !kernel.tile<i32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : i32 from !kernel.tile<i32, "64", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : i32 to !kernel.view<i32, write>
  }
}

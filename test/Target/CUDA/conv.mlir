// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s

// Channels last: neighbours along k are neighbours in memory, and a vector's elements share
// their tap. A tile of k lies within a tap, so its digits are those of the tile.
// SCHEDULE-LABEL: @aligned conv
// SCHEDULE-SAME: schedule #cuda.gemm<
// CHECK-LABEL: simt.func @aligned
// CHECK-SAME: thread %[[T:.*]] of {{[0-9]*}} scalars
// CHECK: simt.tile_loop to 36 stages 2 fetch (%[[KT:.*]], %{{.*}}) {
// CHECK: %[[D0:.*]] = kernel.apply {{.*}} below 3136
// CHECK: simt.load_vector %{{.*}} [64*%[[D0]] + 3584*floordiv(%[[KT]], 12) + 4*mod(%[[T]], 4) + 16*mod(%[[KT]], 12) - 3584]
// CHECK-SAME: mask [floordiv(%[[KT]], 12) + floordiv(%[[D0]], 56) - 1
kernel.func @aligned conv grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [3136, 64, 576] lhs (%d0, %d2) {
    %z = kernel.constant 0.0 : f32
    %1 = kernel.load %in0[64*%d0 + 3584*floordiv(%d2, 192) + mod(%d2, 192) - 3584]
        mask [floordiv(%d0, 56) + floordiv(%d2, 192) - 1, -floordiv(%d0, 56) - floordiv(%d2, 192) + 56]
        else %z : f32 : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach (%d3, %d4) in [3136, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "3136", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Three channels: the elements of a vector could belong to two taps.
// SCHEDULE-LABEL: @ragged conv
// SCHEDULE-SAME: schedule #cuda.gemm<
// CHECK-LABEL: simt.func @ragged
// CHECK-NOT: simt.load_vector %arg0
// CHECK: kernel.load %{{.*}} mask
kernel.func @ragged conv grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [3136, 64, 27] lhs (%d0, %d2) {
    %z = kernel.constant 0.0 : f32
    %1 = kernel.load %in0[3*%d0 + 168*floordiv(%d2, 9) + mod(%d2, 9) - 168]
        mask [floordiv(%d0, 56) + floordiv(%d2, 9) - 1] else %z : f32 : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach (%d3, %d4) in [3136, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "3136", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// The operands of a concatenation meet between two vectors.
// SCHEDULE-LABEL: @joined conv
// SCHEDULE-SAME: schedule #cuda.gemm<
// CHECK-LABEL: simt.func @joined
// CHECK: %[[D0:.*]] = kernel.apply {{.*}} below 3136
// CHECK: %[[D2:.*]] = kernel.apply {{.*}} below 64
// CHECK: simt.load_vector %arg0 to %{{.*}} [32*%[[D0]] + %[[D2]] - 32] mask [%[[D2]] - 32] into [] else
// CHECK: simt.load_vector %arg1 to %{{.*}} [32*%[[D0]] + %[[D2]]] mask [-%[[D2]] + 31] into [] else
kernel.func @joined conv grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %in2: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [3136, 64, 64] lhs (%d0, %d2) {
    %z = kernel.constant 0.0 : f32
    %1 = kernel.load %in0[32*%d0 + %d2 - 32] mask [%d2 - 32] else %z : f32 : f32 from !kernel.view<f32, read>
    %2 = kernel.load %in1[32*%d0 + %d2] mask [-%d2 + 31] else %z : f32 : f32 from !kernel.view<f32, read>
    %3 = kernel.in_range [-%d2 + 31]
    %4 = kernel.select %3, %2, %1 : f32
    kernel.yield %4 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in2[%d1 + 64*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach (%d3, %d4) in [3136, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "3136", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// cp.async writes zeros where the mask fails.
// SCHEDULE-LABEL: @half conv
// SCHEDULE-SAME: schedule #cuda.gemm_mma<
// CHECK-LABEL: simt.func @half
// CHECK: simt.tile_loop {{.*}} async fetch (%[[KT:.*]], %{{.*}}) {
// CHECK: %[[D0:.*]] = kernel.apply {{.*}} below 3136
// CHECK: simt.async_copy %{{.*}} [64*%[[D0]] + 3584*floordiv(%[[KT]], 6) {{.*}} mask [floordiv(%[[KT]], 6) + floordiv(%[[D0]], 56) - 1] bytes 16
// CHECK: simt.mma
kernel.func @half conv grid () in [] scalars []
    schedule #cuda.gemm_mma<tile 64x64x32, warps 2x2, slices 1, stages 3, mma_k 16, async true>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [3136, 64, 576] lhs (%d0, %d2) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[64*%d0 + 3584*floordiv(%d2, 192) + mod(%d2, 192) - 3584]
        mask [floordiv(%d0, 56) + floordiv(%d2, 192) - 1] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "3136", "64">
  kernel.foreach (%d3, %d4) in [3136, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "3136", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}

// A small result and a long depth: four parts of each tile's k, two of them in the memory of either operand, added up in
// one order by all threads.
// SCHEDULE-LABEL: @deep conv
// SCHEDULE-SAME: schedule #cuda.gemm<tile 16x32x64, thread 4x4, slices 4>
// CHECK-LABEL: simt.func @deep
// CHECK-SAME: thread %[[T:.*]] of {{[0-9]*}} scalars
// CHECK: %[[TK:.*]] = kernel.apply floordiv(%[[T]], 32) below 4
// CHECK: %[[A:.*]] = simt.smem : <2560xf32>
// CHECK: %[[B:.*]] = simt.smem : <4608xf32>
// CHECK: simt.load_fragment %{{.*}}%[[TK]]
// CHECK: simt.barrier
// CHECK: %[[FIRST:.*]] = simt.smem over %[[A]]
// CHECK: %[[SECOND:.*]] = simt.smem over %[[B]]
// CHECK: simt.guard [-%[[TK]] + 1]
// CHECK: simt.store_vector {{.*}}%[[FIRST]]
// CHECK: simt.guard [%[[TK]] - 2]
// CHECK: simt.store_vector {{.*}}%[[SECOND]]
// CHECK: simt.barrier
// CHECK: simt.load_vector %[[FIRST]]
// CHECK: simt.accumulate sum
// CHECK: simt.load_vector %[[SECOND]]
// CHECK: simt.accumulate sum
// CHECK: simt.store_vector
kernel.func @deep conv grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [49, 512, 2048] lhs (%d0, %d2) {
    %1 = kernel.load %in0[2048*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 512*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "49", "512">
  kernel.foreach (%d3, %d4) in [49, 512] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "49", "512">
    kernel.store %1, %out0[512*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

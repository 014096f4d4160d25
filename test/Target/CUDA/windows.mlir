//===- test/Target/CUDA/windows.mlir - convolutions by warpgroups, whose windows tensor copies bring ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}),kernel-to-simt)' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_90a}),kernel-share)' | FileCheck %s --check-prefix=SHARED
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}),kernel-share)' | FileCheck %s --check-prefix=OLDER

// 3 by 3, padded by 1: what lies outside of the image is outside of the tensor. A tile of k has 64 of 128 channels of a
// tap, a tile of rows begins at any place.
// SCHEDULE: @padded {{.*}} schedule #cuda.gemm_wgmma<
// CHECK: simt.func @padded
// CHECK-SAME: maps [#simt.tensor_map<0 offset "0" extents ["128", "28", "28", "n0"] strides ["1", "128", "3584", "100352"]
// CHECK-SAME: box [64, 128, 1, 1] swizzle 128 window from [-1, -1] to [-1, -1] by [1, 1]>
// CHECK: simt.tensor_copy 0 to %{{.*}} for %{{.*}} at [64*mod(%[[KT:.*]], 2), 4*mod(4*%[[M:.*]], 7) - 1, mod(4*%[[M]] + floordiv(4*%[[M]], 7), 28) - 1, floordiv(8*%[[M]], 49)]
// CHECK-SAME: tap [mod(floordiv(%[[KT]], 2), 3), floordiv(%[[KT]], 6)] to
kernel.func @padded conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [784*n0, 128, 1152] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[128*%m + mod(%k, 128) + 128*mod(floordiv(%k, 128), 3) + 3584*floordiv(%k, 384) - 3712]
        mask [mod(floordiv(%m, 28), 28) + floordiv(%k, 384) - 1, -mod(floordiv(%m, 28), 28) - floordiv(%k, 384) + 28,
              mod(%m, 28) + mod(floordiv(%k, 128), 3) - 1, -mod(%m, 28) - mod(floordiv(%k, 128), 3) + 28]
        else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "784*n0", "128">
  kernel.foreach (%d0, %d1) in [784*n0, 128] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "784*n0", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[128*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Numbers of such kernels stay in their text, where others of one form are one.
// SHARED: @padded {{.*}} scalars [#kernel.scalar<1, 0, 1>]
// SHARED: @smaller {{.*}} scalars [#kernel.scalar<1, 0, 1>]
// OLDER: @padded {{.*}} scalars [#kernel.scalar<1, 0, 1>, #kernel.scalar<
// OLDER-NOT: @smaller
// OLDER: @every_other
kernel.func @smaller conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [196*n0, 128, 1152] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[128*%m + mod(%k, 128) + 128*mod(floordiv(%k, 128), 3) + 1792*floordiv(%k, 384) - 1920]
        mask [mod(floordiv(%m, 14), 14) + floordiv(%k, 384) - 1, -mod(floordiv(%m, 14), 14) - floordiv(%k, 384) + 14,
              mod(%m, 14) + mod(floordiv(%k, 128), 3) - 1, -mod(%m, 14) - mod(floordiv(%k, 128), 3) + 14]
        else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "196*n0", "128">
  kernel.foreach (%d0, %d1) in [196*n0, 128] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "196*n0", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[128*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// One tap, every other place: a coordinate is a place that is read; rows of all images are an axis.
// SCHEDULE: @every_other {{.*}} schedule #cuda.gemm_wgmma<
// CHECK: simt.func @every_other
// CHECK-SAME: extents ["256", "28", "28*n0"] strides ["1", "512", "28672"]
// CHECK-SAME: window from [0] to [0] by [1]>
// CHECK: simt.tensor_copy 0 {{.*}} tap [0] to
kernel.func @every_other conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [784*n0, 512, 256] lhs (%m, %k) {
    %1 = kernel.load %in0[512*mod(%m, 28) + 28672*floordiv(%m, 28) + %k] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[512*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "784*n0", "512">
  kernel.foreach (%d0, %d1) in [784*n0, 512] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "784*n0", "512">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[512*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// 96 channels: a tile of k has some of two taps.
// SCHEDULE: @two_taps {{.*}} schedule #cuda.gemm_mma<
kernel.func @two_taps conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [784*n0, 128, 864] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[96*%m + mod(%k, 96) + 96*mod(floordiv(%k, 96), 3) + 2688*floordiv(%k, 288) - 2784]
        mask [mod(floordiv(%m, 28), 28) + floordiv(%k, 288) - 1, -mod(floordiv(%m, 28), 28) - floordiv(%k, 288) + 28,
              mod(%m, 28) + mod(floordiv(%k, 96), 3) - 1, -mod(%m, 28) - mod(floordiv(%k, 96), 3) + 28]
        else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "784*n0", "128">
  kernel.foreach (%d0, %d1) in [784*n0, 128] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "784*n0", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[128*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// A mask that is no border of the image: some channels are left out.
// SCHEDULE: @channels_masked {{.*}} schedule #cuda.gemm_mma<
kernel.func @channels_masked conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [784*n0, 128, 1152] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[128*%m + mod(%k, 128) + 128*mod(floordiv(%k, 128), 3) + 3584*floordiv(%k, 384)]
        mask [-mod(%k, 128) + 99] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "784*n0", "128">
  kernel.foreach (%d0, %d1) in [784*n0, 128] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "784*n0", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[128*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Masks of an image that is not the one whose places are counted: the sum of both axes.
// SCHEDULE: @slanted {{.*}} schedule #cuda.gemm_mma<
kernel.func @slanted conv grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [784*n0, 128, 1152] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[128*%m + mod(%k, 128) + 128*mod(floordiv(%k, 128), 3) + 3584*floordiv(%k, 384)]
        mask [mod(floordiv(%m, 28), 28) + mod(%m, 28) - 1] else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[128*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "784*n0", "128">
  kernel.foreach (%d0, %d1) in [784*n0, 128] {
    %1 = kernel.extract %0 [%d0, %d1] : f32 from !kernel.tile<f32, "784*n0", "128">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[128*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

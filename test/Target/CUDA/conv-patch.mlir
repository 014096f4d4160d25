// RUN: cupola-opt %s --split-input-file --pass-pipeline='builtin.module(kernel.func(kernel-pad-depth,kernel-choose-schedule))' | FileCheck %s
// RUN: cupola-opt %s --split-input-file --pass-pipeline='builtin.module(kernel.func(kernel-pad-depth{arch=sm_75},kernel-choose-schedule{arch=sm_75}))' | FileCheck %s --check-prefix=OLD
// RUN: cupola-translate --kernel-to-cuda %s --split-input-file | FileCheck %s --check-prefix=CUDA

// Three channels, rows of 42 elements: a run of nine begins at an odd element, after one that is zero.
// CHECK-LABEL: kernel.func @stem
// CHECK-SAME: schedule #cuda.conv_patch<rows 16, columns 32, tiles {{[0-9]}}>
// CHECK: kernel.dot [98, 32, 27]
// cp.async is missing: groups of four come through registers.
// OLD-LABEL: kernel.func @stem
// OLD-SAME: schedule #cuda.gemm_mma<
// OLD: kernel.dot [98, 32, 36]

kernel.func @stem conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [98, 32, 27] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[588*floordiv(%m, 49) + 84*mod(floordiv(%m, 7), 7) + 6*mod(%m, 7) + 42*floordiv(%k, 9) + mod(%k, 9) - 45]
        mask [2*mod(floordiv(%m, 7), 7) + floordiv(%k, 9) - 1, 2*mod(%m, 7) + mod(floordiv(%k, 3), 3) - 1]
        else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[32*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "98", "32">
  kernel.foreach (%m, %n) in [98, 32] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "98", "32">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[32*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Weights once, in the order of the runs, and the patch of the first tile.
// CUDA: schedule=conv_patch
// CUDA: schedule=conv_patch
// CUDA: cp_async<8>({{.*}} row % 16 > 0 && 9 >= row % 16);
// CUDA: cp_async_pair(s0 + {{.*}} ? {{.*}}lane{{.*}} : 0);
// CUDA: cp_async_commit();
// CUDA: for (i32 i = 0, s = 0, next = 1; i < 2;
// CUDA-NEXT: cp_async_wait<0>();
// CUDA-NEXT: cu_barrier();
// CUDA: mma_load_pair(s0 + {{.*}}, 2 * (lane % 4) > 0, true);
// CUDA: mma_load_b<64>(r[[B:[0-9]]], s1 + 0, 32);
// CUDA: warp_mma_tile(r0, r{{[0-9]}}, r[[B]]);
// Between the products that of the next tile.
// CUDA: cp_async_pair({{.*}}, 0 >= i && {{.*}} ? {{.*}} : 0);
// CUDA: warp_mma_tile(
// Sums go through shared memory, eight rows of a warp at a time, to whole vectors.
// CUDA: st_vec(s2 + {{.*}}, r
// CUDA: cu_syncwarp();
// CUDA: ld_vec<f32, 4>(s2 +
// CUDA: st_vec(out0 +
// CUDA: cu_syncwarp();
kernel.func @two conv grid () in [] scalars []
    schedule #cuda.conv_patch<rows 16, columns 32, tiles 2>
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [98, 32, 27] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[588*floordiv(%m, 49) + 84*mod(floordiv(%m, 7), 7) + 6*mod(%m, 7) + 42*floordiv(%k, 9) + mod(%k, 9) - 45]
        mask [2*mod(floordiv(%m, 7), 7) + floordiv(%k, 9) - 1, 2*mod(%m, 7) + mod(floordiv(%k, 3), 3) - 1]
        else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[32*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "98", "32">
  kernel.foreach (%m, %n) in [98, 32] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "98", "32">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[32*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Rows of 45 elements begin at odd ones in turns: no pair of elements can be copied.
// CHECK-LABEL: kernel.func @odd
// CHECK-SAME: schedule #cuda.gemm_mma<
kernel.func @odd conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [49, 32, 27] lhs (%m, %k) {
    %1 = kernel.load %in0[90*floordiv(%m, 7) + 6*mod(%m, 7) + 45*floordiv(%k, 9) + mod(%k, 9)] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[32*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "49", "32">
  kernel.foreach (%m, %n) in [49, 32] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "49", "32">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[32*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// Neighbouring places are three elements apart.
// CHECK-LABEL: kernel.func @stride_one
// CHECK-SAME: schedule #cuda.gemm_mma<
kernel.func @stride_one conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [144, 32, 27] lhs (%m, %k) {
    %1 = kernel.load %in0[42*floordiv(%m, 12) + 3*mod(%m, 12) + 42*floordiv(%k, 9) + mod(%k, 9)] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[32*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "144", "32">
  kernel.foreach (%m, %n) in [144, 32] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "144", "32">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[32*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// -----

// What a group of the image has cp.async bring, it brings.
// CHECK-LABEL: kernel.func @four
// CHECK-SAME: schedule #cuda.gemm_mma<{{.*}} async true>
kernel.func @four conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [49, 32, 36] lhs (%m, %k) {
    %1 = kernel.load %in0[120*floordiv(%m, 7) + 8*mod(%m, 7) + 60*floordiv(%k, 12) + mod(%k, 12)] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[32*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "49", "32">
  kernel.foreach (%m, %n) in [49, 32] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "49", "32">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[32*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

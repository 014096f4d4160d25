//===- test/Target/CUDA/recurrence.mlir - all steps of a loop over states in one launch ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-translate --kernel-to-cuda --arch=sm_80 %s | FileCheck %s
// RUN: cupola-translate --kernel-to-cuda --arch=sm_90a %s | FileCheck %s --check-prefix=SM90A

// Three blocks of eight units each for both directions. Two blocks have room on a multiprocessor. Weights come once; a thread's states stay
// with it. In each of the steps of a tile of rows what others need is written to one of two places, all blocks meet, and what the product reads
// of the others comes to shared memory; what the map reads of the input is under way meanwhile. Such a launch begins when the one before it has
// ended.
// SM90A-NOT: grid_wait
// CHECK: CUPOLA_KERNEL(64, 2)
// CHECK: const i32 direction = b / 3;
// CHECK: const i32 firstUnit = 8 * (b % 3);
// CHECK: f32 [[W:r[0-9]+]][8] = {};
// CHECK: CUPOLA_UNROLL
// CHECK: = in1[
// CHECK: [[W]][i] =
// CHECK: for (i32 tile = 0; tile < 2; ++tile) {
// CHECK: for (i32 j = 0; j < 5; ++j) {
// CHECK: io0[{{.*}} + 40 * ((tile + j) % 2)] =
// CHECK: cu_grid_barrier(io1, 30 * tile + 6 * j + 6);
// CHECK: for (i32 v = t; v < 16; v += 64) {
// CHECK: ld_vec<f32, 4>(io0
// CHECK: st_vec(
// CHECK: = in0[
// CHECK: cu_barrier();
// CHECK: for (i32 r = 0; r < cu_min<i32>((-2) * tile, (-1)) + 3; ++r) {
// CHECK: outer_fma(
// CHECK: lanes_sum<4>(
// CHECK: cu_barrier();
// CHECK: cu_tanh(
// CHECK: out0[
// CHECK: cu_grid_leave(io1, 66);
kernel.func @several recurrence grid (%g0) in [2] scalars [] schedule #cuda.recurrence<rows 2, units 8, split 4, warps 2>
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.map (%d0, %d1) in [3, 20] {
    %2 = kernel.constant 1.0 : f32
    kernel.yield %2 : f32
  } : !kernel.tile<f32, "3", "20">
  %1 = kernel.for (%j) below 5 carry (%h = %0) : !kernel.tile<f32, "3", "20"> {
    %2 = kernel.dot [3, 40, 20] lhs (%m, %k) {
      %4 = kernel.extract %h [%m, %k] : f32 from !kernel.tile<f32, "3", "20">
      kernel.yield %4 : f32
    } rhs (%k, %n) {
      %4 = kernel.load %in1[800*%g0 + 40*%k + %n] : f32 from !kernel.view<f32, read>
      kernel.yield %4 : f32
    } : !kernel.tile<f32, "3", "40">
    %3 = kernel.map (%d0, %d1) in [3, 20] {
      %4 = kernel.load %in0[120*%j + 60*%g0 + 20*%d0 + %d1] : f32 from !kernel.view<f32, read>
      %5 = kernel.extract %2 [%d0, %d1] : f32 from !kernel.tile<f32, "3", "40">
      %6 = kernel.extract %2 [%d0, %d1 + 20] : f32 from !kernel.tile<f32, "3", "40">
      %7 = kernel.binary mul %5, %6 : f32 -> f32
      %8 = kernel.binary add %4, %7 : f32 -> f32
      %9 = kernel.unary tanh %8 : f32 -> f32
      kernel.yield %9 : f32
    } : !kernel.tile<f32, "3", "20">
    kernel.foreach (%d0, %d1) in [3, 20] {
      %4 = kernel.extract %3 [%d0, %d1] : f32 from !kernel.tile<f32, "3", "20">
      kernel.store %4, %out0[120*%j + 60*%g0 + 20*%d0 + %d1] : f32 to !kernel.view<f32, write>
    }
    kernel.yield %3 : !kernel.tile<f32, "3", "20">
  }
}

// A direction that is alone in its block meets nobody else.
// CHECK: CUPOLA_KERNEL(32, 1)
// CHECK-NOT: cu_grid
// SM90A: CUPOLA_KERNEL(32, 1)
// SM90A: grid_wait();
kernel.func @alone recurrence grid () in [] scalars [] schedule #cuda.recurrence<rows 1, units 8, split 4, warps 1>
    (%in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.map (%d0, %d1) in [1, 8] {
    %2 = kernel.constant 1.0 : f32
    kernel.yield %2 : f32
  } : !kernel.tile<f32, "1", "8">
  %1 = kernel.for (%j) below 5 carry (%h = %0) : !kernel.tile<f32, "1", "8"> {
    %2 = kernel.dot [1, 8, 8] lhs (%m, %k) {
      %4 = kernel.extract %h [%m, %k] : f32 from !kernel.tile<f32, "1", "8">
      kernel.yield %4 : f32
    } rhs (%k, %n) {
      %4 = kernel.load %in1[8*%k + %n] : f32 from !kernel.view<f32, read>
      kernel.yield %4 : f32
    } : !kernel.tile<f32, "1", "8">
    %3 = kernel.map (%d0, %d1) in [1, 8] {
      %4 = kernel.extract %2 [%d0, %d1] : f32 from !kernel.tile<f32, "1", "8">
      kernel.yield %4 : f32
    } : !kernel.tile<f32, "1", "8">
    kernel.yield %3 : !kernel.tile<f32, "1", "8">
  }
  kernel.foreach (%d0, %d1) in [1, 8] {
    %2 = kernel.extract %1 [%d0, %d1] : f32 from !kernel.tile<f32, "1", "8">
    kernel.store %2, %out0[%d1] : f32 to !kernel.view<f32, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(simt-merge-horizontal)' --split-input-file --verify-diagnostics | FileCheck %s

// Operands, results, then workspaces; scalars get other numbers, blocks count from the first of their kernel, and counters lie behind
// those of the kernels before.
// CHECK: simt.func @a_b_a block %[[B:.*]] of 2*n0 + 6*n1 + 2*n2 thread %[[T:.*]] of 64
// CHECK-SAME: scalars [#kernel.scalar<1, 8, 1>, #kernel.scalar<1, 4, 1>, #kernel.scalar<1, 8, 1>] workspace [n0, 5, n2]
// CHECK-SAME: (%[[IN0:[a-z0-9]+]]: !kernel.view<f32, read>, %[[IN1:[a-z0-9]+]]: !kernel.view<f32, read>, %[[IN2:[a-z0-9]+]]: !kernel.view<f32, read>,
// CHECK-SAME: %[[OUT0:[a-z0-9]+]]: !kernel.view<f32, write>, %[[OUT1:[a-z0-9]+]]: !kernel.view<f32, write>, %[[OUT2:[a-z0-9]+]]: !kernel.view<f32, write>,
// CHECK-SAME: %[[C0:[a-z0-9]+]]: !kernel.view<ui32, readwrite>, %[[C1:[a-z0-9]+]]: !kernel.view<ui32, readwrite>, %[[C2:[a-z0-9]+]]: !kernel.view<ui32, readwrite>)
// CHECK: simt.guard [2*n0 - %[[B]] - 1] {
// CHECK: simt.smem at 0
// CHECK: simt.last_block %[[C0]][%[[B]]] of [2]
// CHECK: kernel.load %[[IN0]][n0 + %[[B]]] : f32
// CHECK: kernel.store %{{.*}}, %[[OUT0]][%[[B]]]
// CHECK: simt.guard [-2*n0 + %[[B]], 2*n0 + 6*n1 - %[[B]] - 1] {
// CHECK: %[[Y:.*]] = kernel.apply -2*n0 + %[[B]] below 6*n1
// CHECK: %[[YX:.*]] = kernel.apply mod(%[[Y]], 3) below 3
// CHECK: %[[YY:.*]] = kernel.apply floordiv(%[[Y]], 3) below 2*n1
// CHECK: simt.smem at 0
// CHECK: simt.last_block %[[C1]][n0 + %[[YX]]] of [2*n1]
// CHECK: kernel.load %[[IN1]][3*%[[YY]] + %[[YX]]] : f32
// CHECK: simt.guard [-2*n0 - 6*n1 + %[[B]]] {
// CHECK: %[[Z:.*]] = kernel.apply -2*n0 - 6*n1 + %[[B]] below 2*n2
// CHECK: simt.last_block %[[C2]][n0 + %[[Z]] + 5] of [2]
// CHECK: kernel.load %[[IN2]][n2 + %[[Z]]] : f32
// CHECK-NOT: @a block
simt.func @a block %b of 2*n0 thread %t of 64 scalars [#kernel.scalar<1, 8, 1>] workspace [n0]
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>, %counters: !kernel.view<ui32, readwrite>) {
  %s = simt.smem at 0 : !simt.smem<1xui32>
  simt.last_block %counters[%b] of [2] scratch %s {
    %0 = kernel.load %in[%b + n0] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out[%b] : f32 to !kernel.view<f32, write>
  } : <ui32, readwrite>, <1xui32>
}
simt.func @b block %x of 3, %y of 2*n0 thread %t of 64 scalars [#kernel.scalar<1, 4, 1>] workspace [5]
    (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>, %counters: !kernel.view<ui32, readwrite>) {
  %s = simt.smem at 0 : !simt.smem<1xui32>
  simt.last_block %counters[%x] of [2*n0] scratch %s {
    %0 = kernel.load %in[3*%y + %x] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out[3*%y + %x] : f32 to !kernel.view<f32, write>
  } : <ui32, readwrite>, <1xui32>
}
cuda.horizontal @a_b_a [@a, @b, @a] inputs [1, 1, 1]

// -----

// expected-error @below {{has a part that is no simt.func}}
cuda.horizontal @a_b [@a, @b] inputs [1, 1]

// -----

// expected-error @below {{has 1 kernels, expected two or more}}
cuda.horizontal @a_b [@a] inputs [1]

// -----

// expected-error @below {{has 2 kernels and inputs of 1}}
cuda.horizontal @a_b [@a, @b] inputs [1]

//===- test/Target/CUDA/weights.mlir - weights come while the kernel before ends ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel-mark-constants)' --split-input-file | FileCheck %s --check-prefix=MARK
// RUN: cupola-opt %s --pass-pipeline='builtin.module(simt.func(simt-prefetch-weights,simt-overlap-launches))' --split-input-file | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(simt.func(simt-hoist-positions,simt-overlap-launches))' --split-input-file | FileCheck %s --check-prefix=HOISTED

// Of two fusions one is handed an input: the first parameter is no weight, the second one is. So in a body.
// MARK: kernel.func @both {{.*}} attributes {cuda.constants = array<i64: 1>} {
// MARK: kernel.func @inputs {{.*}}view<f32, write>) {
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %w = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.fusion pointwise(%w, %w) kernel @both [] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    graph.yield %x : tensor<4xf32>
  }
  %1 = graph.fusion pointwise(%a, %w) kernel @both [] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    graph.yield %x : tensor<4xf32>
  }
  %2 = graph.fusion pointwise(%0) kernel @inputs [] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    graph.yield %x : tensor<4xf32>
  }
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
kernel.func @both pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
}
kernel.func @inputs pointwise grid () in [] scalars [] (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
}

// -----

// Tiles of weights are copied at once, in all stages; those of the other operand, and what does not only copy, wait.
// CHECK-LABEL: simt.func @tiles
// CHECK: simt.smem at 1024
// CHECK: simt.async_copy %[[W:[a-z0-9]+]] to %[[S:[a-z0-9]+]] [{{.*}}] to [{{.*}}] bytes 16
// CHECK: simt.for {{.*}} {
// CHECK-NEXT: simt.async_copy %[[W]] to %[[S]]
// CHECK: simt.grid_wait
// CHECK-NEXT: simt.grid_release
// CHECK-NEXT: simt.async_copy %[[A:[a-z0-9]+]] to
// CHECK-NEXT: simt.async_commit
// CHECK-NEXT: simt.async_copy %[[A]] to
// CHECK-NEXT: simt.async_commit
// CHECK-NEXT: simt.async_wait 0
// CHECK-NEXT: simt.async_copy %[[W]] to %[[S]]
simt.func @tiles block %b of 4 thread %t of 32 scalars [] (%a: !kernel.view<f32, read>, %w: !kernel.view<f32, read>)
    attributes {cuda.constants = array<i64: 1>} {
  %s = simt.smem at 0 : !simt.smem<256xf32>
  %u = simt.smem at 1024 : !simt.smem<256xf32>
  simt.async_copy %a to %s[4*%t] to [4*%t] bytes 16 : !kernel.view<f32, read> to !simt.smem<256xf32>
  simt.async_copy %w to %u[4*%t] to [4*%t] bytes 16 : !kernel.view<f32, read> to !simt.smem<256xf32>
  simt.async_commit
  simt.async_copy %a to %s[4*%t] to [4*%t + 128] bytes 16 : !kernel.view<f32, read> to !simt.smem<256xf32>
  simt.for %i = 0 to 1 step 1 unroll {
    simt.async_copy %w to %u[4*%t + %i] to [4*%t + 128] bytes 16 : !kernel.view<f32, read> to !simt.smem<256xf32>
  }
  simt.async_commit
  %r = simt.registers : !simt.registers<f32>
  simt.async_wait 0
  simt.async_copy %w to %u[4*%t] to [4*%t] bytes 16 : !kernel.view<f32, read> to !simt.smem<256xf32>
}

// -----

// Of a loop that loads them the first iterations are asked for, with their masks; of another operand's nothing.
// CHECK-LABEL: simt.func @rows
// CHECK: simt.for %[[P:.*]] = %[[T:.*]] to min(n0, %[[T]] + 128) step 32 {
// CHECK-NEXT: simt.guard [-%[[P]] + 9] {
// CHECK-NEXT: simt.prefetch %[[W:[a-z0-9]+]][4*%[[P]]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[M:.*]] = kernel.apply 2*%[[P]] below 2*n0
// CHECK-NEXT: simt.prefetch %[[W]][4*%[[M]]]
// CHECK-NEXT: }
// CHECK: simt.grid_wait
// CHECK-NEXT: simt.grid_release
// CHECK-NEXT: simt.for %{{.*}} = %[[T]] to n0 step 32 {
// CHECK-NOT: simt.prefetch
simt.func @rows block %b of 4 thread %t of 32 scalars [#kernel.scalar<1, 4096, 1>]
    (%a: !kernel.view<f32, read>, %w: !kernel.view<f32, read>) attributes {cuda.constants = array<i64: 1>} {
  %zero = kernel.constant 0.0 : f32
  %r = simt.registers : !simt.registers<f32, vector 4>
  simt.for %k = %t to n0 step 32 {
    simt.load_vector %w to %r[4*%k] mask [-%k + 9] into [] else %zero : f32 : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
    %m = kernel.apply 2*%k below 2*n0
    simt.load_vector %w to %r[4*%m] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
    simt.load_vector %a to %r[4*%k] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
  }
}

// -----

// What is loaded behind a loop is asked for, too, in those loops alone that its place depends on, and under its conditions.
// CHECK-LABEL: simt.func @behind
// CHECK: simt.for %[[I:.*]] = 0 to 3 step 1 unroll {
// CHECK-NEXT: simt.guard [-%[[T:.*]] + 20] {
// CHECK-NEXT: %[[C:.*]] = kernel.apply 8*%[[T]] below 256
// CHECK-NEXT: simt.prefetch %[[W:[a-z0-9]+]][%[[C]] + 256*%[[I]]]
// CHECK: simt.prefetch %[[W]][%[[T]]]
// CHECK-NEXT: simt.grid_wait
// CHECK-NEXT: simt.grid_release
// CHECK-NEXT: simt.for %{{.*}} = 0 to 2 step 1 unroll
// CHECK-NOT: simt.prefetch
simt.func @behind block %b of 4 thread %t of 32 scalars [] (%a: !kernel.view<f32, read>, %w: !kernel.view<f32, read>)
    attributes {cuda.constants = array<i64: 1>} {
  %r = simt.registers : !simt.registers<f32, vector 4>
  simt.for %row = 0 to 2 step 1 unroll {
    simt.load_vector %a to %r[4*%t + 128*%row] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
    simt.for %i = 0 to 3 step 1 unroll {
      simt.guard [-%t + 20] {
        %c = kernel.apply 8*%t below 256
        simt.load_vector %w to %r[%c + 256*%i] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
      }
    }
  }
  %v = kernel.load %w[%t] : f32 from <f32, read>
}

// -----

// Not so a place that was loaded itself, nor what a thread loads more than 16 times.
// CHECK-LABEL: simt.func @refused
// CHECK-NOT: simt.prefetch
// CHECK: simt.load_vector
simt.func @refused block %b of 4 thread %t of 32 scalars [] (%ids: !kernel.view<i64, read>, %w: !kernel.view<f32, read>)
    attributes {cuda.constants = array<i64: 1>} {
  %r = simt.registers : !simt.registers<f32, vector 4>
  %id = kernel.load %ids[%t] : i64 from <i64, read>
  %row = kernel.known_index %id below 100 : i64
  simt.load_vector %w to %r[128*%row] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
  simt.for %i = 0 to 17 step 1 unroll {
    simt.load_vector %w to %r[4*%t + 128*%i] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
  }
}

// -----

// Nothing is said of the parameters: all of it waits.
// CHECK-LABEL: simt.func @unknown
// CHECK: simt.grid_wait
// CHECK: simt.for
// CHECK-NOT: simt.prefetch
simt.func @unknown block %b of 4 thread %t of 32 scalars [] (%w: !kernel.view<f32, read>) {
  %r = simt.registers : !simt.registers<f32, vector 4>
  simt.for %k = %t to 128 step 32 {
    simt.load_vector %w to %r[4*%k] into [] : !kernel.view<f32, read> to !simt.registers<f32, vector 4>
  }
}

// -----

// Copies that follow each other begin at one place of their operand: they are the weights' all the same.
// HOISTED-LABEL: simt.func @together
// HOISTED: %[[AT:.*]] = simt.advance %{{.*}}[4*%{{.*}}]
// HOISTED: simt.async_copy %[[AT]]
// HOISTED: simt.grid_wait
// HOISTED: simt.async_copy
simt.func @together block %b of 4 thread %t of 32 scalars [] (%a: !kernel.view<f32, read>, %w: !kernel.view<f32, read>)
    attributes {cuda.constants = array<i64: 1>} {
  %s = simt.smem : !simt.smem<512xf32>
  %u = simt.smem : !simt.smem<512xf32>
  simt.for %i = 0 to 4 step 1 unroll {
    simt.async_copy %w to %u[4*%t + 128*%i] to [4*%t + 128*%i] bytes 16 : !kernel.view<f32, read> to !simt.smem<512xf32>
  }
  simt.for %i = 0 to 4 step 1 unroll {
    simt.async_copy %a to %s[4*%t + 128*%i] to [4*%t + 128*%i] bytes 16 : !kernel.view<f32, read> to !simt.smem<512xf32>
  }
  simt.async_commit
  simt.async_wait 0
}

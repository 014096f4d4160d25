//===- test/Target/CUDA/hoist-positions.mlir - what copies have in common in all iterations ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(simt.func(simt-hoist-positions))' | FileCheck %s

// How much room there is counts up to what decides for the last of the copies, and is known before them.
// CHECK-LABEL: simt.func @room
// CHECK-SAME: thread %[[T:.*]] of 32
// CHECK: simt.for %[[J:.*]] = 0 to n1 step 1 {
// CHECK-NEXT: %[[AT:.*]] = simt.advance %{{.*}}[1024*%[[J]]]
// CHECK-NEXT: %[[ROOM:.*]] = kernel.apply max(min(n0 - 64*%[[J]] - floordiv(%[[T]], 16), 62), -1) + 1 below 64
// CHECK-NEXT: simt.for %[[I:.*]] = 0 to 32 step 1 unroll {
// CHECK: simt.async_copy %[[AT]] to %{{.*}} [16*%[[I]]] to [16*%[[I]]] mask [-2*%[[I]] + %[[ROOM]] - 1] bytes
simt.func @room block %b of 1 thread %t of 32 scalars [#kernel.scalar<1, 0, 1>, #kernel.scalar<1, 0, 1>] (%in: !kernel.view<f16, read>) {
  %s = simt.smem : !simt.smem<512xf16>
  simt.for %j = 0 to n1 step 1 {
    simt.for %i = 0 to 32 step 1 unroll {
      %n = kernel.apply 2*%i + floordiv(%t, 16) below 64
      simt.async_copy %in to %s[1024*%j + 16*%i] to [16*%i] mask [n0 - 64*%j - %n] bytes 16 : !kernel.view<f16, read> to !simt.smem<512xf16>
    }
  }
}

// Whether something is in range, too; what fits 32 bits is as cheap where it stands.
// CHECK-LABEL: simt.func @conditions
// CHECK: %[[ROOM:.*]] = kernel.apply max(min(n0 - %{{.*}}, 6), 0) below 7
// CHECK-NEXT: simt.for %[[I:.*]] = 0 to 2 step 1 unroll {
// CHECK: simt.for %[[J:.*]] = 0 to 4 step 1 unroll {
// CHECK-NEXT: kernel.in_range [-2*%[[I]] - %[[J]] + %[[ROOM]] - 1, -%{{.*}} + 30]
simt.func @conditions block %b of 1 thread %t of 32 scalars [#kernel.scalar<1, 0, 1>] (%in: !kernel.view<f16, read>) {
  simt.for %i = 0 to 2 step 1 unroll {
    simt.for %j = 0 to 4 step 1 unroll {
      %0 = kernel.in_range [n0 - 1 - %t - 2*%i - %j, 30 - %t]
    }
  }
}

// A term that differs between threads and changes in the loop stays where it is, and so does what is nothing but such.
// CHECK-LABEL: simt.func @mixed
// CHECK-NOT: simt.advance
// CHECK-NOT: kernel.apply
// CHECK: simt.async_copy %{{.*}} to %{{.*}} [16*%[[I:.*]] + 8*floordiv(8*%[[I]] + %{{.*}}, 12)] to [0] mask [n0 - 2*%[[I]] - floordiv(8*%[[I]] + %{{.*}}, 12)] bytes
simt.func @mixed block %b of 1 thread %t of 32 scalars [#kernel.scalar<1, 0, 1>] (%in: !kernel.view<f16, read>) {
  %s = simt.smem : !simt.smem<512xf16>
  simt.for %i = 0 to 3 step 1 unroll {
    simt.async_copy %in to %s[8*floordiv(32*%i + %t, 12)] to [0] mask [n0 - floordiv(32*%i + %t, 12)] bytes 16 : !kernel.view<f16, read> to !simt.smem<512xf16>
  }
}

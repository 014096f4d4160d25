//===- test/Dialect/Kernel/cse.mlir - upstream passes on kernels are sound ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --cse --canonicalize | FileCheck %s

// Equal expressions of equal values are one; a loop's variable is its own, whatever it is called.
// CHECK-LABEL: @merged
// CHECK-COUNT-1: kernel.apply 4*%{{.*}} below 64
// CHECK: kernel.foreach (%[[A:.*]]) in [8]
// CHECK-NEXT: kernel.load %{{.*}}[%[[A]]]
// CHECK: kernel.foreach (%[[B:.*]]) in [8]
// CHECK-NEXT: kernel.load %{{.*}}[%[[B]]]
kernel.func @merged pointwise grid (%g0) in [16] scalars [] (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %a = kernel.apply 4*%g0 below 64
  %b = kernel.apply %g0*4 below 64
  %0 = kernel.load %in[%a] : f32 from !kernel.view<f32, read>
  kernel.store %0, %out[%b] : f32 to !kernel.view<f32, write>
  kernel.foreach (%d0) in [8] {
    %1 = kernel.load %in[%d0] : f32 from !kernel.view<f32, read>
    kernel.store %1, %out[%d0] : f32 to !kernel.view<f32, write>
  }
  kernel.foreach (%d0) in [8] {
    %1 = kernel.load %in[%d0] : f32 from !kernel.view<f32, read>
    kernel.store %1, %out[8 + %d0] : f32 to !kernel.view<f32, write>
  }
}

// A store stands between two loads of what it may write; a position that nobody uses goes.
// CHECK-LABEL: @between
// CHECK-NOT: kernel.apply
// CHECK: kernel.load
// CHECK: kernel.store
// CHECK: kernel.load
// CHECK: kernel.store
kernel.func @between pointwise grid (%g0) in [16] scalars [] (%io: !kernel.view<f32, readwrite>) {
  %unused = kernel.apply 3*%g0 below 48
  %0 = kernel.load %io[%g0] : f32 from !kernel.view<f32, readwrite>
  %1 = kernel.binary add %0, %0 : f32 -> f32
  kernel.store %1, %io[%g0] : f32 to !kernel.view<f32, readwrite>
  %2 = kernel.load %io[%g0] : f32 from !kernel.view<f32, readwrite>
  %3 = kernel.binary mul %2, %2 : f32 -> f32
  kernel.store %3, %io[%g0] : f32 to !kernel.view<f32, readwrite>
}

// Two loops' steps are apart, though their variables are written alike; equal constants are one.
// CHECK-LABEL: @steps
// CHECK-COUNT-1: kernel.constant
// CHECK: kernel.for (%[[I:.*]]) below 4 carry (%[[X:.*]] =
// CHECK-NEXT: kernel.load %{{.*}}[%[[I]]]
// CHECK-NEXT: kernel.binary add %[[X]]
// CHECK: kernel.for (%[[J:.*]]) below 4 carry (%[[Y:.*]] =
// CHECK-NEXT: kernel.load %{{.*}}[%[[J]]]
// CHECK-NEXT: kernel.binary add %[[Y]]
kernel.func @steps pointwise grid () in [] scalars [] (%in: !kernel.view<f32, read>, %out: !kernel.view<f32, write>) {
  %zero = kernel.constant 0.0 : f32
  %0 = kernel.for (%i) below 4 carry (%x = %zero) : f32 {
    %a = kernel.load %in[%i] : f32 from !kernel.view<f32, read>
    %b = kernel.binary add %x, %a : f32 -> f32
    kernel.yield %b : f32
  }
  kernel.store %0, %out[0] : f32 to !kernel.view<f32, write>
  %same = kernel.constant 0.0 : f32
  %1 = kernel.for (%i) below 4 carry (%x = %same) : f32 {
    %a = kernel.load %in[%i] : f32 from !kernel.view<f32, read>
    %b = kernel.binary add %x, %a : f32 -> f32
    kernel.yield %b : f32
  }
  kernel.store %1, %out[1] : f32 to !kernel.view<f32, write>
}

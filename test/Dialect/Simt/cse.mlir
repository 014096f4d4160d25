//===- test/Dialect/Simt/cse.mlir - upstream passes on programs of threads are sound ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --cse --canonicalize | FileCheck %s

// What shared memory and registers hold is read again behind a barrier or a write; positions are merged, and the
// loop's index is its own.
// CHECK-LABEL: @barrier
// CHECK-COUNT-1: kernel.apply mod(%{{.*}}, 32) below 32
// CHECK: simt.load_shared
// CHECK: simt.barrier
// CHECK: simt.load_shared
// CHECK: simt.for %[[I:.*]] = 0 to 4 step 1
// CHECK: simt.get %{{.*}} [%[[I]]]
// CHECK: simt.set
// CHECK: simt.get %{{.*}} [%[[I]]]
simt.func @barrier block %b of 4 thread %t of 64 scalars [] (%out: !kernel.view<f32, write>) {
  %lane = kernel.apply mod(%t, 32) below 32
  %again = kernel.apply mod(%t, 32) below 32
  %unused = kernel.apply floordiv(%t, 32) below 2
  %s = simt.smem at 0 : !simt.smem<64xf32>
  %0 = simt.load_shared %s[%lane] : f32 from !simt.smem<64xf32>
  simt.barrier
  %1 = simt.load_shared %s[%again] : f32 from !simt.smem<64xf32>
  %2 = kernel.binary add %0, %1 : f32 -> f32
  %r = simt.registers zero : !simt.registers<4xf32>
  simt.for %i = 0 to 4 step 1 {
    %3 = simt.get %r [%i] : f32 from !simt.registers<4xf32>
    %4 = kernel.binary add %3, %2 : f32 -> f32
    simt.set %4, %r [%i] : f32 to !simt.registers<4xf32>
    %5 = simt.get %r [%i] : f32 from !simt.registers<4xf32>
    kernel.store %5, %out[256*%i + 64*%b + %t] : f32 to !kernel.view<f32, write>
  }
}

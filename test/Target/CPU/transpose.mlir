//===- test/Target/CPU/transpose.mlir - squares of vectors: shuffles, then rows ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v4 | FileCheck %s

// Squares of other vectors change places, bytes within 16 of them are interleaved; no element is loaded by itself.
// CHECK-LABEL: llvm.func @bytes(
// CHECK-NOT: gather
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<16xi8>
// CHECK: llvm.shufflevector {{.*}} [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]
// CHECK-COUNT-16: llvm.store {{.*}} : vector<16xi8>
// CHECK: scf.for
// CHECK: llvm.store {{.*}} : vector<16xi8>
// CHECK-NOT: masked
// CHECK: llvm.return
kernel.func @bytes pointwise grid () in [] scalars [#kernel.scalar<0, 0, 16>]
    (%a: !kernel.view<i8, read>, %o: !kernel.view<i8, write>) {
  kernel.foreach (%d0, %d1) in [n0, 64] {
    %x = kernel.load %a[%d0 + %d1*n0] : i8 from <i8, read>
    kernel.store %x, %o[64*%d0 + %d1] : i8 to <i8, write>
  }
}

// A loop that is no whole vectors has an edge, whose rows repeat the last one; what is read along the rows is so.
// CHECK-LABEL: llvm.func @edge(
// CHECK: llvm.shufflevector {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK: llvm.load {{.*}} invariant {{.*}} -> vector<16xf32>
// CHECK: arith.addf
// CHECK: scf.if
// CHECK: arith.minsi
// CHECK: llvm.intr.masked.load
// CHECK: arith.addf
// CHECK: llvm.intr.masked.store
kernel.func @edge pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [64, n0] {
    %x = kernel.load %a[%d0 + 64*%d1] : f32 from <f32, read>
    %y = kernel.load %b[%d0*n0 + %d1] : f32 from <f32, read>
    %z = kernel.binary add %x, %y : f32 -> f32
    kernel.store %z, %o[%d0*n0 + %d1] : f32 to <f32, write>
  }
}

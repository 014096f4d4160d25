//===- test/Target/CPU/pointwise.mlir - one loop: whole vectors, then a masked one ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v4 | FileCheck %s
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v3 --convert-scf-to-cf --cpu-loops-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: llvm.func @pointwise(
// CHECK-SAME: !llvm.ptr {llvm.noalias}
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.load {{.*}} invariant {{.*}} -> vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
// CHECK: scf.if
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store

// LLVM-LABEL: llvm.func @pointwise(
// LLVM-NOT: scf.
// LLVM: llvm.fadd {{.*}} : vector<8xf32>
// LLVM: llvm.intr.masked.store
kernel.func @pointwise pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %x = kernel.load %a[%d0] : f32 from !kernel.view<f32, read>
    %q = kernel.binary add %x, %x : f32 -> f32
    kernel.store %q, %o[%d0] : f32 to !kernel.view<f32, write>
  }
}

// A multiple of the vector needs no second body.
// CHECK-LABEL: llvm.func @whole(
// CHECK-NOT: masked
// CHECK: llvm.return
kernel.func @whole pointwise grid () in [] scalars [#kernel.scalar<0, 0, 16>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %x = kernel.load %a[%d0] : f32 from !kernel.view<f32, read>
    kernel.store %x, %o[%d0] : f32 to !kernel.view<f32, write>
  }
}

// What does not depend on the inner loop stands outside of it.
// CHECK-LABEL: llvm.func @row(
// CHECK: llvm.load {{.*}} -> f32
// CHECK: scf.for
// CHECK: vector.broadcast
// CHECK: llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
kernel.func @row pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, 384] {
    %x = kernel.load %a[%d0] : f32 from !kernel.view<f32, read>
    kernel.store %x, %o[384*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// An iteration that is known to be the only one is no loop, and a rest that is known has no branch.
// CHECK-LABEL: llvm.func @once(
// CHECK: scf.for
// CHECK-NOT: scf.
// CHECK: llvm.intr.masked.store
// CHECK-NOT: scf.for
// CHECK: llvm.return
kernel.func @once pointwise grid () in [] scalars [] (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [21] {
    %x = kernel.load %a[%d0] : f32 from !kernel.view<f32, read>
    kernel.store %x, %o[%d0] : f32 to !kernel.view<f32, write>
  }
}

// A masked load of 64-bit elements is one per register: of a wider one, whose upper lanes have a mask that is known to be
// false, LLVM makes a load without a mask.
// LLVM-LABEL: llvm.func @wide(
// LLVM-COUNT-2: llvm.intr.masked.load {{.*}} -> vector<4xi64>
// LLVM-NOT: masked.load
kernel.func @wide pointwise grid () in [] scalars [] (%a: !kernel.view<i64, read>, %o: !kernel.view<i64, write>) {
  kernel.foreach (%d0, %d1) in [6, 5] {
    %zero = kernel.constant 0 : i64
    %x = kernel.load %a[4*%d0 + %d1] mask [-%d0 + 3, -%d1 + 3] else %zero : i64 : i64 from <i64, read>
    kernel.store %x, %o[5*%d0 + %d1] : i64 to <i64, write>
  }
}

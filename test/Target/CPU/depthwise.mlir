//===- test/Target/CPU/depthwise.mlir - several vectors share the steps of a window ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v4 | FileCheck %s

// Four vectors of channels at a time: 200 take four steps instead of thirteen.
// CHECK-LABEL: llvm.func @wide(
// CHECK: scf.for {{.*}} -> (vector<64xf32>)
// CHECK-COUNT-4: llvm.intr.masked.load {{.*}} vector<16xf32>
kernel.func @wide reduction grid (%g0, %g1, %g2) in [6, 6, 200] scalars [] (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0, %d1) in [3, 3] {
    %a = kernel.load %x[3600*%d0 + 200*%d1 + 10800*%g0 + 600*%g1 + %g2] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } : f32
  kernel.store %s, %o[1200*%g0 + 200*%g1 + %g2] : f32 to !kernel.view<f32, write>
}

// One vector holds all channels.
// CHECK-LABEL: llvm.func @narrow(
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK-NOT: vector<32xf32>
kernel.func @narrow reduction grid (%g0, %g1, %g2) in [6, 6, 16] scalars [] (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0, %d1) in [3, 3] {
    %a = kernel.load %x[288*%d0 + 16*%d1 + 864*%g0 + 48*%g1 + %g2] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } : f32
  kernel.store %s, %o[96*%g0 + 16*%g1 + %g2] : f32 to !kernel.view<f32, write>
}

// Where the window leaves the image nothing is loaded, and not from there.
// CHECK-LABEL: llvm.func @border(
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK: llvm.intr.masked.load %[[AT]], {{.*}} vector<16xf32>
kernel.func @border reduction grid (%g0, %g1) in [6, 16] scalars [] (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [3] {
    %zero = kernel.constant 0.0 : f32
    %a = kernel.load %x[16*%d0 + 16*%g0 + %g1 - 16] mask [%d0 + %g0 - 1, -%d0 - %g0 + 6] else %zero : f32
        : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } : f32
  kernel.store %s, %o[16*%g0 + %g1] : f32 to !kernel.view<f32, write>
}

// Four places of a line share filters, and what windows have in common; of ten, two are left.
// CHECK-LABEL: llvm.func @jammed(
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
kernel.func @jammed reduction grid (%g0, %g1, %g2) in [10, 10, 32] scalars []
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0, %d1) in [3, 3] {
    %a = kernel.load %x[384*%d0 + 32*%d1 + 384*%g0 + 32*%g1 + %g2] : f32 from !kernel.view<f32, read>
    %b = kernel.load %w[96*%d0 + 32*%d1 + %g2] : f32 from !kernel.view<f32, read>
    %p = kernel.binary mul %a, %b : f32 -> f32
    kernel.yield %p : f32
  } : f32
  kernel.store %s, %o[320*%g0 + 32*%g1 + %g2] : f32 to !kernel.view<f32, write>
}

// Windows that lie side by side have nothing in common.
// CHECK-LABEL: llvm.func @apart(
// CHECK-NOT: -> (vector<16xf32>, vector<16xf32>
kernel.func @apart reduction grid (%g0, %g1, %g2) in [10, 10, 32] scalars [] (%x: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0, %d1) in [3, 3] {
    %a = kernel.load %x[960*%d0 + 32*%d1 + 2880*%g0 + 96*%g1 + %g2] : f32 from !kernel.view<f32, read>
    kernel.yield %a : f32
  } : f32
  kernel.store %s, %o[320*%g0 + 32*%g1 + %g2] : f32 to !kernel.view<f32, write>
}

// Planes: columns are vectors, and rows share filters. Borders are parts of whole vectors, whose middle loads without a mask.
// CHECK-LABEL: llvm.func @planes(
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: llvm.intr.masked.load
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: masked
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: llvm.intr.masked.load
// CHECK-NOT: masked
kernel.func @planes reduction grid (%g0, %g1, %g2) in [8, 4, 48] scalars []
    (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0, %d1) in [1, 3] {
    %zero = kernel.constant 0.0 : f32
    %a = kernel.load %x[192*%g0 + 48*%g1 + %g2 + 48*%d0 + %d1 - 1] mask [%g2 + %d1 - 1, -%g2 - %d1 + 48] else %zero : f32
        : f32 from !kernel.view<f32, read>
    %b = kernel.load %w[9*%g0 + 3*%d0 + %d1] : f32 from !kernel.view<f32, read>
    %p = kernel.binary mul %a, %b : f32 -> f32
    kernel.yield %p : f32
  } : f32
  kernel.store %s, %o[192*%g0 + 48*%g1 + %g2] : f32 to !kernel.view<f32, write>
}

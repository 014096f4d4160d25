//===- test/Target/CPU/quantize.mlir - a constant scale takes no division ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --kernel-to-cpu-loops=arch=x86-64-v4 | FileCheck %s

// CHECK-LABEL: llvm.func @constant(
// CHECK-NOT: arith.divf
// CHECK: math.fma
// CHECK: %[[N:.*]] = llvm.call_intrinsic "llvm.lrint"
// CHECK: %[[BYTE:.*]] = arith.addi %[[N]]
// CHECK: arith.trunci %[[BYTE]]
// What is read again is the integer, not the byte.
// CHECK: %[[AGAIN:.*]] = llvm.call_intrinsic "llvm.lrint"
// CHECK: %[[SUM:.*]] = arith.addi %[[AGAIN]]
// CHECK: arith.sitofp %[[SUM]]
kernel.func @constant pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %q: !kernel.view<ui8, write>, %y: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %a = kernel.load %x[%d0] : f32 from !kernel.view<f32, read>
    %s = kernel.constant 0.0205094852 : f32
    %z = kernel.constant 124.0 : f32
    %b = kernel.binary div %a, %s : f32 -> f32
    %c = kernel.unary round %b : f32 -> f32
    %d = kernel.binary add %c, %z : f32 -> f32
    %e = kernel.cast %d : f32 -> ui8
    kernel.store %e, %q[%d0] : ui8 to !kernel.view<ui8, write>
    %f = kernel.cast %e : ui8 -> f32
    kernel.store %f, %y[%d0] : f32 to !kernel.view<f32, write>
  }
}

// Less the zero point it is the integer that the zero point is added to.
// CHECK-LABEL: llvm.func @steps(
// CHECK: %[[N:.*]] = llvm.call_intrinsic "llvm.lrint"
// CHECK-NEXT: %[[STEPS:.*]] = arith.sitofp %[[N]]
// CHECK-NOT: arith.subf
// CHECK: arith.mulf %[[STEPS]]
// CHECK: llvm.return
kernel.func @steps pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %y: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %a = kernel.load %x[%d0] : f32 from !kernel.view<f32, read>
    %s = kernel.constant 0.0205094852 : f32
    %z = kernel.constant 124.0 : f32
    %b = kernel.binary div %a, %s : f32 -> f32
    %c = kernel.unary round %b : f32 -> f32
    %d = kernel.binary add %c, %z : f32 -> f32
    %e = kernel.cast %d : f32 -> ui8
    %f = kernel.cast %e : ui8 -> f32
    %g = kernel.binary sub %f, %z : f32 -> f32
    %h = kernel.binary mul %g, %s : f32 -> f32
    kernel.store %h, %y[%d0] : f32 to !kernel.view<f32, write>
  }
}

// A power of two is a factor by itself.
// CHECK-LABEL: llvm.func @half(
// CHECK-NOT: math.fma
// CHECK: llvm.call_intrinsic "llvm.lrint"
kernel.func @half pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %q: !kernel.view<ui8, write>) {
  kernel.foreach (%d0) in [n0] {
    %a = kernel.load %x[%d0] : f32 from !kernel.view<f32, read>
    %s = kernel.constant 0.5 : f32
    %b = kernel.binary div %a, %s : f32 -> f32
    %c = kernel.unary round %b : f32 -> f32
    %e = kernel.cast %c : f32 -> ui8
    kernel.store %e, %q[%d0] : ui8 to !kernel.view<ui8, write>
  }
}

// What something else reads, too, keeps its value.
// CHECK-LABEL: llvm.func @shared(
// CHECK: %[[RATIO:.*]] = arith.divf
// CHECK: llvm.call_intrinsic "llvm.lrint"
// CHECK: llvm.store %[[RATIO]]
kernel.func @shared pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %q: !kernel.view<ui8, write>, %y: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [n0] {
    %a = kernel.load %x[%d0] : f32 from !kernel.view<f32, read>
    %s = kernel.constant 0.1 : f32
    %b = kernel.binary div %a, %s : f32 -> f32
    %c = kernel.unary round %b : f32 -> f32
    %e = kernel.cast %c : f32 -> ui8
    kernel.store %e, %q[%d0] : ui8 to !kernel.view<ui8, write>
    kernel.store %b, %y[%d0] : f32 to !kernel.view<f32, write>
  }
}

// A scale that is loaded, or is no number to divide by without, is divided by; the quotient is brought between the
// bounds of bytes.
// CHECK-LABEL: llvm.func @loaded(
// CHECK-NOT: llvm.call_intrinsic
// CHECK: arith.divf
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf olt
// CHECK: arith.fptosi
// CHECK-LABEL: llvm.func @tiny(
// CHECK-NOT: llvm.call_intrinsic
// CHECK: arith.divf
kernel.func @loaded pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %v: !kernel.view<f32, read>, %q: !kernel.view<ui8, write>) {
  kernel.foreach (%d0) in [n0] {
    %a = kernel.load %x[%d0] : f32 from !kernel.view<f32, read>
    %s = kernel.load %v[0] : f32 from !kernel.view<f32, read>
    %b = kernel.binary div %a, %s : f32 -> f32
    %c = kernel.unary round %b : f32 -> f32
    %e = kernel.cast %c : f32 -> ui8
    kernel.store %e, %q[%d0] : ui8 to !kernel.view<ui8, write>
  }
}

kernel.func @tiny pointwise grid () in [] scalars [#kernel.scalar<0, 0, 1>]
    (%x: !kernel.view<f32, read>, %q: !kernel.view<ui8, write>) {
  kernel.foreach (%d0) in [n0] {
    %a = kernel.load %x[%d0] : f32 from !kernel.view<f32, read>
    %s = kernel.constant 1.0e-30 : f32
    %b = kernel.binary div %a, %s : f32 -> f32
    %c = kernel.unary round %b : f32 -> f32
    %e = kernel.cast %c : f32 -> ui8
    kernel.store %e, %q[%d0] : ui8 to !kernel.view<ui8, write>
  }
}

//===- test/Target/CUDA/quotients.mlir - divisions by scales that are known ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-translate --kernel-to-cuda --arch=sm_80 %s | FileCheck %s

// What becomes a byte is multiplied by the inverse, and that put right.
// CHECK-LABEL: schedule=pointwise
// CHECK: cu_quotient(v{{[0-9]+}}, 0.05f, 20.0f);
// CHECK: cu_round
kernel.func @quantised pointwise grid () in [] scalars [] (%x: !kernel.view<f32, read>, %o: !kernel.view<ui8, write>) {
  kernel.foreach (%i) in [1024] {
    %0 = kernel.load %x[%i] : f32 from !kernel.view<f32, read>
    %1 = kernel.constant 0.05 : f32
    %2 = kernel.binary div %0, %1 : f32 -> f32
    %3 = kernel.unary round %2 : f32 -> f32
    %4 = kernel.constant 113.0 : f32
    %5 = kernel.binary add %3, %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> ui8
    kernel.store %6, %o[%i] : ui8 to !kernel.view<ui8, write>
  }
}

// The quotient itself, which has to have all its bits.
// CHECK-LABEL: schedule=pointwise
// CHECK-NOT: cu_quotient
// CHECK: / {{.*}};
kernel.func @float pointwise grid () in [] scalars [] (%x: !kernel.view<f32, read>, %s: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%i) in [1024] {
    %0 = kernel.load %x[%i] : f32 from !kernel.view<f32, read>
    %1 = kernel.constant 0.05 : f32
    %2 = kernel.binary div %0, %1 : f32 -> f32
    %6 = kernel.unary round %2 : f32 -> f32
    kernel.store %6, %o[%i] : f32 to !kernel.view<f32, write>
  }
}

// An integer that is as long as any quotient.
// CHECK-LABEL: schedule=pointwise
// CHECK-NOT: cu_quotient
// CHECK: / {{.*}};
kernel.func @long pointwise grid () in [] scalars [] (%x: !kernel.view<f32, read>, %s: !kernel.view<f32, read>, %o: !kernel.view<i64, write>) {
  kernel.foreach (%i) in [1024] {
    %0 = kernel.load %x[%i] : f32 from !kernel.view<f32, read>
    %1 = kernel.constant 0.05 : f32
    %2 = kernel.binary div %0, %1 : f32 -> f32
    %3 = kernel.unary round %2 : f32 -> f32
    %6 = kernel.cast %3 : f32 -> i64
    kernel.store %6, %o[%i] : i64 to !kernel.view<i64, write>
  }
}

// Not rounded: 3 and a bit less than 3 are not the same.
// CHECK-LABEL: schedule=pointwise
// CHECK-NOT: cu_quotient
// CHECK: / {{.*}};
kernel.func @truncated pointwise grid () in [] scalars [] (%x: !kernel.view<f32, read>, %s: !kernel.view<f32, read>, %o: !kernel.view<i8, write>) {
  kernel.foreach (%i) in [1024] {
    %0 = kernel.load %x[%i] : f32 from !kernel.view<f32, read>
    %1 = kernel.constant 0.05 : f32
    %2 = kernel.binary div %0, %1 : f32 -> f32
    %6 = kernel.cast %2 : f32 -> i8
    kernel.store %6, %o[%i] : i8 to !kernel.view<i8, write>
  }
}

// A sum with a number of any size.
// CHECK-LABEL: schedule=pointwise
// CHECK-NOT: cu_quotient
// CHECK: / {{.*}};
kernel.func @added pointwise grid () in [] scalars [] (%x: !kernel.view<f32, read>, %s: !kernel.view<f32, read>, %o: !kernel.view<i8, write>) {
  kernel.foreach (%i) in [1024] {
    %0 = kernel.load %x[%i] : f32 from !kernel.view<f32, read>
    %1 = kernel.constant 0.05 : f32
    %2 = kernel.binary div %0, %1 : f32 -> f32
    %3 = kernel.unary round %2 : f32 -> f32
    %4 = kernel.load %s[%i] : f32 from !kernel.view<f32, read>
    %5 = kernel.binary add %3, %4 : f32 -> f32
    %6 = kernel.cast %5 : f32 -> i8
    kernel.store %6, %o[%i] : i8 to !kernel.view<i8, write>
  }
}

// A scale that is not known.
// CHECK-LABEL: schedule=pointwise
// CHECK-NOT: cu_quotient
// CHECK: / {{.*}};
kernel.func @loaded pointwise grid () in [] scalars [] (%x: !kernel.view<f32, read>, %s: !kernel.view<f32, read>, %o: !kernel.view<i8, write>) {
  kernel.foreach (%i) in [1024] {
    %0 = kernel.load %x[%i] : f32 from !kernel.view<f32, read>
    %1 = kernel.load %s[0] : f32 from !kernel.view<f32, read>
    %2 = kernel.binary div %0, %1 : f32 -> f32
    %3 = kernel.unary round %2 : f32 -> f32
    %6 = kernel.cast %3 : f32 -> i8
    kernel.store %6, %o[%i] : i8 to !kernel.view<i8, write>
  }
}

// A scale whose inverse is none.
// CHECK-LABEL: schedule=pointwise
// CHECK-NOT: cu_quotient
// CHECK: / {{.*}};
kernel.func @tiny pointwise grid () in [] scalars [] (%x: !kernel.view<f32, read>, %s: !kernel.view<f32, read>, %o: !kernel.view<i8, write>) {
  kernel.foreach (%i) in [1024] {
    %0 = kernel.load %x[%i] : f32 from !kernel.view<f32, read>
    %1 = kernel.constant 1.0e-30 : f32
    %2 = kernel.binary div %0, %1 : f32 -> f32
    %3 = kernel.unary round %2 : f32 -> f32
    %6 = kernel.cast %3 : f32 -> i8
    kernel.store %6, %o[%i] : i8 to !kernel.view<i8, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-fold-borders))' | FileCheck %s

// CHECK-LABEL: @border
// CHECK: %[[BORDER:.*]] = kernel.constant 7 : ui8
// CHECK: %[[X:.*]] = kernel.load %{{.*}}[%{{.*}} - 1] mask [%{{.*}} - 1, -%{{.*}} + 8] else %{{.*}} : ui8 : ui8
// CHECK-NOT: kernel.in_range
// CHECK-NOT: kernel.select
// CHECK: kernel.store %[[X]]
kernel.func @border pointwise grid () in [] scalars [] (%in0: !kernel.view<ui8, read>, %out0: !kernel.view<ui8, write>) {
  kernel.foreach (%d0) in [10] {
    %0 = kernel.constant 0 : ui8
    %1 = kernel.load %in0[%d0 - 1] mask [%d0 - 1, -%d0 + 8] else %0 : ui8 : ui8 from !kernel.view<ui8, read>
    %2 = kernel.constant 7 : ui8
    %3 = kernel.in_range [%d0 - 1, -%d0 + 8]
    %4 = kernel.select %3, %1, %2 : ui8
    kernel.store %4, %out0[%d0] : ui8 to !kernel.view<ui8, write>
  }
}

// Another mask, a value that is computed, one that something else reads.
// CHECK-LABEL: @others
// CHECK-COUNT-3: kernel.select
kernel.func @others pointwise grid () in [] scalars []
    (%in0: !kernel.view<ui8, read>, %out0: !kernel.view<ui8, write>, %out1: !kernel.view<ui8, write>, %out2: !kernel.view<ui8, write>,
     %out3: !kernel.view<ui8, write>) {
  kernel.foreach (%d0) in [10] {
    %0 = kernel.constant 0 : ui8
    %1 = kernel.load %in0[%d0 - 1] mask [%d0 - 1, -%d0 + 8] else %0 : ui8 : ui8 from !kernel.view<ui8, read>
    %2 = kernel.constant 7 : ui8
    %3 = kernel.in_range [%d0 - 1]
    %4 = kernel.select %3, %1, %2 : ui8
    kernel.store %4, %out0[%d0] : ui8 to !kernel.view<ui8, write>
    %5 = kernel.load %in0[%d0 - 1] mask [%d0 - 1, -%d0 + 8] else %0 : ui8 : ui8 from !kernel.view<ui8, read>
    %6 = kernel.in_range [%d0 - 1, -%d0 + 8]
    %7 = kernel.load %in0[%d0] : ui8 from !kernel.view<ui8, read>
    %8 = kernel.select %6, %5, %7 : ui8
    kernel.store %8, %out1[%d0] : ui8 to !kernel.view<ui8, write>
    %9 = kernel.load %in0[%d0 - 1] mask [%d0 - 1, -%d0 + 8] else %0 : ui8 : ui8 from !kernel.view<ui8, read>
    %10 = kernel.in_range [%d0 - 1, -%d0 + 8]
    %11 = kernel.select %10, %9, %2 : ui8
    kernel.store %9, %out2[%d0] : ui8 to !kernel.view<ui8, write>
    kernel.store %11, %out3[%d0] : ui8 to !kernel.view<ui8, write>
  }
}

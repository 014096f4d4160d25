// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-collapse-loops))' | FileCheck %s

// CHECK-LABEL: @merged
// CHECK: kernel.foreach (%[[D:.*]]) in [384*n0]
// CHECK-NEXT: kernel.load %{{.*}}[%[[D]]]
// CHECK-NEXT: kernel.store %{{.*}}[%[[D]]]
kernel.func @merged pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, 384] {
    %0 = kernel.load %in0[384*%d0 + %d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[384*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// A broadcast uses %d1 alone: the two stay apart.
// CHECK-LABEL: @broadcast
// CHECK: kernel.foreach (%{{.*}}, %{{.*}}) in [n0, 384]
kernel.func @broadcast pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, 384] {
    %0 = kernel.load %in0[%d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[384*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-fold-grid))' | FileCheck %s

// CHECK-LABEL: @loops pointwise grid () in []
// CHECK: kernel.foreach (%[[G:.*]], %[[D:.*]]) in [n0, 64]
// CHECK: kernel.load %{{.*}}[%[[D]] + 64*%[[G]]]
kernel.func @loops pointwise grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0) in [64] {
    %0 = kernel.load %in0[%d0 + 64*%g0] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[%d0 + 64*%g0] : f32 to !kernel.view<f32, write>
  }
}

// Something is computed per grid point.
// CHECK-LABEL: @point pointwise grid (%{{.*}}) in [n0]
kernel.func @point pointwise grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.load %in0[%g0] : f32 from !kernel.view<f32, read>
  kernel.foreach (%d0) in [64] {
    kernel.store %0, %out0[%d0 + 64*%g0] : f32 to !kernel.view<f32, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-distribute-transpose))' | FileCheck %s

// CHECK-LABEL: @turn "transpose"
// CHECK: kernel.let "d0t" = "floordiv(b, 3)" below "2"
// CHECK: kernel.let "d1t" = "mod(b, 3)" below "3"
// CHECK: %[[S:.*]] = kernel.smem : <1056xf32>
// CHECK: kernel.load %{{.*}}["d0 + 64*d1"]
// CHECK: kernel.store_shared %{{.*}}, %[[S]]
// CHECK: kernel.barrier
// CHECK: kernel.load_shared %[[S]]
// CHECK: kernel.store %{{.*}}["96*d0 + d1"]
kernel.func @turn "pointwise" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach ["d0", "d1"] ["64", "96"] {
    %0 = kernel.load %in0["d0 + 64*d1"] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0["96*d0 + d1"] : f32 to !kernel.view<f32, write>
  }
}

// Four columns are read with full sectors anyway.
// CHECK-LABEL: @short "pointwise"
kernel.func @short "pointwise" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach ["d0", "d1"] ["4", "96"] {
    %0 = kernel.load %in0["d0 + 4*d1"] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0["96*d0 + d1"] : f32 to !kernel.view<f32, write>
  }
}

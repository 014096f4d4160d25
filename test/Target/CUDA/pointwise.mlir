// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80},kernel-distribute-pointwise,kernel-drop-unused))' | FileCheck %s
// RUN: not cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_13}))' 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error: architecture 'sm_13' is not known

// CHECK-LABEL: @vectors "pointwise"
// CHECK-SAME: {threads = 256 : i64, vector = 4 : i64}
// CHECK-SAME: launch = #kernel.launch<256, "floordiv(3*n0 + 7, 8)">
// CHECK: kernel.guard ["-256*b + 96*n0 - t - 1"]
// CHECK: %[[V:.*]] = kernel.registers : <f32, vector 4>
// CHECK: kernel.load_vector %{{.*}}["384*d0 + d1v"] to %[[V]]
// CHECK: kernel.for "e" = "0" to "4" step "1" unroll
// CHECK: kernel.get %[[V]] ["e"]
// CHECK: kernel.set %{{.*}}, %[[O:.*]] ["e"]
// CHECK: kernel.store_vector %[[O]] [], %{{.*}}["384*d0 + d1v"]
kernel.func @vectors "pointwise" grid [] scalars [#kernel.scalar<1, 0, 1>] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach ["d0", "d1"] ["n0", "384"] {
    %0 = kernel.load %in0["384*d0 + d1"] : f32 from !kernel.view<f32, read>
    %1 = kernel.load %in1["d0"] : f32 from !kernel.view<f32, read>
    %2 = kernel.binary add %0, %1 : f32 -> f32
    kernel.store %2, %out0["384*d0 + d1"] : f32 to !kernel.view<f32, write>
  }
}

// 385 elements a row: no vector is aligned.
// CHECK-LABEL: @ragged "pointwise"
// CHECK-SAME: vector = 1 : i64
// CHECK-NOT: vector 4
kernel.func @ragged "pointwise" grid [] scalars [#kernel.scalar<1, 0, 1>] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach ["d0", "d1"] ["n0", "385"] {
    %0 = kernel.load %in0["d1"] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0["385*d0 + d1"] : f32 to !kernel.view<f32, write>
  }
}

// The row is found once per vector, the columns are one access.
// CHECK-LABEL: @gather
// CHECK: %[[I:.*]] = kernel.checked_index
// CHECK: kernel.load_vector %{{.*}}["d1v + 64*x0"] indices(%[[I]])
kernel.func @gather "gather" grid [] scalars [] {}
    (%in0: !kernel.view<i64, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach ["d0", "d1"] ["8", "64"] {
    %0 = kernel.load %in0["d0"] : i64 from !kernel.view<i64, read>
    %1 = kernel.checked_index %0 below "100" : i64
    %2 = kernel.load %in1["d1 + 64*x0"] indices(%1) : f32 from !kernel.view<f32, read>
    kernel.store %2, %out0["64*d0 + d1"] : f32 to !kernel.view<f32, write>
  }
}

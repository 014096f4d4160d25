// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-distribute-points))' | FileCheck %s

// Columns are contiguous between threads: each sums its own.
// CHECK-LABEL: @columns "reduction"
// CHECK-SAME: launch = #kernel.launch<128, "32">
// CHECK: kernel.let "g0" = "128*b + t" below "4096"
// CHECK: kernel.for "d0" = "0" to "100" step "1"
// CHECK: kernel.load %{{.*}}["4096*d0 + g0"]
// CHECK: kernel.accumulate sum
// CHECK: kernel.store
kernel.func @columns "reduction" grid ["4096"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d0"] ["100"] {
    %0 = kernel.load %in0["4096*d0 + g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

// Few columns: a warp shares each.
// CHECK-LABEL: @few "row_reduction"
kernel.func @few "reduction" grid ["8"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d0"] ["100"] {
    %0 = kernel.load %in0["8*d0 + g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-distribute-points))' | FileCheck %s

// Columns are contiguous between threads: each sums its own.
// CHECK-LABEL: @columns "reduction"
// CHECK-SAME: {threads = 128 : i64, vector = 1 : i64}
// CHECK-SAME: launch = #kernel.launch<128, "320">
// CHECK: kernel.let "g0" = "128*b + t" below "40960"
// CHECK: kernel.for "d0" = "0" to "100" step "1"
// CHECK: kernel.load %{{.*}}["40960*d0 + g0"]
// CHECK: kernel.accumulate sum
// CHECK: kernel.store
kernel.func @columns "reduction" grid ["40960"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d0"] ["100"] {
    %0 = kernel.load %in0["40960*d0 + g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

// A window over channels-last images: a thread takes four channels, whose mask is one.
// CHECK-LABEL: @window "reduction"
// CHECK-SAME: {threads = 128 : i64, vector = 4 : i64}
// CHECK: kernel.guard ["-128*b + 896*n0 - t - 1"]
// CHECK: kernel.let "g1v" = "4*mod({{.*}}, 16)" below "64"
// CHECK: %[[SUM:.*]] = kernel.registers : <4xf32>
// CHECK: kernel.for "d0" = "0" to "3" step "1" unroll
// CHECK: kernel.load_vector %{{.*}}["64*d0 + 64*g0 + g1v - 64"] mask ["d0 + g0 - 1"] else
// CHECK: kernel.for "e" = "0" to "4" step "1" unroll
// CHECK: kernel.accumulate sum %{{.*}}, %[[SUM]] ["e"]
// CHECK: kernel.get %[[SUM]] ["e"]
// CHECK: kernel.store_vector
kernel.func @window "reduction" grid ["56*n0", "64"] scalars [#kernel.scalar<1, 16, 1>] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d0"] ["3"] {
    %z = kernel.constant 0.0 : f32
    %0 = kernel.load %in0["64*d0 + 64*g0 + g1 - 64"] mask ["d0 + g0 - 1"] else %z : f32 : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["64*g0 + g1"] : f32 to !kernel.view<f32, write>
}

// Few and short columns: a warp shares each.
// CHECK-LABEL: @few "row_reduction"
kernel.func @few "reduction" grid ["8"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d0"] ["20"] {
    %0 = kernel.load %in0["8*d0 + g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

// A row of one element has no variable that threads could share.
// CHECK-LABEL: @single "reduction"
// CHECK: kernel.store
kernel.func @single "sum" grid ["n0"] scalars [#kernel.scalar<1, 0, 1>] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] [] [] {
    %0 = kernel.load %in0["g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.foreach [] [] {
    kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
  }
}

// CHECK-LABEL: @scalar "reduction"
// CHECK: kernel.store
kernel.func @scalar "pointwise" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach [] [] {
    %0 = kernel.load %in0["0"] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0["0"] : f32 to !kernel.view<f32, write>
  }
}

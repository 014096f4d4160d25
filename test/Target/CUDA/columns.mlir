// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-distribute-columns))' | FileCheck %s

// A mean over the places of a channels-last image: eight warps share the places.
// CHECK-LABEL: @mean "column_reduction"
// CHECK-SAME: launch = #kernel.launch<256, "15">
// CHECK: kernel.let "point" = "min(32*b + lane, 479)" below "480"
// CHECK: kernel.for "i" = "warp" to "196" step "8"
// CHECK: kernel.let "d0" = "i"
// CHECK: kernel.load %{{.*}}["480*d0 + g0"]
// CHECK: kernel.accumulate sum
// CHECK: kernel.store_shared
// CHECK-NEXT: kernel.barrier
// CHECK: kernel.for "w" = "0" to "8" step "1" unroll
// CHECK: kernel.load_shared %{{.*}}["lane + 32*w"]
// CHECK: kernel.guard ["-warp"]
// CHECK-NEXT: kernel.store
kernel.func @mean "reduction" grid ["480"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d0"] ["196"] {
    %0 = kernel.load %in0["480*d0 + g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

// Neighbouring points are far apart in memory.
// CHECK-LABEL: @apart "row_reduction"
kernel.func @apart "reduction" grid ["480"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d0"] ["196"] {
    %0 = kernel.load %in0["d0 + 196*g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

// What a map keeps of a column is read again.
// CHECK-LABEL: @map "column_reduction"
// CHECK: kernel.for "i" = "warp" to "196" step "8"
// CHECK: kernel.load %{{.*}}["480*d1 + g0"]
kernel.func @map "row_reduction" grid ["480"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %t = kernel.map ["d0"] ["196"] {
    %0 = kernel.load %in0["480*d0 + g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "196">
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d1"] ["196"] {
    %0 = kernel.extract %t ["d1"] : f32 from !kernel.tile<f32, "196">
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

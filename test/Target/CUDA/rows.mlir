// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-distribute-rows,kernel-drop-unused,kernel-place-shared))' | FileCheck %s

// A warp per row, four rows a block; the row stays in registers.
// CHECK-LABEL: @warp "row_reduction"
// CHECK-SAME: {row_threads = 32 : i64, threads = 128 : i64, vector = 4 : i64}
// CHECK: %[[ROW:.*]] = kernel.registers : <3x4xf32>
// CHECK: kernel.for "i" = "0" to "3" step "1" unroll
// CHECK: kernel.set %{{.*}}, %[[ROW]] ["i", "e"]
// CHECK: kernel.accumulate sum
// CHECK: kernel.warp_reduce sum
// CHECK: kernel.get %[[ROW]] ["i", "e"]
// CHECK: kernel.store_vector
kernel.func @warp "sum" grid ["n0"] scalars [#kernel.scalar<1, 0, 1>] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %x = kernel.map ["d0"] ["384"] {
    %0 = kernel.load %in0["d0 + 384*g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "384">
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d1"] ["384"] {
    %0 = kernel.extract %x ["d1"] : f32 from !kernel.tile<f32, "384">
    kernel.yield %0 : f32
  } : f32
  kernel.foreach ["d2"] ["384"] {
    %0 = kernel.extract %x ["d2"] : f32 from !kernel.tile<f32, "384">
    %1 = kernel.binary div %0, %s : f32 -> f32
    kernel.store %1, %out0["d2 + 384*g0"] : f32 to !kernel.view<f32, write>
  }
}

// A block per row; the result is stored by one thread.
// CHECK-LABEL: @block "row_reduction"
// CHECK-SAME: row_threads = 512 : i64, threads = 512 : i64
// CHECK: %[[S:.*]] = kernel.smem at 0 : <16xf32>
// CHECK: kernel.block_reduce max %{{.*}}, %[[S]]
// CHECK: kernel.guard ["-lane"]
// CHECK-NEXT: kernel.store
kernel.func @block "max" grid ["7"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] ["d0"] ["6000"] {
    %0 = kernel.load %in0["d0 + 6000*g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

// Too long for registers: what the map loads is loaded again.
// CHECK-LABEL: @again
// CHECK-NOT: kernel.set
// CHECK: kernel.load %{{.*}}["d1 + 100000*g0"]
// CHECK: kernel.accumulate sum
kernel.func @again "sum" grid ["7"] scalars [] {}
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %x = kernel.map ["d0"] ["100000"] {
    %0 = kernel.load %in0["d0 + 100000*g0"] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "100000">
  %s = kernel.reduce [#graph<reduce_kind sum>] ["d1"] ["100000"] {
    %0 = kernel.extract %x ["d1"] : f32 from !kernel.tile<f32, "100000">
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0["g0"] : f32 to !kernel.view<f32, write>
}

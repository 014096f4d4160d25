// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-lower-matvec))' | FileCheck %s

// CHECK-LABEL: @few "matvec"
// CHECK-SAME: {rows = 2 : i64}
// CHECK-SAME: launch = #kernel.launch<256, "12">
// CHECK: %[[ACC:.*]] = kernel.registers zero : <2x1xf32>
// CHECK: kernel.for "d2" = "warp" to "1536" step "8"
// CHECK: kernel.fma_tile %[[ACC]]
// CHECK: kernel.store_shared
// CHECK: kernel.barrier
// CHECK: kernel.load_shared
// CHECK: kernel.store
kernel.func @few "gemm" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["2", "384", "1536"] lhs {
    %1 = kernel.load %in0["1536*d0 + d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs {
    %1 = kernel.load %in1["d1 + 384*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "2", "384">
  kernel.foreach ["d3", "d4"] ["2", "384"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "2", "384">
    kernel.store %1, %out0["384*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}

// Columns that are not neighbours in memory stay with gemm.
// CHECK-LABEL: @transposed "gemm"
kernel.func @transposed "gemm" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["2", "384", "1536"] lhs {
    %1 = kernel.load %in0["1536*d0 + d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs {
    %1 = kernel.load %in1["1536*d1 + d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "2", "384">
  kernel.foreach ["d3", "d4"] ["2", "384"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "2", "384">
    kernel.store %1, %out0["384*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}

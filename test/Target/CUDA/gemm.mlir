// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-lower-gemm))' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule,kernel-lower-gemm,kernel-pipeline-copies))' | FileCheck %s --check-prefix=PIPE

// CHECK-LABEL: @f32 "gemm"
// CHECK: %[[ACC:.*]] = kernel.registers zero : <4x4xf32>
// CHECK: %[[A:.*]] = kernel.smem : <640xf32>
// CHECK: %[[B:.*]] = kernel.smem : <2176xf32>
// CHECK: kernel.tile_loop "kt" to "6" stage "s" of 2
// CHECK: kernel.load_vector %{{.*}}["96*d0 + d2"] mask ["-16*i - 16*tm - floordiv(t, 4) + 39"]
// CHECK: kernel.store_shared %{{.*}}, %[[A]]
// CHECK: kernel.store_vector %{{.*}}, %[[B]]
// CHECK: kernel.load_fragment %[[A]]
// CHECK: kernel.load_fragment %[[B]]
// CHECK: kernel.fma_tile %[[ACC]]
// CHECK: kernel.get %[[ACC]] ["i", "e + 4*j"]
// CHECK: kernel.store_vector

// The first tile is fetched before the loop, the next one while this one is used.
// PIPE-LABEL: @f32 "gemm"
// PIPE: kernel.load_vector
// PIPE: kernel.for "kt" = "0" to "6" step "1"
// PIPE: kernel.let "s" = "mod(kt, 2)" below "2"
// PIPE: kernel.store_shared
// PIPE: kernel.barrier
// PIPE-NEXT: kernel.guard ["-kt + 4"]
// PIPE: kernel.load_vector
// PIPE: kernel.fma_tile
// PIPE-NOT: kernel.barrier
kernel.func @f32 "gemm" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["40", "64", "96"] lhs {
    %1 = kernel.load %in0["96*d0 + d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs {
    %1 = kernel.load %in1["d1 + 64*d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "40", "64">
  kernel.foreach ["d3", "d4"] ["40", "64"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "40", "64">
    kernel.store %1, %out0["64*d3 + d4"] : f32 to !kernel.view<f32, write>
  }
}

// One column: its accumulator is read before the guard, so that nothing that is known of the position becomes its index.
// PIPE-LABEL: @one_column "gemm"
// CHECK-LABEL: @one_column "gemm"
// CHECK: kernel.for "c"
// CHECK-NEXT: %[[V:.*]] = kernel.get
// CHECK-NEXT: kernel.guard
// CHECK: kernel.store %[[V]]
kernel.func @one_column "gemm" grid [] scalars [] {}
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["40", "1", "96"] lhs {
    %1 = kernel.load %in0["96*d0 + d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs {
    %1 = kernel.load %in1["d1 + d2"] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "40", "1">
  kernel.foreach ["d3", "d4"] ["40", "1"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "40", "1">
    kernel.store %1, %out0["d3"] : f32 to !kernel.view<f32, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_75},kernel-lower-mma,kernel-pipeline-copies))' | FileCheck %s --check-prefix=K8
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80},kernel-lower-mma))' | FileCheck %s --check-prefix=K16
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80},kernel-lower-mma,kernel-pipeline-copies))' | FileCheck %s --check-prefix=PIPE

// K8-LABEL: @plain "gemm_mma"
// K8-NOT: kernel.async
// K8: kernel.mma %{{.*}} : <2x4x4xf32>, <2x2xui32>, <4x1xui32>

// K16-LABEL: @plain "gemm_mma"
// K16: kernel.tile_loop "kt" to "3" stage "s" of 3 async
// K16: kernel.async_copy %{{.*}} bytes 16
// K16: kernel.mma_load a
// K16: kernel.mma_load b
// K16: kernel.mma %{{.*}} : <2x4x4xf32>, <2x4xui32>, <4x2xui32>

// Two groups under way, one wait and one barrier an iteration.
// PIPE-LABEL: @plain "gemm_mma"
// PIPE: kernel.async_copy
// PIPE: kernel.async_commit
// PIPE: kernel.async_copy
// PIPE: kernel.async_commit
// PIPE: kernel.for "kt" = "0" to "3" step "1"
// PIPE-NEXT: kernel.async_wait 1
// PIPE-NEXT: kernel.barrier
// PIPE-NEXT: kernel.guard ["-kt"]
// PIPE: kernel.async_copy
// PIPE: kernel.async_commit
// PIPE: kernel.mma
kernel.func @plain "gemm" grid [] scalars [] {}
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["64", "64", "96"] lhs {
    %1 = kernel.load %in0["96*d0 + d2"] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs {
    %1 = kernel.load %in1["d1 + 64*d2"] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "64">
  kernel.foreach ["d3", "d4"] ["64", "64"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "64", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0["64*d3 + d4"] : f16 to !kernel.view<f16, write>
  }
}

// A computed operand goes through registers.
// K16-LABEL: @prologue "gemm_mma"
// K16: kernel.tile_loop
// K16-NOT: kernel.async
// K16: kernel.unary tanh
kernel.func @prologue "gemm" grid [] scalars [] {}
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot ["d0", "d1", "d2"] ["64", "64", "96"] lhs {
    %1 = kernel.load %in0["96*d0 + d2"] : f16 from !kernel.view<f16, read>
    %2 = kernel.unary tanh %1 : f16 -> f16
    kernel.yield %2 : f16
  } rhs {
    %1 = kernel.load %in1["d1 + 64*d2"] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "64">
  kernel.foreach ["d3", "d4"] ["64", "64"] {
    %1 = kernel.extract %0 ["d3", "d4"] : f32 from !kernel.tile<f32, "64", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0["64*d3 + d4"] : f16 to !kernel.view<f16, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_75}))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_75}),kernel-to-simt,simt.func(simt-pipeline-copies))' | FileCheck %s --check-prefix=K8
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}),kernel-to-simt)' | FileCheck %s --check-prefix=K16
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}),kernel-to-simt,simt.func(simt-pipeline-copies))' | FileCheck %s --check-prefix=PIPE

// SCHEDULE: @plain {{.*}} schedule #cuda.gemm_mma<
// SCHEDULE: @prologue {{.*}} schedule #cuda.gemm_mma<

// K8-LABEL: simt.func @plain
// K8-NOT: simt.async
// K8: simt.mma %{{.*}} : <2x4x4xf32>, <2x2xui32>, <4x1xui32>

// K16-LABEL: simt.func @plain
// K16: simt.tile_loop to 3 stages 3 steps 2 async fetch
// K16: simt.async_copy %{{.*}} bytes 16
// K16: } load (
// K16: simt.mma_load a
// K16: simt.mma_load b
// K16: } compute (
// K16-NEXT: simt.mma %{{.*}} : <2x4x4xf32>, <2x4xui32>, <4x2xui32>

// Two groups under way, one wait and one barrier an iteration, in which no product waits for fragments that were not
// loaded before the one ahead of it. Behind the last tile copies bring zeros.
// PIPE-LABEL: simt.func @plain
// PIPE: simt.async_copy
// PIPE: simt.async_commit
// PIPE: simt.async_copy
// PIPE: simt.async_commit
// PIPE-NEXT: simt.async_wait 1
// PIPE-NEXT: simt.barrier
// PIPE-NEXT: simt.mma_load a %[[LHS:.*]][1280*%[[WM:.*]]] {{.*}} to %[[A0:.*]] :
// PIPE-NEXT: simt.mma_load b %{{.*}} to %[[B0:.*]] :
// PIPE-NEXT: simt.for %[[KT:.*]] = 0 to 3 step 1 ring 3 (%[[S:.*]] = 0, %[[NEXT:.*]] = 1, %[[FILLED:.*]] = 2) {
// PIPE-NEXT: simt.mma_load a %[[LHS]][1280*%[[WM]] + 1280*%[[S]] + 16] {{.*}} to %[[A1:.*]] :
// PIPE-NEXT: simt.mma_load b %{{.*}} to %[[B1:.*]] :
// PIPE: simt.async_copy %{{.*}} to [1280*%[[FILLED]] + {{.*}}] mask [-%[[KT]]]
// PIPE: simt.async_commit
// PIPE-NEXT: simt.mma %[[ACC:.*]], %[[A0]], %[[B0]] :
// PIPE-NEXT: simt.async_wait 1
// PIPE-NEXT: simt.barrier
// PIPE-NEXT: simt.mma_load a %[[LHS]][1280*%[[WM]] + 1280*%[[NEXT]]] {{.*}} to %[[A0]] :
// PIPE-NEXT: simt.mma_load b %{{.*}} to %[[B0]] :
// PIPE-NEXT: simt.mma %[[ACC]], %[[A1]], %[[B1]] :
kernel.func @plain gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 64, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}

// A computed operand goes through registers.
// K16-LABEL: simt.func @prologue
// K16: simt.tile_loop
// K16-NOT: simt.async
// K16: kernel.unary tanh

// What was fetched before the step of a tile is stored behind it, into the other buffer.
// PIPE-LABEL: simt.func @prologue
// PIPE: simt.barrier
// PIPE: simt.for %[[KT:.*]] = 0 to 3 step 1 ring 2 (%[[S:.*]] = 0, %[[NEXT:.*]] = 1, %{{.*}} = 1) {
// PIPE: simt.guard [-%[[KT]] + 1]
// PIPE: kernel.unary tanh
// PIPE: simt.mma
// PIPE: simt.store_vector %{{.*}}*%[[NEXT]]
// PIPE: simt.barrier
// PIPE: simt.mma_load a %{{.*}}*%[[NEXT]]
kernel.func @prologue gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [64, 64, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2] : f16 from !kernel.view<f16, read>
    %2 = kernel.unary tanh %1 : f16 -> f16
    kernel.yield %2 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "64", "64">
  kernel.foreach (%d3, %d4) in [64, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "64", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%d3 + %d4] : f16 to !kernel.view<f16, write>
  }
}

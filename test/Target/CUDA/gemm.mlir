// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt,simt.func(simt-pipeline-copies))' | FileCheck %s --check-prefix=PIPE

// SCHEDULE-LABEL: @f32 gemm
// SCHEDULE-SAME: schedule #cuda.gemm<
// CHECK-LABEL: simt.func @f32
// CHECK-SAME: block %[[B:.*]] of 3 thread %[[T:.*]] of {{[0-9]*}} scalars
// CHECK: %[[TM:.*]] = kernel.apply mod(%[[B]], 3) below 3
// CHECK: %[[ACC:.*]] = simt.registers zero : <4x4xf32>
// CHECK: %[[LHS:.*]] = simt.smem : <640xf32>
// CHECK: %[[RHS:.*]] = simt.smem : <2176xf32>
// CHECK: simt.tile_loop to 6 stages 2 fetch
// CHECK: simt.for %[[I:.*]] = 0 to {{.*}} unroll
// CHECK: %[[D0:.*]] = kernel.apply {{.*}} below 40
// CHECK: %[[D2:.*]] = kernel.apply {{.*}} below 96
// CHECK: simt.load_vector %{{.*}} [96*%[[D0]] + %[[D2]]] mask [-16*%[[TM]] - 16*%[[I]] - floordiv(%[[T]], 4) + 39] into [%[[I]]]
// CHECK: simt.store_shared %{{.*}}, %[[LHS]]
// CHECK: simt.store_vector %{{.*}} to %[[RHS]]
// CHECK: simt.load_fragment %[[LHS]]
// CHECK: simt.load_fragment %[[RHS]]
// CHECK: simt.fma_tile %[[ACC]]
// CHECK: simt.for %[[I:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.for %[[J:.*]] = 0 to 1 step 1 unroll
// CHECK: simt.for %[[E:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.get %[[ACC]] [%[[I]], 4*%[[J]] + %[[E]]]
// CHECK: simt.store_vector

// The first tile is fetched before the loop, the next one while this one is used.
// PIPE-LABEL: simt.func @f32
// PIPE: simt.load_vector
// PIPE: simt.for %[[KT:.*]] = 0 to 6 step 1 {
// PIPE: kernel.apply mod(%[[KT]], 2) below 2
// PIPE: simt.store_shared
// PIPE: simt.barrier
// PIPE-NEXT: simt.guard [-%[[KT]] + 4]
// PIPE: simt.load_vector
// PIPE: simt.fma_tile
// PIPE-NOT: simt.barrier
kernel.func @f32 gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [40, 64, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 64*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "40", "64">
  kernel.foreach (%d3, %d4) in [40, 64] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "40", "64">
    kernel.store %1, %out0[64*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// One column: its accumulator is read before the guard, so that nothing that is known of the position becomes its index.
// SCHEDULE-LABEL: @one_column
// SCHEDULE-SAME: schedule #cuda.gemm<
// PIPE-LABEL: simt.func @one_column
// CHECK-LABEL: simt.func @one_column
// CHECK: simt.fma_tile
// CHECK-COUNT-3: simt.for
// CHECK-NEXT: %[[V:.*]] = simt.get
// CHECK-NEXT: simt.guard
// CHECK: kernel.store %[[V]]
kernel.func @one_column gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [40, 1, 96] lhs (%d0, %d2) {
    %1 = kernel.load %in0[96*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "40", "1">
  kernel.foreach (%d3, %d4) in [40, 1] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "40", "1">
    kernel.store %1, %out0[%d3] : f32 to !kernel.view<f32, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s

// SCHEDULE-LABEL: @few
// SCHEDULE-SAME: schedule #cuda.matvec<rows 2, vector 4, warps 16, columns 16>
// CHECK-LABEL: simt.func @few
// CHECK-SAME: block %{{.*}} of 24 thread %[[T:.*]] of 512 scalars
// CHECK: %[[LANE:.*]] = kernel.apply mod(%[[T]], 32) below 32
// CHECK: %[[WARP:.*]] = kernel.apply floordiv(%[[T]], 32) below 16
// CHECK: %[[GROUP:.*]] = kernel.apply floordiv(%[[LANE]], 8) below 4
// CHECK: %[[ACC:.*]] = simt.registers zero : <2x4xf32>
// CHECK: simt.for %{{.*}} = 8*%[[WARP]] + mod(%[[LANE]], 8) to 1536 step 128
// CHECK: simt.load_vector %{{.*}} : !kernel.view<f32, read> to <f32, vector 4>
// CHECK: simt.fma_tile %[[ACC]]
// CHECK: simt.warp_reduce sum %{{.*}} over 8
// CHECK: simt.guard [-mod(%[[LANE]], 8)]
// CHECK: simt.store_shared
// CHECK: simt.barrier
// CHECK: simt.load_shared
// CHECK: kernel.store
kernel.func @few gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [2, 384, 1536] lhs (%d0, %d2) {
    %1 = kernel.load %in0[1536*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[%d1 + 384*%d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "2", "384">
  kernel.foreach (%d3, %d4) in [2, 384] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "2", "384">
    kernel.store %1, %out0[384*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

// Neighbours along k are read by neighbouring lanes.
// SCHEDULE-LABEL: @transposed
// SCHEDULE-SAME: schedule #cuda.row_matvec<rows 2, columns 1, vector 4 by 4, warps 4>
// CHECK-LABEL: simt.func @transposed
// CHECK-SAME: block %{{.*}} of 96 thread %[[T:.*]] of 128 scalars
// CHECK: %[[LANE:.*]] = kernel.apply mod(%[[T]], 32) below 32
// CHECK: %[[WARP:.*]] = kernel.apply floordiv(%[[T]], 32) below 4
// CHECK: %[[SUMS:.*]] = simt.registers zero : <2x1xf32>
// CHECK: simt.for %[[V:.*]] = %[[LANE]] to 384 step 32 {
// CHECK: %[[K:.*]] = kernel.apply 4*%[[V]] below 1536
// CHECK: simt.load_vector %{{.*}} : !kernel.view<f32, read> to <f32, vector 4>
// CHECK: simt.load_vector %{{.*}} : !kernel.view<f32, read> to <f32, vector 4>
// CHECK: simt.fma_tile %[[SUMS]]
// CHECK: simt.warp_reduce sum
// CHECK: simt.guard [-%[[LANE]]]
// CHECK: simt.store_shared
// CHECK: simt.barrier
// CHECK: simt.load_shared
// CHECK: kernel.store
kernel.func @transposed gemm grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [2, 384, 1536] lhs (%d0, %d2) {
    %1 = kernel.load %in0[1536*%d0 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[1536*%d1 + %d2] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "2", "384">
  kernel.foreach (%d3, %d4) in [2, 384] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "2", "384">
    kernel.store %1, %out0[384*%d3 + %d4] : f32 to !kernel.view<f32, write>
  }
}

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

// Neighbours along k are read by neighbouring lanes; four warps share a column's depth.
// SCHEDULE-LABEL: @transposed
// SCHEDULE-SAME: schedule #cuda.row_matvec<rows 2, columns 1, vector 4 by 4, warps 8, split 4>
// CHECK-LABEL: simt.func @transposed
// CHECK-SAME: block %[[B:.*]] of 192 thread %[[T:.*]] of 256 scalars
// CHECK: %[[TN:.*]] = kernel.apply mod(%[[B]], 192) below 192
// CHECK: %[[LANE:.*]] = kernel.apply mod(%[[T]], 32) below 32
// CHECK: %[[WARP:.*]] = kernel.apply floordiv(%[[T]], 32) below 8
// CHECK: %[[SUMS:.*]] = simt.registers zero : <2x1xf32>
// CHECK: %[[PARTS:.*]] = simt.smem : <16xf32>
// CHECK: simt.for %[[V:.*]] = %[[LANE]] + 32*mod(%[[WARP]], 4) to 384 step 128 {
// CHECK: kernel.apply 2*%[[TN]] + floordiv(%[[WARP]], 4) below 384
// CHECK: %[[K:.*]] = kernel.apply 4*%[[V]] below 1536
// CHECK: simt.load_vector %{{.*}} : !kernel.view<f32, read> to <f32, vector 4>
// CHECK: simt.load_vector %{{.*}} : !kernel.view<f32, read> to <f32, vector 4>
// CHECK: simt.fma_tile %[[SUMS]]
// CHECK: simt.warp_reduce sum
// CHECK: simt.guard [-%[[LANE]]]
// CHECK: simt.store_shared {{.*}}, %[[PARTS]]
// CHECK: simt.barrier
// CHECK: simt.load_shared %[[PARTS]]
// CHECK: simt.for %{{.*}} = 1 to 4 step 1 unroll
// CHECK: simt.load_shared %[[PARTS]]
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

// Two products of the same row, which is normalised: it is kept in shared memory, and a step reads weights of both,
// four vectors of each at once.
// SCHEDULE-LABEL: @normalised
// SCHEDULE-SAME: schedule #cuda.row_matvec<rows 1, columns 1, vector 8 by 8, warps 8, split 1>
// CHECK-LABEL: simt.func @normalised
// CHECK-SAME: block %[[B:.*]] of 128 thread %[[T:.*]] of 256 scalars
// CHECK: simt.block_reduce sum
// CHECK: %[[ROW:.*]] = simt.smem : <2048xf16>
// CHECK: simt.store_shared {{.*}}, %[[ROW]]
// CHECK: simt.barrier
// CHECK: simt.for %{{.*}} to 256 step 128 {
// CHECK-COUNT-2: simt.load_vector %{{.*}} : !kernel.view<f16, read> to <f16, vector 8>
// CHECK: simt.load_vector %[[ROW]]
// CHECK-COUNT-2: simt.fma_tile
// CHECK-COUNT-2: simt.load_vector %{{.*}} : !kernel.view<f16, read> to <f16, vector 8>
// CHECK: simt.load_vector %[[ROW]]
kernel.func @normalised gemm grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>,
     %out0: !kernel.view<f16, write>) {
  %sum = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [2048] {
    %1 = kernel.load %in0[%d0] : f16 from !kernel.view<f16, read>
    %2 = kernel.cast %1 : f16 -> f32
    %3 = kernel.binary mul %2, %2 : f32 -> f32
    kernel.yield %3 : f32
  } : f32
  %scale = kernel.unary rsqrt %sum : f32 -> f32
  %0 = kernel.dot [1, 1024, 2048] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    %2 = kernel.cast %1 : f16 -> f32
    %3 = kernel.binary mul %2, %scale : f32 -> f32
    %4 = kernel.cast %3 : f32 -> f16
    kernel.yield %4 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in1[2048*%d1 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "1024">
  %5 = kernel.dot [1, 1024, 2048] lhs (%d0, %d2) {
    %1 = kernel.load %in0[%d2] : f16 from !kernel.view<f16, read>
    %2 = kernel.cast %1 : f16 -> f32
    %3 = kernel.binary mul %2, %scale : f32 -> f32
    %4 = kernel.cast %3 : f32 -> f16
    kernel.yield %4 : f16
  } rhs (%d2, %d1) {
    %1 = kernel.load %in2[2048*%d1 + %d2] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "1", "1024">
  kernel.foreach (%d3, %d4) in [1, 1024] {
    %1 = kernel.extract %0 [%d3, %d4] : f32 from !kernel.tile<f32, "1", "1024">
    %2 = kernel.extract %5 [%d3, %d4] : f32 from !kernel.tile<f32, "1", "1024">
    %3 = kernel.binary mul %1, %2 : f32 -> f32
    %4 = kernel.cast %3 : f32 -> f16
    kernel.store %4, %out0[%d4] : f16 to !kernel.view<f16, write>
  }
}

// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt,simt.func(simt-place-shared))' | FileCheck %s

// A warp per row, four rows a block; the row stays in registers.
// SCHEDULE-LABEL: @warp
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 128, row 32, vector 4>
// CHECK-LABEL: simt.func @warp
// CHECK: %[[ROW:.*]] = simt.registers : <3x4xf32>
// CHECK: simt.for %[[I:.*]] = 0 to 3 step 1 unroll
// CHECK: simt.for %[[E:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.set %{{.*}}, %[[ROW]] [%[[I]], %[[E]]]
// CHECK: simt.accumulate sum
// CHECK: simt.warp_reduce sum
// CHECK: simt.for %[[I:.*]] = 0 to 3 step 1 unroll
// CHECK: simt.for %[[E:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.get %[[ROW]] [%[[I]], %[[E]]]
// CHECK: simt.store_vector
kernel.func @warp reduction grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %x = kernel.map (%d0) in [384] {
    %0 = kernel.load %in0[%d0 + 384*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "384">
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [384] {
    %0 = kernel.extract %x [%d1] : f32 from !kernel.tile<f32, "384">
    kernel.yield %0 : f32
  } : f32
  kernel.foreach (%d2) in [384] {
    %0 = kernel.extract %x [%d2] : f32 from !kernel.tile<f32, "384">
    %1 = kernel.binary div %0, %s : f32 -> f32
    kernel.store %1, %out0[%d2 + 384*%g0] : f32 to !kernel.view<f32, write>
  }
}

// A block per row; the result is stored by one thread.
// SCHEDULE-LABEL: @block
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 512, row 512, vector
// CHECK-LABEL: simt.func @block
// CHECK-SAME: thread %[[T:.*]] of 512 scalars
// CHECK: %[[S:.*]] = simt.smem at 0 : <16xf32>
// CHECK: %[[LANE:.*]] = kernel.apply %[[T]] below 512
// CHECK: simt.block_reduce max %{{.*}}, %[[S]]
// CHECK: simt.guard [-%[[LANE]]]
// CHECK-NEXT: kernel.store
kernel.func @block reduction grid (%g0) in [7] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind max>] (%d0) in [6000] {
    %0 = kernel.load %in0[%d0 + 6000*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// Too long for registers: what the map loads is loaded again.
// CHECK-LABEL: simt.func @again
// CHECK-SAME: block %[[B:.*]] of 7 thread
// CHECK-NOT: simt.set
// CHECK: %[[G0:.*]] = kernel.apply %[[B]] below 7
// CHECK-NOT: simt.set
// CHECK: %[[FIRST:.*]] = kernel.apply {{.*}} below 100000
// CHECK: %[[D1:.*]] = kernel.apply %[[FIRST]] + %{{.*}} below 100000
// CHECK-NEXT: kernel.load %{{.*}}[%[[D1]] + 100000*%[[G0]]]
// CHECK: simt.accumulate sum
kernel.func @again reduction grid (%g0) in [7] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %x = kernel.map (%d0) in [100000] {
    %0 = kernel.load %in0[%d0 + 100000*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "100000">
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [100000] {
    %0 = kernel.extract %x [%d1] : f32 from !kernel.tile<f32, "100000">
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// What all rows share takes two accesses where its elements are twice as wide; rows never do.
// SCHEDULE-LABEL: @shared
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 128, row 32, vector 8>
// CHECK-LABEL: simt.func @shared
// CHECK: %[[FACTORS:.*]] = simt.registers : <2xf32, vector 4>
// CHECK-NEXT: simt.load_vector %arg1 to %[[FACTORS]] [%[[C:.*]]] into [0]
// CHECK-NEXT: simt.load_vector %arg1 to %[[FACTORS]] [%[[C]] + 4] into [1]
kernel.func @shared row_reduction grid (%g0) in [1024] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f16, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [768] {
    %0 = kernel.load %in0[%d1 + 768*%g0] : f16 from !kernel.view<f16, read>
    kernel.yield %0 : f16
  } : f16
  kernel.foreach (%d2) in [768] {
    %1 = kernel.cast %s : f16 -> f32
    %2 = kernel.load %in1[%d2] : f32 from !kernel.view<f32, read>
    %3 = kernel.binary mul %1, %2 : f32 -> f32
    %4 = kernel.cast %3 : f32 -> f16
    kernel.store %4, %out0[%d2 + 768*%g0] : f16 to !kernel.view<f16, write>
  }
}

// SCHEDULE-LABEL: @of_rows
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 128, row 32, vector 4>
kernel.func @of_rows row_reduction grid (%g0) in [1024] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f16, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [768] {
    %0 = kernel.load %in0[%d1 + 768*%g0] : f16 from !kernel.view<f16, read>
    kernel.yield %0 : f16
  } : f16
  kernel.foreach (%d2) in [768] {
    %1 = kernel.cast %s : f16 -> f32
    %2 = kernel.load %in1[%d2 + 768*%g0] : f32 from !kernel.view<f32, read>
    %3 = kernel.binary mul %1, %2 : f32 -> f32
    %4 = kernel.cast %3 : f32 -> f16
    kernel.store %4, %out0[%d2 + 768*%g0] : f16 to !kernel.view<f16, write>
  }
}

// Wider rows have a block each.
// SCHEDULE-LABEL: @fewer
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 256, row 256, vector 8>
kernel.func @fewer row_reduction grid (%g0) in [128] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [2048] {
    %0 = kernel.load %in0[%d1 + 2048*%g0] : f16 from !kernel.view<f16, read>
    kernel.yield %0 : f16
  } : f16
  kernel.foreach (%d2) in [2048] {
    %2 = kernel.load %in1[%d2] : f16 from !kernel.view<f16, read>
    %3 = kernel.binary mul %s, %2 : f16 -> f16
    kernel.store %3, %out0[%d2 + 2048*%g0] : f16 to !kernel.view<f16, write>
  }
}

// Each thread of a row finds its own best value and where it stands; the best of all, then the first position where a thread has that.
// SCHEDULE-LABEL: @position
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 128, row 32, vector 4>
// CHECK-LABEL: simt.func @position
// CHECK: %[[WHERE:.*]] = simt.registers init %{{.*}} : i64
// CHECK: simt.for %{{.*}} = 0 to 3 step 1 unroll
// CHECK: simt.load_vector
// CHECK: %[[OWN:.*]] = simt.get %[[WHERE]]
// CHECK: simt.warp_reduce max {{.*}} : f32
// CHECK: kernel.unary is_nan
// CHECK: simt.warp_reduce min {{.*}} : i64
// CHECK: kernel.store
kernel.func @position reduction grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<i64, write>) {
  %p = kernel.arg_reduce max last false (%d0) in [384] {
    %0 = kernel.load %in0[%d0 + 384*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : i64
  kernel.store %p, %out0[%g0] : i64 to !kernel.view<i64, write>
}

// Blocks share a row where there are few and they are long; the last one of a row puts together what all have found.
// SCHEDULE-LABEL: @parts
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 256, row 256, vector 4, split 32>
// CHECK-LABEL: simt.func @parts
// CHECK-SAME: block %[[B:.*]] of 64 thread %[[T:.*]] of 256 {{.*}} workspace [64, 2]
// CHECK-SAME: %[[SUMS:[a-z0-9]*]]: !kernel.view<f32, readwrite>, %[[COUNTERS:[a-z0-9]*]]: !kernel.view<ui32, readwrite>)
// CHECK: kernel.apply %[[T]] + 256*mod(%[[B]], 32) below 8192
// CHECK: simt.block_reduce sum
// CHECK: simt.guard [-%[[T]]]
// CHECK: kernel.store %{{.*}}, %[[SUMS]][32*floordiv(%[[B]], 32) + mod(%[[B]], 32)]
// CHECK: simt.last_block %[[COUNTERS]]
// CHECK: simt.guard [-%[[T]] + 31]
// CHECK: kernel.load %[[SUMS]]
// CHECK: simt.block_reduce sum
// CHECK: simt.guard [-%[[T]]]
// CHECK: kernel.store
kernel.func @parts reduction grid (%g0) in [2] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [262144] {
    %0 = kernel.load %in0[%d0 + 262144*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// A second loop needs what the first gives, and rows enough keep the multiprocessors busy.
// SCHEDULE-LABEL: @parts_and_more
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 1024, row 1024, vector 4>
kernel.func @parts_and_more reduction grid (%g0) in [2] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [262144] {
    %0 = kernel.load %in0[%d0 + 262144*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.foreach (%d0) in [262144] {
    %0 = kernel.load %in0[%d0 + 262144*%g0] : f32 from !kernel.view<f32, read>
    %1 = kernel.binary div %0, %s : f32 -> f32
    kernel.store %1, %out0[%d0 + 262144*%g0] : f32 to !kernel.view<f32, write>
  }
}
// SCHEDULE-LABEL: @many_rows
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 1024, row 1024, vector 4>
kernel.func @many_rows reduction grid (%g0) in [100] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [262144] {
    %0 = kernel.load %in0[%d0 + 262144*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// Rows of an odd number of elements begin anywhere: elements before the first whole vector and behind the last come one by one, in that
// order, and have places of their own in a row that is kept.
// SCHEDULE-LABEL: @peeled
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 128, row 32, vector 4 peeled true>
// CHECK-LABEL: simt.func @peeled
// CHECK: %[[LANE:.*]] = kernel.apply mod(%{{.*}}, 32) below 32
// CHECK: %[[HEAD:.*]] = kernel.apply min(mod(-%{{.*}}, 4), 509) below 4
// CHECK: %[[VECTORS:.*]] = kernel.apply floordiv(-%[[HEAD]] + 1, 4) + 127 below 128
// CHECK: %[[ROW:.*]] = simt.registers : <6x4xf32>
// CHECK: simt.guard [-%[[LANE]] + %[[HEAD]] - 1]
// CHECK: simt.set %{{.*}}, %[[ROW]] [4, 0]
// CHECK: simt.for %[[I:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.guard [-%[[LANE]] + %[[VECTORS]] - 32*%[[I]] - 1]
// CHECK: simt.load_vector
// CHECK: simt.set %{{.*}}, %[[ROW]] [%[[I]], %{{.*}}]
// CHECK: simt.guard [-%[[LANE]] - %[[HEAD]] - 4*%[[VECTORS]] + 508]
// CHECK: simt.set %{{.*}}, %[[ROW]] [5, 0]
// CHECK: simt.store_vector
kernel.func @peeled reduction grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %x = kernel.map (%d0) in [509] {
    %0 = kernel.load %in0[%d0 + 509*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "509">
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [509] {
    %0 = kernel.extract %x [%d1] : f32 from !kernel.tile<f32, "509">
    kernel.yield %0 : f32
  } : f32
  kernel.foreach (%d2) in [509] {
    %0 = kernel.extract %x [%d2] : f32 from !kernel.tile<f32, "509">
    %1 = kernel.binary div %0, %s : f32 -> f32
    kernel.store %1, %out0[%d2 + 509*%g0] : f32 to !kernel.view<f32, write>
  }
}

// What all rows share begins elsewhere.
// SCHEDULE-LABEL: @shared_scale
// SCHEDULE-SAME: schedule #cuda.row_reduction<threads 128, row 32, vector 1>
kernel.func @shared_scale reduction grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [509] {
    %0 = kernel.load %in0[%d1 + 509*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.foreach (%d2) in [509] {
    %0 = kernel.load %in1[%d2] : f32 from !kernel.view<f32, read>
    %1 = kernel.binary div %0, %s : f32 -> f32
    kernel.store %1, %out0[%d2 + 509*%g0] : f32 to !kernel.view<f32, write>
  }
}

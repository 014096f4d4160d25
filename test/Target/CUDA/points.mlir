// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s

// Columns are contiguous between threads: each sums its own.
// SCHEDULE-LABEL: @columns
// SCHEDULE-SAME: schedule #cuda.reduction<threads 128, vector 1>
// CHECK-LABEL: simt.func @columns
// CHECK-SAME: block %[[B:.*]] of 320 thread %[[T:.*]] of 128 scalars
// CHECK: %[[G0:.*]] = kernel.apply 128*%[[B]] + %[[T]] below 40960
// CHECK: simt.for %[[D0:.*]] = 0 to 100 step 1
// CHECK: kernel.load %{{.*}}[40960*%[[D0]] + %[[G0]]]
// CHECK: simt.accumulate sum
// CHECK: kernel.store
kernel.func @columns reduction grid (%g0) in [40960] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [100] {
    %0 = kernel.load %in0[40960*%d0 + %g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// A window over channels-last images: a thread takes four channels, whose mask is one.
// SCHEDULE-LABEL: @window
// SCHEDULE-SAME: schedule #cuda.reduction<threads 128, vector 4>
// CHECK-LABEL: simt.func @window
// CHECK-SAME: block %[[B:.*]] of {{.*}} thread %[[T:.*]] of 128 scalars
// CHECK: simt.guard [896*n0 - 128*%[[B]] - %[[T]] - 1]
// CHECK: %[[G0:.*]] = kernel.apply 8*%[[B]] + floordiv(%[[T]], 16) below 56*n0
// CHECK: %[[G1:.*]] = kernel.apply 4*mod(%[[T]], 16) below 64
// CHECK: %[[SUM:.*]] = simt.registers : <4xf32>
// CHECK: simt.for %[[D0:.*]] = 0 to 3 step 1 unroll
// CHECK: simt.load_vector %{{.*}} [64*%[[G0]] + %[[G1]] + 64*%[[D0]] - 64] mask [%[[G0]] + %[[D0]] - 1] into [] else
// CHECK: simt.for %[[E:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.accumulate sum %{{.*}}, %[[SUM]] [%[[E]]]
// CHECK: simt.for %[[E:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.get %[[SUM]] [%[[E]]]
// CHECK: simt.store_vector
kernel.func @window reduction grid (%g0, %g1) in [56*n0, 64] scalars [#kernel.scalar<1, 16, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [3] {
    %z = kernel.constant 0.0 : f32
    %0 = kernel.load %in0[64*%d0 + 64*%g0 + %g1 - 64] mask [%d0 + %g0 - 1] else %z : f32 : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[64*%g0 + %g1] : f32 to !kernel.view<f32, write>
}

// Few and short columns: a warp shares each.
// SCHEDULE-LABEL: @few
// SCHEDULE-SAME: schedule #cuda.row_reduction<
kernel.func @few reduction grid (%g0) in [8] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [20] {
    %0 = kernel.load %in0[8*%d0 + %g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// A row of one element has no variable that threads could share.
// SCHEDULE-LABEL: @single
// SCHEDULE-SAME: schedule #cuda.reduction<
// CHECK-LABEL: simt.func @single
// CHECK: kernel.store
kernel.func @single reduction grid (%g0) in [n0] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] () in [] {
    %0 = kernel.load %in0[%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.foreach () in [] {
    kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
  }
}

// SCHEDULE-LABEL: @scalar
// SCHEDULE-SAME: schedule #cuda.reduction<
// CHECK-LABEL: simt.func @scalar
// CHECK: kernel.store
kernel.func @scalar pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach () in [] {
    %0 = kernel.load %in0[0] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[0] : f32 to !kernel.view<f32, write>
  }
}

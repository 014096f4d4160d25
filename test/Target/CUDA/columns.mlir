// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s

// A mean over the places of a channels-last image: eight warps share the places.
// SCHEDULE-LABEL: @mean
// SCHEDULE-SAME: schedule #cuda.column_reduction<threads 256>
// CHECK-LABEL: simt.func @mean
// CHECK-SAME: block %[[B:.*]] of 15 thread %[[T:.*]] of 256 scalars
// CHECK: %[[LANE:.*]] = kernel.apply mod(%[[T]], 32) below 32
// CHECK: %[[WARP:.*]] = kernel.apply floordiv(%[[T]], 32) below 8
// CHECK: %[[POINT:.*]] = kernel.apply min(32*%[[B]] + %[[LANE]], 479) below 480
// CHECK: %[[G0:.*]] = kernel.apply %[[POINT]] below 480
// CHECK: simt.for %[[I:.*]] = 0 to 25 step 1 unroll
// CHECK-NEXT: simt.guard [-%[[WARP]] - 8*%[[I]] + 195]
// CHECK: %[[D0:.*]] = kernel.apply %[[WARP]] + 8*%[[I]] below 196
// CHECK: kernel.load %{{.*}}[480*%[[D0]] + %[[G0]]]
// CHECK: simt.accumulate sum
// CHECK: simt.store_shared
// CHECK-NEXT: simt.barrier
// CHECK: simt.for %[[W:.*]] = 0 to 8 step 1 unroll
// CHECK: simt.load_shared %{{.*}}[%[[LANE]] + 32*%[[W]]]
// CHECK: simt.guard [-%[[WARP]]]
// CHECK-NEXT: kernel.store
kernel.func @mean reduction grid (%g0) in [480] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [196] {
    %0 = kernel.load %in0[480*%d0 + %g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// Neighbouring points are far apart in memory.
// SCHEDULE-LABEL: @apart
// SCHEDULE-SAME: schedule #cuda.row_reduction<
kernel.func @apart reduction grid (%g0) in [480] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0) in [196] {
    %0 = kernel.load %in0[%d0 + 196*%g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : f32
  kernel.store %s, %out0[%g0] : f32 to !kernel.view<f32, write>
}

// Registers of the warps keep a map of the column; the loop that writes is shared like those that read.
// SCHEDULE-LABEL: @map
// SCHEDULE-SAME: schedule #cuda.column_reduction<
// CHECK-LABEL: simt.func @map
// CHECK: %[[WARP:.*]] = kernel.apply floordiv({{.*}}, 32) below 8
// CHECK: %[[POINT:.*]] = kernel.apply min({{.*}}) below 480
// CHECK: %[[G0:.*]] = kernel.apply %[[POINT]] below 480
// CHECK: %[[TILE:.*]] = simt.registers : <25xf32>
// CHECK: simt.for %[[I:.*]] = 0 to 25 step 1 unroll
// CHECK: %[[D0:.*]] = kernel.apply %[[WARP]] + 8*%[[I]] below 196
// CHECK: %[[X:.*]] = kernel.load %{{.*}}[480*%[[D0]] + %[[G0]]]
// CHECK: simt.set %[[X]], %[[TILE]] [%[[I]]]
// CHECK-NOT: kernel.load
// CHECK: simt.for %[[I:.*]] = 0 to 25 step 1 unroll
// CHECK: simt.get %[[TILE]] [%[[I]]]
// CHECK: simt.accumulate sum
// CHECK: simt.for %[[I:.*]] = 0 to 25 step 1 unroll
// CHECK-NEXT: simt.guard [-%[[WARP]] - 8*%[[I]] + 195]
// CHECK: simt.get %[[TILE]] [%[[I]]]
// CHECK: kernel.store
kernel.func @map row_reduction grid (%g0) in [480] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %t = kernel.map (%d0) in [196] {
    %0 = kernel.load %in0[480*%d0 + %g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "196">
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [196] {
    %0 = kernel.extract %t [%d1] : f32 from !kernel.tile<f32, "196">
    kernel.yield %0 : f32
  } : f32
  kernel.foreach (%d2) in [196] {
    %0 = kernel.extract %t [%d2] : f32 from !kernel.tile<f32, "196">
    %1 = kernel.binary div %0, %s : f32 -> f32
    kernel.store %1, %out0[480*%d2 + %g0] : f32 to !kernel.view<f32, write>
  }
}

// A column of more than registers keep is read again, in a loop that is not unrolled.
// CHECK-LABEL: simt.func @long
// CHECK-COUNT-2: simt.for %{{.*}} = 0 to 63 step 1 {
kernel.func @long row_reduction grid (%g0) in [480] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %t = kernel.map (%d0) in [500] {
    %0 = kernel.load %in0[480*%d0 + %g0] : f32 from !kernel.view<f32, read>
    kernel.yield %0 : f32
  } : !kernel.tile<f32, "500">
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d1) in [500] {
    %0 = kernel.extract %t [%d1] : f32 from !kernel.tile<f32, "500">
    kernel.yield %0 : f32
  } : f32
  %q = kernel.reduce [#graph<reduce_kind max>] (%d1) in [500] {
    %0 = kernel.extract %t [%d1] : f32 from !kernel.tile<f32, "500">
    %1 = kernel.binary sub %0, %s : f32 -> f32
    kernel.yield %1 : f32
  } : f32
  kernel.store %q, %out0[%g0] : f32 to !kernel.view<f32, write>
}

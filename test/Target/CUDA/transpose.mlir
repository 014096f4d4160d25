// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s

// SCHEDULE-LABEL: @turn
// SCHEDULE-SAME: schedule #cuda.transpose<threads 256>
// CHECK-LABEL: simt.func @turn
// CHECK-SAME: block %[[B:.*]] of 6 thread
// CHECK: kernel.apply mod(%[[B]], 3) below 3
// CHECK: kernel.apply floordiv(%[[B]], 3) below 2
// CHECK: %[[S:.*]] = simt.smem : <1056xf32>
// CHECK: %[[D1:.*]] = kernel.apply {{.*}} below 96
// CHECK: %[[D0:.*]] = kernel.apply {{.*}} below 64
// CHECK: kernel.load %{{.*}}[%[[D0]] + 64*%[[D1]]]
// CHECK: simt.store_shared %{{.*}}, %[[S]]
// CHECK: simt.barrier
// CHECK: %[[D1:.*]] = kernel.apply {{.*}} below 96
// CHECK: %[[D0:.*]] = kernel.apply {{.*}} below 64
// CHECK: simt.load_shared %[[S]]
// CHECK: kernel.store %{{.*}}[96*%[[D0]] + %[[D1]]]
kernel.func @turn pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [64, 96] {
    %0 = kernel.load %in0[%d0 + 64*%d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[96*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// Four columns are read with full sectors anyway.
// SCHEDULE-LABEL: @short
// SCHEDULE-SAME: schedule #cuda.pointwise<
kernel.func @short pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [4, 96] {
    %0 = kernel.load %in0[%d0 + 4*%d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[96*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

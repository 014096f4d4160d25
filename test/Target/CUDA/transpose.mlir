// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule),kernel-to-simt)' | FileCheck %s

// SCHEDULE-LABEL: @turn
// SCHEDULE-SAME: schedule #cuda.transpose<threads 256, vector 4>
// CHECK-LABEL: simt.func @turn
// CHECK-SAME: block %[[B:.*]] of 6 thread %[[T:.*]] of 256
// CHECK: kernel.apply mod(%[[B]], 3) below 3
// CHECK: kernel.apply floordiv(%[[B]], 3) below 2
// A row in shared memory has two elements more, and is written by vectors of two.
// CHECK: %[[S:.*]] = simt.smem : <1088xf32>
// CHECK: %[[D1:.*]] = kernel.apply {{.*}} below 96
// CHECK: %[[D0:.*]] = kernel.apply 32*%{{.*}} + 4*mod(%[[T]], 8) below 64
// CHECK: simt.load_vector %{{.*}} to %{{.*}} [64*%[[D1]] + %[[D0]]] into []
// CHECK: simt.store_vector %{{.*}} to %[[S]] [{{.*}}2*%{{.*}} + 34*floordiv(%[[T]], 8) + 4*mod(%[[T]], 8)] {{.*}} : <f32, vector 2>
// CHECK: simt.barrier
// CHECK: %[[D0:.*]] = kernel.apply {{.*}} below 64
// CHECK: simt.load_shared %[[S]][{{.*}}34*%{{.*}} + 136*mod(%[[T]], 4)
// CHECK: %[[D1:.*]] = kernel.apply {{.*}} below 96
// CHECK: simt.store_vector %{{.*}} to %{{.*}} [96*%[[D0]] + %[[D1]]] from []
kernel.func @turn pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [64, 96] {
    %0 = kernel.load %in0[%d0 + 64*%d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[96*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// Rows that begin anywhere are read and written element by element.
// SCHEDULE-LABEL: @odd
// SCHEDULE-SAME: schedule #cuda.transpose<threads 256, vector 1>
// CHECK-LABEL: simt.func @odd
// CHECK: simt.smem : <1056xf32>
// CHECK: kernel.load
// CHECK: simt.store_shared
// CHECK: simt.barrier
// CHECK: simt.load_shared
// CHECK: kernel.store
kernel.func @odd pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [64, 97] {
    %0 = kernel.load %in0[%d0 + 64*%d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[97*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// What is written in 16 bits takes vectors of 8 bytes beside those of 16 that are read.
// SCHEDULE-LABEL: @narrowed
// SCHEDULE-SAME: schedule #cuda.transpose<threads 256, vector 4>
kernel.func @narrowed pointwise grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f16, write>) {
  kernel.foreach (%d0, %d1) in [64, 96] {
    %0 = kernel.load %in0[%d0 + 64*%d1] : f32 from !kernel.view<f32, read>
    %1 = kernel.cast %0 : f32 -> f16
    kernel.store %1, %out0[96*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Tiles of vectors of six operands would take half of a multiprocessor's shared memory, smaller ones do not.
// SCHEDULE-LABEL: @many_operands
// SCHEDULE-SAME: schedule #cuda.transpose<threads 256, vector 1>
kernel.func @many_operands pointwise grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %in2: !kernel.view<f16, read>, %in3: !kernel.view<f16, read>, %in4: !kernel.view<f16, read>, %in5: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  kernel.foreach (%d0, %d1) in [64, 96] {
    %x0 = kernel.load %in0[%d0 + 64*%d1] : f16 from !kernel.view<f16, read>
    %x1 = kernel.load %in1[%d0 + 64*%d1] : f16 from !kernel.view<f16, read>
    %x2 = kernel.load %in2[%d0 + 64*%d1] : f16 from !kernel.view<f16, read>
    %x3 = kernel.load %in3[%d0 + 64*%d1] : f16 from !kernel.view<f16, read>
    %x4 = kernel.load %in4[%d0 + 64*%d1] : f16 from !kernel.view<f16, read>
    %x5 = kernel.load %in5[%d0 + 64*%d1] : f16 from !kernel.view<f16, read>
    %s1 = kernel.binary add %x0, %x1 : f16 -> f16
    %s2 = kernel.binary add %s1, %x2 : f16 -> f16
    %s3 = kernel.binary add %s2, %x3 : f16 -> f16
    %s4 = kernel.binary add %s3, %x4 : f16 -> f16
    %s5 = kernel.binary add %s4, %x5 : f16 -> f16
    kernel.store %s5, %out0[96*%d0 + %d1] : f16 to !kernel.view<f16, write>
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

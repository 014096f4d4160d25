// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_80}),kernel-to-simt)' | FileCheck %s
// RUN: not cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-choose-schedule{arch=sm_13}))' 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error: architecture 'sm_13' is not known

// SCHEDULE-LABEL: @vectors
// SCHEDULE-SAME: schedule #cuda.pointwise<threads 256, vector 4>
// CHECK-LABEL: simt.func @vectors
// CHECK-SAME: block %[[B:.*]] of floordiv(3*n0 + 7, 8) thread %[[T:.*]] of 256 scalars
// CHECK: simt.guard [96*n0 - 256*%[[B]] - %[[T]] - 1]
// CHECK: %[[D0:.*]] = kernel.apply 2*%[[B]] + floordiv(64*%[[B]] + %[[T]], 96) below n0
// CHECK: %[[D1:.*]] = kernel.apply 4*mod(64*%[[B]] + %[[T]], 96) below 384
// CHECK: %[[V:.*]] = simt.registers : <f32, vector 4>
// CHECK: simt.load_vector %{{.*}} to %[[V]] [384*%[[D0]] + %[[D1]]] into []
// CHECK: simt.for %[[E:.*]] = 0 to 4 step 1 unroll
// CHECK: simt.get %[[V]] [%[[E]]]
// CHECK: simt.set %{{.*}}, %[[O:.*]] [%[[E]]]
// CHECK: simt.store_vector %[[O]] to %{{.*}} [384*%[[D0]] + %[[D1]]] from []
kernel.func @vectors pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, 384] {
    %0 = kernel.load %in0[384*%d0 + %d1] : f32 from !kernel.view<f32, read>
    %1 = kernel.load %in1[%d0] : f32 from !kernel.view<f32, read>
    %2 = kernel.binary add %0, %1 : f32 -> f32
    kernel.store %2, %out0[384*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// 385 elements a row: no vector is aligned.
// SCHEDULE-LABEL: @ragged
// SCHEDULE-SAME: schedule #cuda.pointwise<threads 256, vector 1>
// CHECK-LABEL: simt.func @ragged
// CHECK-NOT: vector 4
kernel.func @ragged pointwise grid () in [] scalars [#kernel.scalar<1, 0, 1>]
    (%in0: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [n0, 385] {
    %0 = kernel.load %in0[%d1] : f32 from !kernel.view<f32, read>
    kernel.store %0, %out0[385*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// The row is found once per vector, the columns are one access.
// CHECK-LABEL: simt.func @gather
// CHECK: %[[D1:.*]] = kernel.apply 4*mod({{.*}}, 16) below 64
// CHECK: %[[I:.*]] = kernel.checked_index
// CHECK: simt.load_vector %{{.*}} [%[[D1]] + 64*%[[I]]] into []
kernel.func @gather gather grid () in [] scalars []
    (%in0: !kernel.view<i64, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1) in [8, 64] {
    %0 = kernel.load %in0[%d0] : i64 from !kernel.view<i64, read>
    %1 = kernel.checked_index %0 below 100 : i64
    %2 = kernel.load %in1[%d1 + 64*%1] : f32 from !kernel.view<f32, read>
    kernel.store %2, %out0[64*%d0 + %d1] : f32 to !kernel.view<f32, write>
  }
}

// A bias stays in registers while a thread does four rows; of 1,023 the last are missing.
// SCHEDULE-LABEL: @bias
// SCHEDULE-SAME: schedule #cuda.pointwise<threads 128, vector 8, rows 4>
// CHECK-LABEL: simt.func @bias
// CHECK-SAME: block %[[B:.*]] of 192 thread %[[T:.*]] of 128 scalars
// CHECK: %[[FIRST:.*]] = kernel.apply {{.*}} below 256
// CHECK: %[[BIAS:.*]] = simt.registers : <f16, vector 8>
// CHECK: simt.load_vector %arg1 to %[[BIAS]]
// CHECK: simt.for %[[R:.*]] = 0 to 4 step 1 unroll
// CHECK-NEXT: simt.guard [-%[[FIRST]] - 256*%[[R]] + 1022]
// CHECK: %[[D0:.*]] = kernel.apply %[[FIRST]] + 256*%[[R]] below 1023
// CHECK: %[[X:.*]] = simt.registers : <f16, vector 8>
// CHECK: simt.load_vector %arg0 to %[[X]] [768*%[[D0]] +
// CHECK-NOT: simt.load_vector
// CHECK: simt.get %[[BIAS]]
// CHECK: simt.store_vector
kernel.func @bias pointwise grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  kernel.foreach (%d0, %d1) in [1023, 768] {
    %0 = kernel.load %in0[768*%d0 + %d1] : f16 from !kernel.view<f16, read>
    %1 = kernel.load %in1[%d1] : f16 from !kernel.view<f16, read>
    %2 = kernel.binary add %0, %1 : f16 -> f16
    kernel.store %2, %out0[768*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// What is the same for all images, but not for all rows, stays along the images.
// SCHEDULE-LABEL: @positions
// SCHEDULE-SAME: schedule #cuda.pointwise<threads 128, vector 8, rows 4>
// CHECK-LABEL: simt.func @positions
// CHECK: %[[FIRST:.*]] = kernel.apply {{.*}} below 2
// CHECK: %[[D1:.*]] = kernel.apply {{.*}} below 197
// CHECK: simt.load_vector %arg1 to %{{.*}} [768*%[[D1]] +
// CHECK: simt.for %[[R:.*]] = 0 to 4 step 1 unroll
// CHECK-NEXT: %[[D0:.*]] = kernel.apply %[[FIRST]] + 2*%[[R]] below 8
kernel.func @positions pointwise grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  kernel.foreach (%d0, %d1, %d2) in [8, 197, 768] {
    %0 = kernel.load %in0[151296*%d0 + 768*%d1 + %d2] : f16 from !kernel.view<f16, read>
    %1 = kernel.load %in1[768*%d1 + %d2] : f16 from !kernel.view<f16, read>
    %2 = kernel.binary add %0, %1 : f16 -> f16
    kernel.store %2, %out0[151296*%d0 + 768*%d1 + %d2] : f16 to !kernel.view<f16, write>
  }
}

// Few points need all the threads that there can be.
// SCHEDULE-LABEL: @few
// SCHEDULE-SAME: schedule #cuda.pointwise<threads 256, vector 8>
kernel.func @few pointwise grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  kernel.foreach (%d0, %d1) in [128, 768] {
    %0 = kernel.load %in0[768*%d0 + %d1] : f16 from !kernel.view<f16, read>
    %1 = kernel.load %in1[%d1] : f16 from !kernel.view<f16, read>
    %2 = kernel.binary add %0, %1 : f16 -> f16
    kernel.store %2, %out0[768*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

// Halves that begin at odd elements: each element of a vector asks for the sectors of all, which L1 has, and the stores
// are whole. Element by element it takes three times as long on an H200.
// SCHEDULE-LABEL: @scattered
// SCHEDULE-SAME: schedule #cuda.pointwise<threads 256, vector 8>
kernel.func @scattered pointwise grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  kernel.foreach (%d0, %d1) in [1024, 960] {
    %0 = kernel.load %in0[961*%d0 + %d1] : f16 from !kernel.view<f16, read>
    kernel.store %0, %out0[960*%d0 + %d1] : f16 to !kernel.view<f16, write>
  }
}

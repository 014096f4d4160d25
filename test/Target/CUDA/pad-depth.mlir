// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-pad-depth))' | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(kernel-pad-depth,kernel-choose-schedule),kernel-to-simt)' | FileCheck %s --check-prefix=SIMT

// Three channels are a group of four, the last of them zero, for both operands.
// CHECK-LABEL: kernel.func @stem
// CHECK: kernel.dot [400, 64, 36] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %{{.*}}[{{.*}}mod(%[[K]], 4){{.*}}] mask [{{.*}}floordiv(%[[K]], 12){{.*}}, -mod(%[[K]], 4) + 2] else
// CHECK: } rhs (%[[K2:.*]], %[[N:.*]]) {
// CHECK: kernel.load %{{.*}}[%[[N]] + 192*floordiv(%[[K2]], 4) + 64*mod(%[[K2]], 4)] mask [-mod(%[[K2]], 4) + 2] else

// A thread loads a group with one position and one mask, and stores it at once.
// SIMT-LABEL: simt.func @stem
// SIMT: simt.registers : <{{.*}}xf16, vector 4>
// SIMT: simt.for %{{.*}} = 0 to {{.*}} unroll
// SIMT-NEXT: simt.for %[[E:.*]] = 0 to 4 step 1 unroll
// SIMT: kernel.load %{{.*}}%[[E]]{{.*}} mask [{{.*}}, -%[[E]] + 2] else
// SIMT: simt.store_vector %{{.*}} <{{.*}}xf16, vector 4>
kernel.func @stem conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [400, 64, 27] lhs (%m, %k) {
    %z = kernel.constant 0.0 : f16
    %1 = kernel.load %in0[3*%m + 60*floordiv(%k, 9) + mod(%k, 9) - 60]
        mask [floordiv(%m, 20) + floordiv(%k, 9) - 1, -mod(%m, 20) - mod(floordiv(%k, 3), 3) + 19]
        else %z : f16 : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "400", "64">
  kernel.foreach (%m, %n) in [400, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "400", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// Four are a group as they are; f32 has no matrix units here.
// CHECK-LABEL: kernel.func @whole
// CHECK: kernel.dot [400, 64, 36]
// CHECK-NOT: mask
kernel.func @whole conv grid () in [] scalars []
    (%in0: !kernel.view<f16, read>, %in1: !kernel.view<f16, read>, %out0: !kernel.view<f16, write>) {
  %0 = kernel.dot [400, 64, 36] lhs (%m, %k) {
    %1 = kernel.load %in0[4*%m + 80*floordiv(%k, 12) + mod(%k, 12)] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f16 from !kernel.view<f16, read>
    kernel.yield %1 : f16
  } : !kernel.tile<f32, "400", "64">
  kernel.foreach (%m, %n) in [400, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "400", "64">
    %2 = kernel.cast %1 : f32 -> f16
    kernel.store %2, %out0[64*%m + %n] : f16 to !kernel.view<f16, write>
  }
}

// CHECK-LABEL: kernel.func @full
// CHECK: kernel.dot [400, 64, 27]
kernel.func @full conv grid () in [] scalars []
    (%in0: !kernel.view<f32, read>, %in1: !kernel.view<f32, read>, %out0: !kernel.view<f32, write>) {
  %0 = kernel.dot [400, 64, 27] lhs (%m, %k) {
    %1 = kernel.load %in0[3*%m + 60*floordiv(%k, 9) + mod(%k, 9)] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %in1[64*%k + %n] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } : !kernel.tile<f32, "400", "64">
  kernel.foreach (%m, %n) in [400, 64] {
    %1 = kernel.extract %0 [%m, %n] : f32 from !kernel.tile<f32, "400", "64">
    kernel.store %1, %out0[64*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

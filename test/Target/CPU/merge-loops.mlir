//===- test/Target/CPU/merge-loops.mlir - planes of pointwise kernels are rows ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-merge-loops))' | FileCheck %s

// CHECK-LABEL: @planes
// CHECK: kernel.foreach (%[[P:.*]], %[[C:.*]]) in [49, 512]
// CHECK-NEXT: kernel.load %{{.*}}[%[[P]] + 49*%[[C]]]
// CHECK-NEXT: kernel.store %{{.*}}[512*%[[P]] + %[[C]]]
kernel.func @planes pointwise grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  kernel.foreach (%d0, %d1, %d2) in [7, 7, 512] {
    %x = kernel.load %a[7*%d0 + %d1 + 49*%d2] : f32 from <f32, read>
    kernel.store %x, %o[3584*%d0 + 512*%d1 + %d2] : f32 to <f32, write>
  }
}

// So are those of what is reduced.
// CHECK-LABEL: @reduction
// CHECK: kernel.reduce {{.*}} (%[[P:.*]]) in [49]
// CHECK-NEXT: kernel.load %{{.*}}[%[[P]] + 49*%{{.*}}]
kernel.func @reduction reduction grid (%g) in [512] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0, %d1) in [7, 7] {
    %x = kernel.load %a[49*%g + 7*%d0 + %d1] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[%g] : f32 to <f32, write>
}

// A window of an image has rows.
// CHECK-LABEL: @window
// CHECK: kernel.reduce {{.*}} in [3, 3]
kernel.func @window reduction grid (%g) in [14] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%d0, %d1) in [3, 3] {
    %x = kernel.load %a[%g + 16*%d0 + %d1] : f32 from <f32, read>
    kernel.yield %x : f32
  } : f32
  kernel.store %s, %o[%g] : f32 to <f32, write>
}

// The loops of a product are rows and columns.
// CHECK-LABEL: @product
// CHECK: kernel.foreach {{.*}} in [2, 8]
kernel.func @product gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, read>,
     %o: !kernel.view<f32, write>) {
  %t = kernel.dot [2, 8, 4] lhs (%m, %k) {
    %x = kernel.load %a[4*%m + %k] : f32 from !kernel.view<f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[%n + 8*%k] : f32 from !kernel.view<f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "2", "8">
  kernel.foreach (%d0, %d1) in [2, 8] {
    %x = kernel.load %c[8*%d0 + %d1] : f32 from <f32, read>
    kernel.store %x, %o[8*%d0 + %d1] : f32 to <f32, write>
  }
}

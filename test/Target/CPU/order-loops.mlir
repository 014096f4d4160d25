//===- test/Target/CPU/order-loops.mlir - the grid runs as what the kernel stores lies ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-order-loops))' | FileCheck %s

// Planes: the channels are outermost, and what rows and columns were stays with them.
// CHECK-LABEL: @planes
// CHECK-SAME: grid (%[[C:.*]], %[[Y:.*]], %[[X:.*]]) in [16, 9, 8]
// CHECK: kernel.load %{{.*}}[10*%[[Y]] + %[[X]] + 90*%[[C]] + 10*%{{.*}} + %{{.*}}]
// CHECK: kernel.store %{{.*}}, %{{.*}}[8*%[[Y]] + %[[X]] + 72*%[[C]]]
kernel.func @planes reduction grid (%y, %x, %c) in [9, 8, 16] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %s = kernel.reduce [#graph<reduce_kind sum>] (%i, %j) in [3, 3] {
    %v = kernel.load %a[10*%y + %x + 90*%c + 10*%i + %j] : f32 from <f32, read>
    kernel.yield %v : f32
  } : f32
  kernel.store %s, %o[8*%y + %x + 72*%c] : f32 to <f32, write>
}

// Steps that are not known are large.
// CHECK-LABEL: @open
// CHECK-SAME: grid (%[[B:.*]], %[[X:.*]], %[[C:.*]]) in [n0, n1, 4]
kernel.func @open reduction grid (%x, %c, %b) in [n1, 4, n0] scalars [#kernel.scalar<1, 0, 1>, #kernel.scalar<1, 0, 1>]
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %v = kernel.load %a[%x + n1*%c + 4*n1*%b] : f32 from <f32, read>
  kernel.store %v, %o[4*%x + %c + 4*n1*%b] : f32 to <f32, write>
}

// In order; two stores of different orders; a store whose places are no sum of steps; a product.
// CHECK-LABEL: @ordered
// CHECK-SAME: in [9, 8]
kernel.func @ordered reduction grid (%y, %x) in [9, 8] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %v = kernel.load %a[%y + 9*%x] : f32 from <f32, read>
  kernel.store %v, %o[8*%y + %x] : f32 to <f32, write>
}
// CHECK-LABEL: @both
// CHECK-SAME: in [9, 8]
kernel.func @both pointwise grid (%y, %x) in [9, 8] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>, %p: !kernel.view<f32, write>) {
  %v = kernel.load %a[%y + 9*%x] : f32 from <f32, read>
  kernel.store %v, %o[%y + 9*%x] : f32 to <f32, write>
  kernel.store %v, %p[8*%y + %x] : f32 to <f32, write>
}
// CHECK-LABEL: @shuffled
// CHECK-SAME: in [9, 8]
kernel.func @shuffled pointwise grid (%y, %x) in [9, 8] scalars []
    (%a: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %v = kernel.load %a[8*%y + %x] : f32 from <f32, read>
  kernel.store %v, %o[%y + 9*mod(%x, 4) + 36*floordiv(%x, 4)] : f32 to <f32, write>
}
// CHECK-LABEL: @product
// CHECK-SAME: in [2, 3]
kernel.func @product gemm grid (%g, %h) in [2, 3] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [2, 8, 4] lhs (%m, %k) {
    %x = kernel.load %a[8*%g + 4*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[32*%h + %n + 8*%k] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "2", "8">
  kernel.foreach (%m, %n) in [2, 8] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "2", "8">
    kernel.store %s, %o[16*%g + 32*%h + 8*%m + %n] : f32 to <f32, write>
  }
}

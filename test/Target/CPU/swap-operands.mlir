//===- test/Target/CPU/swap-operands.mlir - few rows become few columns ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-swap-operands{arch=x86-64-v4}))' | FileCheck %s
// RUN: not cupola-opt %s --pass-pipeline='builtin.module(kernel.func(cpu-swap-operands{arch=x86-64-v9}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: architecture 'x86-64-v9' is not known

// One query by 100 keys; what follows goes along.
// CHECK-LABEL: @query
// CHECK: %[[T:.*]] = kernel.dot [100, 1, 64] lhs (%[[N:.*]], %[[K:.*]]) {
// CHECK-NEXT: kernel.load %arg1[64*%[[N]] + %[[K]]]
// CHECK: } rhs (%[[RK:.*]], %[[M:.*]]) {
// CHECK-NEXT: kernel.load %arg0[64*%[[M]] + %[[RK]]]
// CHECK: : <f32, "100", "1">
// CHECK: kernel.foreach (%[[FN:.*]], %[[FM:.*]]) in [100, 1] {
// CHECK-NEXT: kernel.extract %[[T]] [%[[FN]], %[[FM]]]
// CHECK: kernel.load %arg2[%[[FN]]]
// CHECK: kernel.store %{{.*}}, %arg3[100*%[[FM]] + %[[FN]]]
kernel.func @query gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %c: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [1, 100, 64] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[64*%n + %k] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "1", "100">
  kernel.foreach (%m, %n) in [1, 100] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "1", "100">
    %c0 = kernel.load %c[%n] : f32 from <f32, read>
    %r = kernel.binary add %s, %c0 : f32 -> f32
    kernel.store %r, %o[100*%m + %n] : f32 to <f32, write>
  }
}

// Rows of the right operand lie in memory as a vector wants them.
// CHECK-LABEL: @rows
// CHECK: kernel.dot [1, 100, 64]
kernel.func @rows gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [1, 100, 64] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[100*%k + %n] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "1", "100">
  kernel.foreach (%m, %n) in [1, 100] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "1", "100">
    kernel.store %s, %o[100*%m + %n] : f32 to <f32, write>
  }
}

// Nine rows fill more than half of a vector; fewer columns than rows have nothing to win.
// CHECK-LABEL: @many
// CHECK: kernel.dot [9, 100, 64]
kernel.func @many gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [9, 100, 64] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[64*%n + %k] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "9", "100">
  kernel.foreach (%m, %n) in [9, 100] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "9", "100">
    kernel.store %s, %o[100*%m + %n] : f32 to <f32, write>
  }
}
// CHECK-LABEL: @narrow
// CHECK: kernel.dot [4, 2, 64]
kernel.func @narrow gemm grid () in [] scalars []
    (%a: !kernel.view<f32, read>, %b: !kernel.view<f32, read>, %o: !kernel.view<f32, write>) {
  %t = kernel.dot [4, 2, 64] lhs (%m, %k) {
    %x = kernel.load %a[64*%m + %k] : f32 from <f32, read>
    kernel.yield %x : f32
  } rhs (%k, %n) {
    %y = kernel.load %b[64*%n + %k] : f32 from <f32, read>
    kernel.yield %y : f32
  } : !kernel.tile<f32, "4", "2">
  kernel.foreach (%m, %n) in [4, 2] {
    %s = kernel.extract %t [%m, %n] : f32 from !kernel.tile<f32, "4", "2">
    kernel.store %s, %o[2*%m + %n] : f32 to <f32, write>
  }
}

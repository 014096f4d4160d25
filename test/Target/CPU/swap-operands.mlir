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

// Weights of four bits in columns, which are computed along the depth: two of each byte, a scale for 32.
// CHECK-LABEL: @nibbles
// CHECK: kernel.dot [100, 1, 64] lhs (%[[N:.*]], %[[K:.*]]) {
// CHECK-NEXT: kernel.load %arg1[32*%[[N]] + floordiv(%[[K]], 2)]
kernel.func @nibbles gemm grid () in [] scalars [] (%x: !kernel.view<f32, read>, %w: !kernel.view<ui8, read>, %s: !kernel.view<f32, read>, %y: !kernel.view<f32, write>) {
  %0 = kernel.dot [1, 100, 64] lhs (%m, %k) {
    %1 = kernel.load %x[%k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %w[32*%n + floordiv(%k, 2)] : ui8 from !kernel.view<ui8, read>
    %2 = kernel.cast %1 : ui8 -> f32
    %3 = kernel.load %s[2*%n + floordiv(%k, 32)] : f32 from !kernel.view<f32, read>
    %4 = kernel.binary mul %2, %3 : f32 -> f32
    kernel.yield %4 : f32
  } : <f32, "1", "100">
  kernel.foreach (%m, %n) in [1, 100] {
    %1 = kernel.extract %0 [%m, %n] : f32 from <f32, "1", "100">
    kernel.store %1, %y[100*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

// What is looked up for each depth has no vectors along it.
// CHECK-LABEL: @thirds
// CHECK: kernel.dot [1, 100, 63] lhs
kernel.func @thirds gemm grid () in [] scalars [] (%x: !kernel.view<f32, read>, %w: !kernel.view<f32, read>, %y: !kernel.view<f32, write>) {
  %0 = kernel.dot [1, 100, 63] lhs (%m, %k) {
    %1 = kernel.load %x[%k] : f32 from !kernel.view<f32, read>
    kernel.yield %1 : f32
  } rhs (%k, %n) {
    %1 = kernel.load %w[21*%n + floordiv(%k, 3)] : f32 from !kernel.view<f32, read>
    %2 = kernel.unary neg %1 : f32 -> f32
    kernel.yield %2 : f32
  } : <f32, "1", "100">
  kernel.foreach (%m, %n) in [1, 100] {
    %1 = kernel.extract %0 [%m, %n] : f32 from <f32, "1", "100">
    kernel.store %1, %y[100*%m + %n] : f32 to !kernel.view<f32, write>
  }
}

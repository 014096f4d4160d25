//===- test/Transforms/recognize-softmax.mlir - guarded and written-out softmax ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-recognize-softmax))" | FileCheck %s

// CHECK-LABEL: @guard
// CHECK-NEXT: graph.softmax %arg0 axis 1 {guard = #graph<softmax_guard nan>}
// CHECK-NEXT: return
func.func @guard(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = graph.constant dense<0.0> : tensor<2x8xf32> : tensor<2x8xf32>
  %0 = graph.softmax %x axis 1 : tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = graph.unary is_nan %0 : tensor<2x8xf32> -> tensor<2x8xi1>
  %2 = graph.select %1, %zero, %0 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

// Between casts.
// CHECK-LABEL: @guard_half
// CHECK-NEXT: graph.cast %arg0
// CHECK-NEXT: graph.softmax %{{.*}} axis 1 {guard = #graph<softmax_guard nan>} : tensor<2x8xf32>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return
func.func @guard_half(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
  %zero = graph.constant dense<0.0> : tensor<2x8xf16> : tensor<2x8xf16>
  %0 = graph.cast %x : tensor<2x8xf16> -> tensor<2x8xf32>
  %1 = graph.softmax %0 axis 1 : tensor<2x8xf32> -> tensor<2x8xf32>
  %2 = graph.cast %1 : tensor<2x8xf32> -> tensor<2x8xf16>
  %3 = graph.unary is_nan %2 : tensor<2x8xf16> -> tensor<2x8xi1>
  %4 = graph.select %3, %zero, %2 : tensor<2x8xi1>, tensor<2x8xf16>, tensor<2x8xf16> -> tensor<2x8xf16>
  return %4 : tensor<2x8xf16>
}

// A row of -inf: all(x == -inf) by the least integer, and not any(x != -inf) by their sum.
// CHECK-LABEL: @hidden
// CHECK-NEXT: graph.softmax %arg0 axis 1 {guard = #graph<softmax_guard hidden>}
// CHECK-NEXT: graph.softmax %arg0 axis 1 {guard = #graph<softmax_guard hidden>}
// CHECK-NEXT: return
func.func @hidden(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %zero = graph.constant dense<0.0> : tensor<2x8xf32> : tensor<2x8xf32>
  %lowest = graph.constant dense<0xFF800000> : tensor<2x8xf32> : tensor<2x8xf32>
  %0 = graph.binary equal %x, %lowest : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xi1>
  %1 = graph.cast %0 : tensor<2x8xi1> -> tensor<2x8xi64>
  %2 = graph.reduce min %1 [1] : tensor<2x8xi64> -> tensor<2x1xi64>
  %3 = graph.cast %2 : tensor<2x1xi64> -> tensor<2x1xi1>
  %4 = graph.broadcast %3 : tensor<2x1xi1> -> tensor<2x8xi1>
  %5 = graph.softmax %x axis 1 : tensor<2x8xf32> -> tensor<2x8xf32>
  %6 = graph.select %4, %zero, %5 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %7 = graph.unary not %0 : tensor<2x8xi1> -> tensor<2x8xi1>
  %8 = graph.cast %7 : tensor<2x8xi1> -> tensor<2x8xi64>
  %9 = graph.reduce sum %8 [1] : tensor<2x8xi64> -> tensor<2x1xi64>
  %10 = graph.cast %9 : tensor<2x1xi64> -> tensor<2x1xi1>
  %11 = graph.broadcast %10 : tensor<2x1xi1> -> tensor<2x8xi1>
  %12 = graph.unary not %11 : tensor<2x8xi1> -> tensor<2x8xi1>
  %13 = graph.softmax %x axis 1 : tensor<2x8xf32> -> tensor<2x8xf32>
  %14 = graph.select %12, %zero, %13 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %6, %14 : tensor<2x8xf32>, tensor<2x8xf32>
}

// Some instead of all; along the other axis; of another tensor.
// CHECK-LABEL: @refused_hidden
// CHECK-NOT: guard
// CHECK: return
func.func @refused_hidden(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = graph.constant dense<0.0> : tensor<8x8xf32> : tensor<8x8xf32>
  %lowest = graph.constant dense<0xFF800000> : tensor<8x8xf32> : tensor<8x8xf32>
  %0 = graph.binary equal %x, %lowest : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xi1>
  %1 = graph.cast %0 : tensor<8x8xi1> -> tensor<8x8xi64>
  %2 = graph.reduce max %1 [1] : tensor<8x8xi64> -> tensor<8x1xi64>
  %3 = graph.cast %2 : tensor<8x1xi64> -> tensor<8x1xi1>
  %4 = graph.broadcast %3 : tensor<8x1xi1> -> tensor<8x8xi1>
  %5 = graph.softmax %x axis 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  %6 = graph.select %4, %zero, %5 : tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %7 = graph.reduce min %1 [0] : tensor<8x8xi64> -> tensor<1x8xi64>
  %8 = graph.cast %7 : tensor<1x8xi64> -> tensor<1x8xi1>
  %9 = graph.broadcast %8 : tensor<1x8xi1> -> tensor<8x8xi1>
  %10 = graph.softmax %x axis 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  %11 = graph.select %9, %zero, %10 : tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %12 = graph.reduce min %1 [1] : tensor<8x8xi64> -> tensor<8x1xi64>
  %13 = graph.cast %12 : tensor<8x1xi64> -> tensor<8x1xi1>
  %14 = graph.broadcast %13 : tensor<8x1xi1> -> tensor<8x8xi1>
  %15 = graph.softmax %y axis 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  %16 = graph.select %14, %zero, %15 : tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %6, %11, %16 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @written
// CHECK-NEXT: graph.softmax %arg0 axis 0
// CHECK-NEXT: return
func.func @written(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = graph.reduce max %x [0] : tensor<2x8xf32> -> tensor<1x8xf32>
  %1 = graph.broadcast %0 : tensor<1x8xf32> -> tensor<2x8xf32>
  %2 = graph.binary sub %x, %1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %3 = graph.unary exp %2 : tensor<2x8xf32> -> tensor<2x8xf32>
  %4 = graph.reduce sum %3 [0] : tensor<2x8xf32> -> tensor<1x8xf32>
  %5 = graph.broadcast %4 : tensor<1x8xf32> -> tensor<2x8xf32>
  %6 = graph.binary div %3, %5 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

// Times the reciprocal of the sum; the logarithm.
// CHECK-LABEL: @written_forms
// CHECK-NEXT: graph.softmax %arg0 axis 1
// CHECK-NEXT: graph.softmax %arg0 axis 1 {log = true}
// CHECK-NEXT: return
func.func @written_forms(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = graph.reduce max %x [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %1 = graph.broadcast %0 : tensor<2x1xf32> -> tensor<2x8xf32>
  %2 = graph.binary sub %x, %1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %3 = graph.unary exp %2 : tensor<2x8xf32> -> tensor<2x8xf32>
  %4 = graph.reduce sum %3 [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %5 = graph.unary reciprocal %4 : tensor<2x1xf32> -> tensor<2x1xf32>
  %6 = graph.broadcast %5 : tensor<2x1xf32> -> tensor<2x8xf32>
  %7 = graph.binary mul %3, %6 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %8 = graph.unary log %4 : tensor<2x1xf32> -> tensor<2x1xf32>
  %9 = graph.broadcast %8 : tensor<2x1xf32> -> tensor<2x8xf32>
  %10 = graph.binary sub %2, %9 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %7, %10 : tensor<2x8xf32>, tensor<2x8xf32>
}

// The sum over another axis than the maximum; the sum of other powers; the logarithm of another sum.
// CHECK-LABEL: @refused_written
// CHECK-NOT: softmax
// CHECK: return
func.func @refused_written(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.reduce max %x [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %1 = graph.broadcast %0 : tensor<8x1xf32> -> tensor<8x8xf32>
  %2 = graph.binary sub %x, %1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = graph.unary exp %2 : tensor<8x8xf32> -> tensor<8x8xf32>
  %4 = graph.reduce sum %3 [0] : tensor<8x8xf32> -> tensor<1x8xf32>
  %5 = graph.broadcast %4 : tensor<1x8xf32> -> tensor<8x8xf32>
  %6 = graph.binary div %3, %5 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %7 = graph.unary exp %y : tensor<8x8xf32> -> tensor<8x8xf32>
  %8 = graph.reduce sum %7 [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %9 = graph.broadcast %8 : tensor<8x1xf32> -> tensor<8x8xf32>
  %10 = graph.binary div %3, %9 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %11 = graph.unary log %8 : tensor<8x1xf32> -> tensor<8x1xf32>
  %12 = graph.broadcast %11 : tensor<8x1xf32> -> tensor<8x8xf32>
  %13 = graph.binary sub %2, %12 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %6, %10, %13 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// The unguarded softmax has another reader; a guard that puts 1 instead of 0.
// CHECK-LABEL: @refused
// CHECK-NOT: guard
// CHECK: return
func.func @refused(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %zero = graph.constant dense<0.0> : tensor<2x8xf32> : tensor<2x8xf32>
  %one = graph.constant dense<1.0> : tensor<2x8xf32> : tensor<2x8xf32>
  %0 = graph.softmax %x axis 1 : tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = graph.unary is_nan %0 : tensor<2x8xf32> -> tensor<2x8xi1>
  %2 = graph.select %1, %zero, %0 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %3 = graph.softmax %x axis 0 : tensor<2x8xf32> -> tensor<2x8xf32>
  %4 = graph.unary is_nan %3 : tensor<2x8xf32> -> tensor<2x8xi1>
  %5 = graph.select %4, %one, %3 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %0, %2, %5 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

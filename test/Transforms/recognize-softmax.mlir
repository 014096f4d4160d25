//===- test/Transforms/recognize-softmax.mlir - guarded and written-out softmax ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-recognize-softmax))" | FileCheck %s

// CHECK-LABEL: @guard
// CHECK-NEXT: graph.softmax %arg0 axis 1 {guard = true}
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
// CHECK-NEXT: graph.softmax %{{.*}} axis 1 {guard = true} : tensor<2x8xf32>
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

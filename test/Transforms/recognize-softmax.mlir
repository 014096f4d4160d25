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

//===- test/Transforms/recognize-layer-norm.mlir - written-out layer norm and RMS norm ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-recognize-layer-norm))" | FileCheck %s

// CHECK-LABEL: @pow_sqrt_div
// CHECK-NEXT: graph.layer_norm %arg0 axes [1] {epsilon = 9.9999997473787516E-6 : f64}
// CHECK-NEXT: return
func.func @pow_sqrt_div(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %eps = graph.constant dense<1.0e-5> : tensor<2x1xf32> : tensor<2x1xf32>
  %two = graph.constant dense<2.0> : tensor<2x8xf32> : tensor<2x8xf32>
  %0 = graph.reduce mean %x [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %1 = graph.broadcast %0 : tensor<2x1xf32> -> tensor<2x8xf32>
  %2 = graph.binary sub %x, %1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %3 = graph.binary pow %2, %two : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %4 = graph.reduce mean %3 [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %5 = graph.binary add %4, %eps : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %6 = graph.unary sqrt %5 : tensor<2x1xf32> -> tensor<2x1xf32>
  %7 = graph.broadcast %6 : tensor<2x1xf32> -> tensor<2x8xf32>
  %8 = graph.binary div %2, %7 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %8 : tensor<2x8xf32>
}

// By sums, reciprocal, and over two dimensions.
// CHECK-LABEL: @sums
// CHECK-NEXT: graph.layer_norm %arg0 axes [1, 2]
// CHECK-NEXT: return
func.func @sums(%x: tensor<2x4x2xf32>) -> tensor<2x4x2xf32> {
  %eps = graph.constant dense<1.0e-5> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %n = graph.constant dense<8.0> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %s = graph.reduce sum %x [1, 2] : tensor<2x4x2xf32> -> tensor<2x1x1xf32>
  %0 = graph.binary div %s, %n : tensor<2x1x1xf32>, tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %1 = graph.broadcast %0 : tensor<2x1x1xf32> -> tensor<2x4x2xf32>
  %2 = graph.binary sub %x, %1 : tensor<2x4x2xf32>, tensor<2x4x2xf32> -> tensor<2x4x2xf32>
  %3 = graph.binary mul %2, %2 : tensor<2x4x2xf32>, tensor<2x4x2xf32> -> tensor<2x4x2xf32>
  %4 = graph.reduce mean %3 [1, 2] : tensor<2x4x2xf32> -> tensor<2x1x1xf32>
  %5 = graph.binary add %eps, %4 : tensor<2x1x1xf32>, tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %6 = graph.unary sqrt %5 : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %7 = graph.unary reciprocal %6 : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %8 = graph.broadcast %7 : tensor<2x1x1xf32> -> tensor<2x4x2xf32>
  %9 = graph.binary mul %2, %8 : tensor<2x4x2xf32>, tensor<2x4x2xf32> -> tensor<2x4x2xf32>
  return %9 : tensor<2x4x2xf32>
}

// CHECK-LABEL: @rms
// CHECK-NEXT: graph.layer_norm %arg0 axes [1] {{.*}}rms = true
// CHECK-NEXT: return
func.func @rms(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %eps = graph.constant dense<1.0e-6> : tensor<2x1xf32> : tensor<2x1xf32>
  %0 = graph.binary mul %x, %x : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = graph.reduce mean %0 [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %2 = graph.binary add %1, %eps : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %3 = graph.unary rsqrt %2 : tensor<2x1xf32> -> tensor<2x1xf32>
  %4 = graph.broadcast %3 : tensor<2x1xf32> -> tensor<2x8xf32>
  %5 = graph.binary mul %4, %x : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}

// Over the first dimension.
// CHECK-LABEL: @columns
// CHECK-NEXT: graph.layer_norm %arg0 axes [0] {{.*}}rms = true
// CHECK-NEXT: return
func.func @columns(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %eps = graph.constant dense<1.0e-6> : tensor<1x4xf32> : tensor<1x4xf32>
  %0 = graph.binary mul %x, %x : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %1 = graph.reduce mean %0 [0] : tensor<8x4xf32> -> tensor<1x4xf32>
  %2 = graph.binary add %1, %eps : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  %3 = graph.unary rsqrt %2 : tensor<1x4xf32> -> tensor<1x4xf32>
  %4 = graph.broadcast %3 : tensor<1x4xf32> -> tensor<8x4xf32>
  %5 = graph.binary mul %x, %4 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}

// The variance of something else; the largest square.
// CHECK-LABEL: @refused
// CHECK-NOT: layer_norm
// CHECK: return
func.func @refused(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %eps = graph.constant dense<1.0e-6> : tensor<8x1xf32> : tensor<8x1xf32>
  %0 = graph.binary mul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = graph.reduce mean %0 [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %2 = graph.binary add %1, %eps : tensor<8x1xf32>, tensor<8x1xf32> -> tensor<8x1xf32>
  %3 = graph.unary rsqrt %2 : tensor<8x1xf32> -> tensor<8x1xf32>
  %4 = graph.broadcast %3 : tensor<8x1xf32> -> tensor<8x8xf32>
  %5 = graph.binary mul %y, %4 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %6 = graph.reduce max %0 [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %7 = graph.binary add %6, %eps : tensor<8x1xf32>, tensor<8x1xf32> -> tensor<8x1xf32>
  %8 = graph.unary rsqrt %7 : tensor<8x1xf32> -> tensor<8x1xf32>
  %9 = graph.broadcast %8 : tensor<8x1xf32> -> tensor<8x8xf32>
  %10 = graph.binary mul %x, %9 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %5, %10 : tensor<8x8xf32>, tensor<8x8xf32>
}

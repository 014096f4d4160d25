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

// The variance in f32, casts on the way there and back.
// CHECK-LABEL: @island
// CHECK-NEXT: graph.layer_norm %arg0 axes [1] {epsilon = 9.9999997473787516E-6 : f64} : tensor<2x8xf16>
// CHECK-NEXT: return
func.func @island(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
  %eps = graph.constant dense<1.0e-5> : tensor<2x1xf32> : tensor<2x1xf32>
  %0 = graph.reduce mean %x [1] : tensor<2x8xf16> -> tensor<2x1xf16>
  %1 = graph.broadcast %0 : tensor<2x1xf16> -> tensor<2x8xf16>
  %2 = graph.binary sub %x, %1 : tensor<2x8xf16>, tensor<2x8xf16> -> tensor<2x8xf16>
  %3 = graph.cast %2 : tensor<2x8xf16> -> tensor<2x8xf32>
  %4 = graph.binary mul %3, %3 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %5 = graph.reduce mean %4 [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %6 = graph.binary add %5, %eps : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %7 = graph.unary sqrt %6 : tensor<2x1xf32> -> tensor<2x1xf32>
  %8 = graph.cast %7 : tensor<2x1xf32> -> tensor<2x1xf16>
  %9 = graph.broadcast %8 : tensor<2x1xf16> -> tensor<2x8xf16>
  %10 = graph.binary div %2, %9 : tensor<2x8xf16>, tensor<2x8xf16> -> tensor<2x8xf16>
  return %10 : tensor<2x8xf16>
}

// The input in f16, the result in f32: the norm reads f32.
// CHECK-LABEL: @wide_result
// CHECK-NEXT: %[[X:.*]] = graph.cast %arg0
// CHECK-NEXT: graph.layer_norm %[[X]] axes [1] {{.*}}rms = true} : tensor<2x8xf32>
// CHECK-NEXT: return
func.func @wide_result(%x: tensor<2x8xf16>) -> tensor<2x8xf32> {
  %0 = graph.cast %x : tensor<2x8xf16> -> tensor<2x8xf32>
  %1 = graph.binary mul %x, %x : tensor<2x8xf16>, tensor<2x8xf16> -> tensor<2x8xf16>
  %2 = graph.cast %1 : tensor<2x8xf16> -> tensor<2x8xf32>
  %3 = graph.reduce mean %2 [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %4 = graph.unary rsqrt %3 : tensor<2x1xf32> -> tensor<2x1xf32>
  %5 = graph.broadcast %4 : tensor<2x1xf32> -> tensor<2x8xf32>
  %6 = graph.binary mul %0, %5 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

// x * s + (bias - mean * s), s = rsqrt(variance + epsilon) * scale, the difference negative.
// CHECK-LABEL: @moments
// CHECK-NEXT: %[[S:.*]] = graph.broadcast %arg1
// CHECK-NEXT: %[[B:.*]] = graph.broadcast %arg2
// CHECK-NEXT: %[[N:.*]] = graph.layer_norm %arg0 axes [1] {epsilon
// CHECK-NEXT: %[[M:.*]] = graph.binary mul %[[N]], %[[S]]
// CHECK-NEXT: %[[A:.*]] = graph.binary add %[[M]], %[[B]]
// CHECK-NEXT: return %[[A]]
func.func @moments(%x: tensor<2x8xf32>, %scale: tensor<1x8xf32>, %bias: tensor<1x8xf32>) -> tensor<2x8xf32> {
  %eps = graph.constant dense<1.0e-3> : tensor<2x1xf32> : tensor<2x1xf32>
  %mean = graph.reduce mean %x [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %0 = graph.broadcast %mean : tensor<2x1xf32> -> tensor<2x8xf32>
  %1 = graph.binary sub %0, %x : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %2 = graph.binary mul %1, %1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %3 = graph.reduce mean %2 [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %4 = graph.binary add %3, %eps : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %5 = graph.unary rsqrt %4 : tensor<2x1xf32> -> tensor<2x1xf32>
  %6 = graph.broadcast %5 : tensor<2x1xf32> -> tensor<2x8xf32>
  %7 = graph.broadcast %scale : tensor<1x8xf32> -> tensor<2x8xf32>
  %8 = graph.binary mul %6, %7 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %9 = graph.binary mul %x, %8 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %10 = graph.binary mul %0, %8 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %11 = graph.broadcast %bias : tensor<1x8xf32> -> tensor<2x8xf32>
  %12 = graph.binary sub %11, %10 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %13 = graph.binary add %9, %12 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %13 : tensor<2x8xf32>
}

// mean(x^2) - mean(x)^2 and the scale multiplied into the inverse root; rows through a reshape.
// CHECK-LABEL: @squares
// CHECK-NEXT: %[[N:.*]] = graph.layer_norm %arg0 axes [1] {epsilon = 0.000000e+00 : f64}
// CHECK-NEXT: %[[M:.*]] = graph.binary mul %[[N]], %arg1
// CHECK-NEXT: return %[[M]]
func.func @squares(%x: tensor<2x8xf32>, %scale: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = graph.constant dense<0.0> : tensor<2xf32> : tensor<2xf32>
  %mean = graph.reduce mean %x [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %0 = graph.binary mul %mean, %mean : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %1 = graph.binary mul %x, %x : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %2 = graph.reduce mean %1 [1] : tensor<2x8xf32> -> tensor<2x1xf32>
  %3 = graph.binary sub %2, %0 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %4 = graph.reshape %3 : tensor<2x1xf32> -> tensor<2xf32>
  %5 = graph.binary max %4, %zero : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %6 = graph.unary rsqrt %5 : tensor<2xf32> -> tensor<2xf32>
  %7 = graph.reshape %6 : tensor<2xf32> -> tensor<2x1xf32>
  %8 = graph.broadcast %7 : tensor<2x1xf32> -> tensor<2x8xf32>
  %9 = graph.binary mul %8, %scale : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %10 = graph.broadcast %mean : tensor<2x1xf32> -> tensor<2x8xf32>
  %11 = graph.binary sub %x, %10 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  %12 = graph.binary mul %11, %9 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %12 : tensor<2x8xf32>
}

// Each row's factor stands in a column; x is divided by its deviation without being centred; a negative difference;
// mean * s with another scale; the sum of both instead of the difference.
// CHECK-LABEL: @refused_rows
// CHECK-NOT: layer_norm
// CHECK: return
func.func @refused_rows(%x: tensor<8x8xf32>, %scale: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %mean = graph.reduce mean %x [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %0 = graph.broadcast %mean : tensor<8x1xf32> -> tensor<8x8xf32>
  %1 = graph.binary sub %x, %0 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = graph.binary mul %1, %1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = graph.reduce mean %2 [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %4 = graph.unary rsqrt %3 : tensor<8x1xf32> -> tensor<8x1xf32>
  %5 = graph.reshape %4 : tensor<8x1xf32> -> tensor<1x8xf32>
  %6 = graph.broadcast %5 : tensor<1x8xf32> -> tensor<8x8xf32>
  %7 = graph.binary mul %1, %6 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %8 = graph.broadcast %4 : tensor<8x1xf32> -> tensor<8x8xf32>
  %9 = graph.binary mul %x, %8 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %10 = graph.binary sub %0, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %11 = graph.binary mul %10, %8 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %12 = graph.binary mul %8, %scale : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %13 = graph.binary mul %0, %12 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %14 = graph.binary sub %9, %13 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %15 = graph.binary mul %0, %8 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %16 = graph.binary add %9, %15 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %7, %9, %11, %14, %16 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
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

//===- test/Transforms/recognize-silu.mlir - x * sigmoid(x) and hard swish ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-recognize-silu))" | FileCheck %s

// CHECK-LABEL: @silu
// CHECK-NEXT: graph.unary silu %arg0 {alpha = 1.000000e+00 : f64}
// CHECK-NEXT: return
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary sigmoid %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary mul %0, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @quick_gelu
// CHECK-NEXT: graph.unary silu %arg0 {alpha = 1.702
// CHECK-NEXT: return
func.func @quick_gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<1.702> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary mul %x, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary sigmoid %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary mul %x, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @hard_swish
// CHECK-NEXT: graph.unary hard_swish %arg0
// CHECK-NEXT: return
func.func @hard_swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary hard_sigmoid %x {alpha = 0.16666667 : f64, beta = 0.5 : f64} : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary mul %x, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// x * min(max(x + 3, 0), 6) / 6
// CHECK-LABEL: @hard_swish_written
// CHECK-NEXT: graph.unary hard_swish %arg0
// CHECK-NEXT: return
func.func @hard_swish_written(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = graph.constant dense<3.0> : tensor<4xf32> : tensor<4xf32>
  %zero = graph.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  %six = graph.constant dense<6.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary add %x, %three : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary max %0, %zero : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary min %1, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary div %3, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// The gate in f32; x / (1 + exp(-x)); a sigmoid written out.
// CHECK-LABEL: @silu_forms
// CHECK-NEXT: graph.unary silu %arg0 {alpha = 1.000000e+00 : f64} : tensor<4xf16>
// CHECK-NEXT: graph.unary silu %arg1 {alpha = 1.000000e+00 : f64} : tensor<4xf32>
// CHECK-NEXT: graph.unary sigmoid %arg1
// CHECK-NEXT: return
func.func @silu_forms(%x: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>) {
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.cast %x : tensor<4xf16> -> tensor<4xf32>
  %1 = graph.unary sigmoid %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.cast %1 : tensor<4xf32> -> tensor<4xf16>
  %3 = graph.binary mul %x, %2 : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %4 = graph.unary neg %y : tensor<4xf32> -> tensor<4xf32>
  %5 = graph.unary exp %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary add %one, %5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary div %y, %6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = graph.unary reciprocal %6 : tensor<4xf32> -> tensor<4xf32>
  return %3, %7, %8 : tensor<4xf16>, tensor<4xf32>, tensor<4xf32>
}

// The sixth with x; bounds on the left, the upper one first; clip(x / 6 + 1 / 2, 0, 1).
// CHECK-LABEL: @hard_swish_forms
// CHECK-NEXT: graph.unary hard_swish %arg0
// CHECK-NEXT: graph.unary hard_swish %arg0
// CHECK-NEXT: graph.unary hard_swish %arg0
// CHECK-NEXT: return
func.func @hard_swish_forms(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %three = graph.constant dense<3.0> : tensor<4xf32> : tensor<4xf32>
  %zero = graph.constant dense<0.0> : tensor<4xf32> : tensor<4xf32>
  %six = graph.constant dense<6.0> : tensor<4xf32> : tensor<4xf32>
  %sixth = graph.constant dense<0.16666667> : tensor<4xf32> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary add %x, %three : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary relu %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary min %six, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %sixth : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary mul %2, %3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.binary min %six, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary max %zero, %5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary div %6, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = graph.binary mul %x, %7 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %9 = graph.binary add %3, %half : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %10 = graph.binary max %9, %zero : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %11 = graph.binary min %10, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %12 = graph.binary mul %11, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4, %8, %12 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Clipped at 5; two upper bounds; a third instead of a sixth; x / (2 + exp(-x)); x / (1 + exp(-y)).
// CHECK-LABEL: @refused_forms
// CHECK-NOT: silu
// CHECK-NOT: hard_swish
// CHECK: return
func.func @refused_forms(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = graph.constant dense<1.0> : tensor<4xf32> : tensor<4xf32>
  %two = graph.constant dense<2.0> : tensor<4xf32> : tensor<4xf32>
  %three = graph.constant dense<3.0> : tensor<4xf32> : tensor<4xf32>
  %five = graph.constant dense<5.0> : tensor<4xf32> : tensor<4xf32>
  %six = graph.constant dense<6.0> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.binary add %x, %three : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = graph.unary relu %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.binary min %1, %five : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.binary div %3, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %5 = graph.binary min %2, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %6 = graph.binary mul %x, %5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = graph.binary div %6, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %8 = graph.binary min %1, %six : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %9 = graph.binary mul %x, %8 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %10 = graph.binary div %9, %three : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %11 = graph.unary neg %x : tensor<4xf32> -> tensor<4xf32>
  %12 = graph.unary exp %11 : tensor<4xf32> -> tensor<4xf32>
  %13 = graph.binary add %12, %two : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %14 = graph.binary div %x, %13 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %15 = graph.binary add %12, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %16 = graph.binary div %y, %15 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %4, %7, %10, %14, %16 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A gate of something else; a hard sigmoid with ONNX's default slope 0.2.
// CHECK-LABEL: @refused
// CHECK-NOT: silu
// CHECK-NOT: hard_swish
// CHECK: return
func.func @refused(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.unary sigmoid %y : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.binary mul %x, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.unary hard_sigmoid %x {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<4xf32> -> tensor<4xf32>
  %3 = graph.binary mul %x, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

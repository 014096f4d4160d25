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

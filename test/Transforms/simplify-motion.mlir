//===- test/Transforms/simplify-motion.mlir - ops that move to where they fuse ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-simplify))" | FileCheck %s

graph.symbol @s0
graph.symbol @s1

// CHECK-LABEL: @pointwise_before_view
// CHECK: %[[E:.*]] = graph.unary exp %arg0 : tensor<6x4xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[E]]
// CHECK: graph.transpose %[[R]] [1, 0, 2]
func.func @pointwise_before_view(%x: tensor<6x4xf32>) -> tensor<2x6x2xf32> {
  %0 = graph.reshape %x : tensor<6x4xf32> -> tensor<6x2x2xf32>
  %1 = graph.transpose %0 [1, 0, 2] : tensor<6x2x2xf32> -> tensor<2x6x2xf32>
  %2 = graph.unary exp %1 : tensor<2x6x2xf32> -> tensor<2x6x2xf32>
  return %2 : tensor<2x6x2xf32>
}

// Another tensor has no place before the transpose.
// CHECK-LABEL: @two_tensors
// CHECK: graph.transpose
// CHECK: graph.binary add
func.func @two_tensors(%x: tensor<6x4xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %1 = graph.binary add %0, %y : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// The factor of the right operand joins that of the left: 0.5 * 4.
// CHECK-LABEL: @factors_behind_matmul
// CHECK: %[[T:.*]] = graph.transpose %arg1
// CHECK: %[[M:.*]] = graph.matmul %arg0, %[[T]]
// CHECK: %[[C:.*]] = graph.constant dense<2.000000e+00>
// CHECK: graph.binary mul %[[M]], %[[C]]
func.func @factors_behind_matmul(%x: tensor<6x4xf32>, %y: tensor<8x4xf32>) -> tensor<6x8xf32> {
  %half = graph.constant dense<0.5> : tensor<f32> : tensor<f32>
  %0 = graph.reshape %half : tensor<f32> -> tensor<1x1xf32>
  %halves = graph.broadcast %0 : tensor<1x1xf32> -> tensor<6x4xf32>
  %quarter = graph.constant dense<0.25> : tensor<8x4xf32> : tensor<8x4xf32>
  %1 = graph.binary mul %x, %halves : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x4xf32>
  %2 = graph.binary div %y, %quarter : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %3 = graph.transpose %2 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %4 = graph.matmul %1, %3 : tensor<6x4xf32>, tensor<4x8xf32> -> tensor<6x8xf32>
  return %4 : tensor<6x8xf32>
}

// f16: 0.3 would round other values; 0.25 is exact.
// CHECK-LABEL: @factors_f16
// CHECK: graph.binary mul %arg0
// CHECK: %[[M:.*]] = graph.matmul
// CHECK: graph.binary mul %[[M]]
func.func @factors_f16(%x: tensor<6x4xf16>, %y: tensor<4x8xf16>) -> tensor<6x8xf16> {
  %c = graph.constant dense<0.3> : tensor<6x4xf16> : tensor<6x4xf16>
  %d = graph.constant dense<0.25> : tensor<4x8xf16> : tensor<4x8xf16>
  %0 = graph.binary mul %x, %c : tensor<6x4xf16>, tensor<6x4xf16> -> tensor<6x4xf16>
  %1 = graph.binary mul %y, %d : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x8xf16>
  %2 = graph.matmul %0, %1 : tensor<6x4xf16>, tensor<4x8xf16> -> tensor<6x8xf16>
  return %2 : tensor<6x8xf16>
}

// The scaled operand has another reader, which needs it anyway.
// CHECK-LABEL: @shared_factor
// CHECK: %[[S:.*]] = graph.binary mul
// CHECK: graph.matmul %[[S]]
// CHECK-NEXT: return
func.func @shared_factor(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c = graph.constant dense<0.3> : tensor<4x4xf32> : tensor<4x4xf32>
  %0 = graph.binary mul %x, %c : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.matmul %0, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Rows stay flat through bias, residual and layer norm.
// CHECK-LABEL: @rows_stay_flat
// CHECK: %[[B:.*]] = graph.broadcast {{.*}} : tensor<1x8xf32> -> tensor<?x8xf32, #graph.shape<"s0*s1", "8">>
// CHECK: %[[S:.*]] = graph.binary add %arg0, %[[B]]
// CHECK: %[[R:.*]] = graph.reshape %arg2
// CHECK: %[[T:.*]] = graph.binary add %[[S]], %[[R]]
// CHECK: graph.layer_norm %[[T]] axes [1]
// CHECK: graph.reshape
// CHECK-NEXT: return
func.func @rows_stay_flat(%x: tensor<?x8xf32, #graph.shape<"s0*s1", "8">>, %bias: tensor<1x1x8xf32>,
                          %residual: tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>)
    -> tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">> {
  %0 = graph.reshape %x : tensor<?x8xf32, #graph.shape<"s0*s1", "8">> -> tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>
  %1 = graph.broadcast %bias : tensor<1x1x8xf32> -> tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>
  %2 = graph.binary add %0, %1 : tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>, tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">> -> tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>
  %3 = graph.binary add %2, %residual : tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>, tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">> -> tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>
  %4 = graph.layer_norm %3 axes [2] {epsilon = 1.0e-5 : f64} : tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">> -> tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>
  return %4 : tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>
}

// A norm over the split dimension cannot move before the split.
// CHECK-LABEL: @norm_over_split
// CHECK: graph.reshape
// CHECK: graph.layer_norm {{.*}} axes [1]
func.func @norm_over_split(%x: tensor<6x8xf32>) -> tensor<2x3x8xf32> {
  %0 = graph.reshape %x : tensor<6x8xf32> -> tensor<2x3x8xf32>
  %1 = graph.layer_norm %0 axes [1] {epsilon = 1.0e-5 : f64} : tensor<2x3x8xf32> -> tensor<2x3x8xf32>
  return %1 : tensor<2x3x8xf32>
}

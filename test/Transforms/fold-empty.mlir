//===- test/Transforms/fold-empty.mlir - tensors without elements ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-fold-empty))" | FileCheck %s
graph.symbol @s0 {min = 0 : i64}

// CHECK-LABEL: @result
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<0.000000e+00> : tensor<0x4xf32>
// CHECK-NEXT: return %[[C]]
func.func @result(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = graph.unary exp %x : tensor<0x4xf32> -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// Beside a dimension that is not known yet.
// CHECK-LABEL: @symbolic
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: graph.broadcast %[[C]]
// CHECK-NEXT: return
func.func @symbolic(%x: tensor<0x?xf32, #graph.shape<"0", "s0">>) -> tensor<0x?xf32, #graph.shape<"0", "s0">> {
  %0 = graph.unary exp %x : tensor<0x?xf32, #graph.shape<"0", "s0">> -> tensor<0x?xf32, #graph.shape<"0", "s0">>
  return %0 : tensor<0x?xf32, #graph.shape<"0", "s0">>
}

// CHECK-LABEL: @depth
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: return %[[C]]
func.func @depth(%a: tensor<3x0xf32>, %b: tensor<0x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.matmul %a, %b : tensor<3x0xf32>, tensor<0x4xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// The largest of no elements gives way to every other; a mean of none is no number.
// CHECK-LABEL: @reductions
// CHECK-DAG: graph.constant dense<-9223372036854775808> : tensor<2x1xi64>
// CHECK-DAG: graph.constant dense<0x7FC00000> : tensor<2x1xf32>
// CHECK-DAG: graph.constant dense<true> : tensor<2x1xi1>
func.func @reductions(%i: tensor<2x0xi64>, %f: tensor<2x0xf32>, %b: tensor<2x0xi1>)
    -> (tensor<2x1xi64>, tensor<2x1xf32>, tensor<2x1xi1>) {
  %0 = graph.reduce max %i [1] : tensor<2x0xi64> -> tensor<2x1xi64>
  %1 = graph.reduce mean %f [1] : tensor<2x0xf32> -> tensor<2x1xf32>
  %2 = graph.reduce min %b [1] : tensor<2x0xi1> -> tensor<2x1xi1>
  return %0, %1, %2 : tensor<2x1xi64>, tensor<2x1xf32>, tensor<2x1xi1>
}

// CHECK-LABEL: @parts
// CHECK-NEXT: %[[F:.*]] = graph.constant dense<2.000000e+00> : tensor<3xf32>
// CHECK-NEXT: return %arg1, %[[F]]
func.func @parts(%none: tensor<0xf32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.concat %none, %x axis 0 : tensor<0xf32>, tensor<3xf32> -> tensor<3xf32>
  %1 = graph.pad %none ["1"] constant 2.0 : f32 : tensor<0xf32> -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// Memory of the caller, and sizes that are 0 only when shapes are bound, stay.
// CHECK-LABEL: @stays
// CHECK: graph.join
// CHECK: graph.reduce sum
func.func @stays(%past: tensor<1x0xf32>, %new: tensor<1x0xf32>, %x: tensor<?xf32, #graph.shape<"s0">>)
    -> (tensor<1x0xf32>, tensor<1xf32>) {
  %0 = graph.join %past, %new axis 1 : tensor<1x0xf32>, tensor<1x0xf32> -> tensor<1x0xf32>
  %1 = graph.reduce sum %x [0] : tensor<?xf32, #graph.shape<"s0">> -> tensor<1xf32>
  return %0, %1 : tensor<1x0xf32>, tensor<1xf32>
}

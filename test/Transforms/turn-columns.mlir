//===- test/Transforms/turn-columns.mlir - a product with one column ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-turn-columns))" | FileCheck %s

graph.symbol @s0

// CHECK-LABEL: @weights
// CHECK: %[[R:.*]] = graph.reshape %arg1 : tensor<8x64x1xf32> -> tensor<8x1x64xf32>
// CHECK: %[[T:.*]] = graph.transpose %arg0 [0, 2, 1] : tensor<8x512x64xf32> -> tensor<8x64x512xf32>
// CHECK: %[[M:.*]] = graph.matmul %[[R]], %[[T]]
// CHECK: %[[Y:.*]] = graph.reshape %[[M]] : tensor<8x1x512xf32> -> tensor<8x512x1xf32>
// CHECK: return %[[Y]]
func.func @weights(%w: tensor<8x512x64xf32>, %x: tensor<8x64x1xf32>) -> tensor<8x512x1xf32> {
  %0 = graph.matmul %w, %x : tensor<8x512x64xf32>, tensor<8x64x1xf32> -> tensor<8x512x1xf32>
  return %0 : tensor<8x512x1xf32>
}

// Any number of rows, and those that an index chooses.
// CHECK-LABEL: @open
// CHECK: graph.matmul {{.*}} -> tensor<1x?xf32, #graph.shape<"1", "s0">>
// CHECK: graph.matmul {{.*}} -> tensor<3x1x6xf32>
func.func @open(%x: tensor<?x64xf32, #graph.shape<"s0", "64">>, %w: tensor<64x1xf32>, %v: tensor<5x6x8xf32>, %i: tensor<3xi64>, %y: tensor<3x8x1xf32>) -> (tensor<?x1xf32, #graph.shape<"s0", "1">>, tensor<3x6x1xf32>) {
  %0 = graph.matmul %x, %w : tensor<?x64xf32, #graph.shape<"s0", "64">>, tensor<64x1xf32> -> tensor<?x1xf32, #graph.shape<"s0", "1">>
  %1 = graph.gather %v, %i axis 0 : tensor<5x6x8xf32>, tensor<3xi64> -> tensor<3x6x8xf32>
  %2 = graph.matmul %1, %y : tensor<3x6x8xf32>, tensor<3x8x1xf32> -> tensor<3x6x1xf32>
  return %0, %2 : tensor<?x1xf32, #graph.shape<"s0", "1">>, tensor<3x6x1xf32>
}

// A product of two vectors, more columns, integers, a left operand that is computed, and an outer product.
// CHECK-LABEL: @refused
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @refused(%a: tensor<1x64xf32>, %x: tensor<64x1xf32>, %w: tensor<8x64xf32>, %two: tensor<64x2xf32>, %q: tensor<8x64xi16>, %p: tensor<64x1xi16>, %column: tensor<8x1xf32>, %one: tensor<1x1xf32>)
    -> (tensor<1x1xf32>, tensor<8x2xf32>, tensor<8x1xi32>, tensor<8x1xf32>, tensor<8x1xf32>) {
  %0 = graph.matmul %a, %x : tensor<1x64xf32>, tensor<64x1xf32> -> tensor<1x1xf32>
  %1 = graph.matmul %w, %two : tensor<8x64xf32>, tensor<64x2xf32> -> tensor<8x2xf32>
  %2 = graph.matmul %q, %p : tensor<8x64xi16>, tensor<64x1xi16> -> tensor<8x1xi32>
  %3 = graph.unary exp %w : tensor<8x64xf32> -> tensor<8x64xf32>
  %4 = graph.matmul %3, %x : tensor<8x64xf32>, tensor<64x1xf32> -> tensor<8x1xf32>
  %5 = graph.matmul %column, %one : tensor<8x1xf32>, tensor<1x1xf32> -> tensor<8x1xf32>
  return %0, %1, %2, %4, %5 : tensor<1x1xf32>, tensor<8x2xf32>, tensor<8x1xi32>, tensor<8x1xf32>, tensor<8x1xf32>
}

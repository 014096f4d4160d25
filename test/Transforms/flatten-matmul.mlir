//===- test/Transforms/flatten-matmul.mlir - a matrix that all batches share ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-flatten-matmul))" | FileCheck %s

graph.symbol @s0
graph.symbol @s1

// CHECK-LABEL: @dynamic
// CHECK-NEXT: %[[L:.*]] = graph.reshape %arg0 : {{.*}} -> tensor<?x8xf32, #graph.shape<"s0*s1", "8">>
// CHECK-NEXT: %[[R:.*]] = graph.reshape %arg1 : tensor<1x8x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[M:.*]] = graph.matmul %[[L]], %[[R]]
// CHECK-NEXT: graph.reshape %[[M]] : {{.*}} -> tensor<?x?x4xf32, #graph.shape<"s0", "s1", "4">>
// CHECK-NEXT: return
func.func @dynamic(%x: tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>, %w: tensor<1x8x4xf32>)
    -> tensor<?x?x4xf32, #graph.shape<"s0", "s1", "4">> {
  %0 = graph.broadcast %w : tensor<1x8x4xf32> -> tensor<?x8x4xf32, #graph.shape<"s0", "8", "4">>
  %1 = graph.matmul %x, %0 : tensor<?x?x8xf32, #graph.shape<"s0", "s1", "8">>, tensor<?x8x4xf32, #graph.shape<"s0", "8", "4">> -> tensor<?x?x4xf32, #graph.shape<"s0", "s1", "4">>
  return %1 : tensor<?x?x4xf32, #graph.shape<"s0", "s1", "4">>
}

// Every batch has its own matrix; one batch dimension of two is repeated.
// CHECK-LABEL: @refused
// CHECK-NOT: graph.reshape
// CHECK: return
func.func @refused(%x: tensor<2x3x8xf32>, %y: tensor<2x8x4xf32>, %a: tensor<2x5x3x8xf32>,
                   %b: tensor<2x1x8x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x5x3x4xf32>) {
  %0 = graph.matmul %x, %y : tensor<2x3x8xf32>, tensor<2x8x4xf32> -> tensor<2x3x4xf32>
  %1 = graph.broadcast %b : tensor<2x1x8x4xf32> -> tensor<2x5x8x4xf32>
  %2 = graph.matmul %a, %1 : tensor<2x5x3x8xf32>, tensor<2x5x8x4xf32> -> tensor<2x5x3x4xf32>
  return %0, %2 : tensor<2x3x4xf32>, tensor<2x5x3x4xf32>
}

//===- test/Conversion/graph-to-kernel-recurrence.mlir - a loop over states as steps of a kernel ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions,func.func(cuda-keep-recurrences),graph-to-kernel)" | FileCheck %s

graph.symbol run @s0 {min = 0 : i64}

// The directions are the grid. The left operand of the product is a map, elements of the product are those of its tile, some columns behind the
// own one where a gate is. The iteration is the step; the backward direction reads and writes from the end.
// CHECK: kernel.func @k0 recurrence grid (%[[G:.*]]) in [2] scalars []
// CHECK: %[[FIRST:.*]] = kernel.map (%[[R:.*]], %[[C:.*]]) in [3, 8] {
// CHECK-NEXT: kernel.load %arg0[24*%[[G]] + 8*%[[R]] + %[[C]]]
// CHECK: kernel.for (%[[T:.*]]) below 5 carry (%[[STATE:.*]] = %[[FIRST]]) : !kernel.tile<f32, "3", "8"> {
// CHECK: %[[LEFT:.*]] = kernel.map (%[[R:.*]], %[[C:.*]]) in [3, 8] {
// CHECK-NEXT: kernel.extract %[[STATE]] [%[[R]], %[[C]]]
// CHECK: %[[SUMS:.*]] = kernel.dot [3, 16, 8] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK-NEXT: kernel.extract %[[LEFT]] [%[[M]], %[[K]]]
// CHECK: rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK-NEXT: kernel.load %arg2[128*%[[G]] + 16*%[[K]] + %[[N]]]
// CHECK: %[[NEXT:.*]]:2 = kernel.map (%[[R:.*]], %[[C:.*]]) in [3, 8] {
// CHECK-DAG: kernel.load %arg1[24*%[[G]] - 24*%[[T]] + 8*%[[R]] + %[[C]] + 72] mask [%[[G]] - 1]
// CHECK-DAG: kernel.load %arg1[24*%[[G]] + 24*%[[T]] + 8*%[[R]] + %[[C]]] mask [-%[[G]]]
// CHECK-DAG: kernel.extract %[[SUMS]] [%[[R]], %[[C]]]
// CHECK-DAG: kernel.extract %[[SUMS]] [%[[R]], %[[C]] + 8]
// CHECK: kernel.foreach (%[[R:.*]], %[[C:.*]]) in [3, 8] {
// CHECK-NEXT: %[[ROW:.*]] = kernel.extract %[[NEXT]]#1 [%[[R]], %[[C]]]
// CHECK-NEXT: kernel.store %[[ROW]], %arg3[24*%[[G]] + 48*%[[T]] + 8*%[[R]] + %[[C]]]
// CHECK: kernel.yield %[[NEXT]]#0
// CHECK-NOT: kernel.foreach

func.func @main(%x: tensor<5x3x8xf32>, %h: tensor<2x3x8xf32>, %w: tensor<2x8x16xf32>) -> tensor<5x2x3x8xf32> {
  %last, %all = graph.loop limit "5" carried(%h) captures(%x, %w) index @s0
      : (tensor<2x3x8xf32>, tensor<5x3x8xf32>, tensor<2x8x16xf32>) -> (tensor<2x3x8xf32>, tensor<5x2x3x8xf32>) {
  ^bb0(%in: tensor<5x3x8xf32>, %weights: tensor<2x8x16xf32>, %state: tensor<2x3x8xf32>):
    %0 = graph.slice %in ["s0", "0", "0"] [1, 1, 1] : tensor<5x3x8xf32> -> tensor<1x3x8xf32>
    %1 = graph.slice %in ["-s0 + 4", "0", "0"] [1, 1, 1] : tensor<5x3x8xf32> -> tensor<1x3x8xf32>
    %2 = graph.concat %0, %1 axis 0 : tensor<1x3x8xf32>, tensor<1x3x8xf32> -> tensor<2x3x8xf32>
    %3 = graph.matmul %state, %weights : tensor<2x3x8xf32>, tensor<2x8x16xf32> -> tensor<2x3x16xf32>
    %4 = graph.slice %3 ["0", "0", "0"] [1, 1, 1] : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
    %5 = graph.slice %3 ["0", "0", "8"] [1, 1, 1] : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
    %6 = graph.binary add %2, %4 : tensor<2x3x8xf32>, tensor<2x3x8xf32> -> tensor<2x3x8xf32>
    %7 = graph.binary mul %6, %5 : tensor<2x3x8xf32>, tensor<2x3x8xf32> -> tensor<2x3x8xf32>
    graph.yield %7, %7 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
  }
  return %all : tensor<5x2x3x8xf32>
}

//===- test/Transforms/cut-concats.mlir - concats of very many parts ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-cut-concats{most-tests=2}))" | FileCheck %s

// CHECK-LABEL: @five
// CHECK: %[[A:.*]] = graph.concat %arg0, %arg1 axis 1 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
// CHECK: %[[B:.*]] = graph.concat %arg0, %arg0 axis 1
// CHECK: %[[ALL:.*]] = graph.join %[[A]], %[[B]], %arg1 axis 1
// CHECK: return %[[ALL]]
func.func @five(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x11xf32> {
  %0 = graph.concat %x, %y, %x, %x, %y axis 1 : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x11xf32>
  return %0 : tensor<2x11xf32>
}

// As many as one kernel may test stay.
// CHECK-LABEL: @two
// CHECK: graph.concat
// CHECK-NOT: graph.join
// CHECK: return
func.func @two(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = graph.concat %x, %x axis 1 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// The tests of a concat behind views count; what is joined lies in memory and counts once.
// CHECK-LABEL: @nested
// CHECK: %[[IN:.*]] = graph.concat %arg0, %arg0 axis 1
// CHECK: %[[VIEW:.*]] = graph.reshape %[[IN]]
// CHECK: %[[JOIN:.*]] = graph.join %[[VIEW]], %arg1 axis 0
// CHECK: %[[OUT:.*]] = graph.concat %[[JOIN]], %arg1 axis 0
// CHECK: return %[[OUT]]
func.func @nested(%x: tensor<2x3xf32>, %y: tensor<1xf32>) -> tensor<14xf32> {
  %0 = graph.concat %x, %x axis 1 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x6xf32>
  %1 = graph.reshape %0 : tensor<2x6xf32> -> tensor<12xf32>
  %2 = graph.concat %1, %y axis 0 : tensor<12xf32>, tensor<1xf32> -> tensor<13xf32>
  %3 = graph.concat %2, %y axis 0 : tensor<13xf32>, tensor<1xf32> -> tensor<14xf32>
  return %3 : tensor<14xf32>
}

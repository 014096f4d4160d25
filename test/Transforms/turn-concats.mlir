//===- test/Transforms/turn-concats.mlir - concats that windows read transposed ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-turn-concats,graph-cse))" | FileCheck %s

// Two windows read it through paddings of their own: one concat for both, its parts turned.
// CHECK-LABEL: @windows
// CHECK-DAG: %[[A:.*]] = graph.transpose %arg0 [0, 2, 3, 1] : tensor<1x2x5x4xf32> -> tensor<1x5x4x2xf32>
// CHECK-DAG: %[[B:.*]] = graph.transpose %arg1 [0, 2, 3, 1] : tensor<1x1x5x4xf32> -> tensor<1x5x4x1xf32>
// CHECK: %[[ALL:.*]] = graph.concat %[[A]], %[[B]] axis 3 : tensor<1x5x4x2xf32>, tensor<1x5x4x1xf32> -> tensor<1x5x4x3xf32>
// CHECK: %[[CUT:.*]] = graph.slice %[[ALL]] ["0", "1", "0", "0"] [1, 1, 1, 1] : tensor<1x5x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: %[[WIDE:.*]] = graph.pad %[[CUT]] ["0", "1", "1", "0"] constant 0.000000e+00 : f32 : tensor<1x4x4x3xf32> -> tensor<1x6x6x3xf32>
// CHECK: graph.conv %[[WIDE]], %arg2
// CHECK: graph.conv %[[ALL]], %arg2
func.func @windows(%a: tensor<1x2x5x4xf32>, %b: tensor<1x1x5x4xf32>, %w: tensor<3x3x3x2xf32>) -> (tensor<1x4x4x2xf32>, tensor<1x3x2x2xf32>) {
  %0 = graph.concat %a, %b axis 1 : tensor<1x2x5x4xf32>, tensor<1x1x5x4xf32> -> tensor<1x3x5x4xf32>
  %1 = graph.slice %0 ["0", "0", "1", "0"] [1, 1, 1, 1] : tensor<1x3x5x4xf32> -> tensor<1x3x4x4xf32>
  %2 = graph.pad %1 ["0", "0", "1", "1"] constant 0.000000e+00 : f32 : tensor<1x3x4x4xf32> -> tensor<1x3x6x6xf32>
  %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<1x3x6x6xf32> -> tensor<1x6x6x3xf32>
  %4 = graph.conv %3, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x6x6x3xf32>, tensor<3x3x3x2xf32> -> tensor<1x4x4x2xf32>
  %5 = graph.transpose %0 [0, 2, 3, 1] : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %6 = graph.conv %5, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x5x4x3xf32>, tensor<3x3x3x2xf32> -> tensor<1x3x2x2xf32>
  return %4, %6 : tensor<1x4x4x2xf32>, tensor<1x3x2x2xf32>
}

// One tap reads every element once.
// CHECK-LABEL: @one_tap
// CHECK: graph.concat %arg0, %arg1 axis 1
// CHECK: graph.transpose
func.func @one_tap(%a: tensor<1x2x5x4xf32>, %b: tensor<1x1x5x4xf32>, %w: tensor<1x1x3x2xf32>) -> tensor<1x5x4x2xf32> {
  %0 = graph.concat %a, %b axis 1 : tensor<1x2x5x4xf32>, tensor<1x1x5x4xf32> -> tensor<1x3x5x4xf32>
  %1 = graph.transpose %0 [0, 2, 3, 1] : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x5x4x3xf32>, tensor<1x1x3x2xf32> -> tensor<1x5x4x2xf32>
  return %2 : tensor<1x5x4x2xf32>
}

// Another reader wants it as it is: both would be written.
// CHECK-LABEL: @another_reader
// CHECK: %[[ALL:.*]] = graph.concat %arg0, %arg1 axis 1
// CHECK: graph.transpose %[[ALL]]
func.func @another_reader(%a: tensor<1x2x5x4xf32>, %b: tensor<1x1x5x4xf32>, %w: tensor<3x3x3x2xf32>) -> (tensor<1x3x2x2xf32>, tensor<1x3x5x4xf32>) {
  %0 = graph.concat %a, %b axis 1 : tensor<1x2x5x4xf32>, tensor<1x1x5x4xf32> -> tensor<1x3x5x4xf32>
  %1 = graph.transpose %0 [0, 2, 3, 1] : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x5x4x3xf32>, tensor<3x3x3x2xf32> -> tensor<1x3x2x2xf32>
  return %2, %0 : tensor<1x3x2x2xf32>, tensor<1x3x5x4xf32>
}

// The channels lie together as it is.
// CHECK-LABEL: @channels_last
// CHECK: %[[ALL:.*]] = graph.concat %arg0, %arg1 axis 3
// CHECK: graph.transpose %[[ALL]]
func.func @channels_last(%a: tensor<1x5x4x2xf32>, %b: tensor<1x5x4x1xf32>, %w: tensor<3x3x3x2xf32>) -> tensor<1x2x3x2xf32> {
  %0 = graph.concat %a, %b axis 3 : tensor<1x5x4x2xf32>, tensor<1x5x4x1xf32> -> tensor<1x5x4x3xf32>
  %1 = graph.transpose %0 [0, 2, 1, 3] : tensor<1x5x4x3xf32> -> tensor<1x4x5x3xf32>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x4x5x3xf32>, tensor<3x3x3x2xf32> -> tensor<1x2x3x2xf32>
  return %2 : tensor<1x2x3x2xf32>
}

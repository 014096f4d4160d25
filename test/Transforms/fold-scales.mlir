//===- test/Transforms/fold-scales.mlir - scales of channels become part of the weights ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-fold-scales,graph-fold-constants))" | FileCheck %s

// Batch normalisation after a convolution with a bias.
// CHECK-LABEL: @batch_norm
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}2.000000e+00, 6.000000e+00], [4.000000e+00, 1.200000e+01]]]]>
// CHECK: %[[C:.*]] = graph.conv %arg0, %[[W]]
// CHECK: %[[B:.*]] = graph.constant dense<{{\[\[\[\[}}2.000000e+01, 6.000000e+01]
// CHECK: %[[A:.*]] = graph.binary add %[[C]], %[[B]]
// CHECK: graph.binary add %[[A]], %arg1
// CHECK-NEXT: return
func.func @batch_norm(%x: tensor<1x4x4x2xf32>, %shift: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0], [2.0, 4.0]]]]> : tensor<1x1x2x2xf32> : tensor<1x1x2x2xf32>
  %b = graph.constant dense<[[[[10.0, 20.0]]]]> : tensor<1x1x1x2xf32> : tensor<1x1x1x2xf32>
  %s = graph.constant dense<[[[[2.0, 3.0]]]]> : tensor<1x1x1x2xf32> : tensor<1x1x1x2xf32>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x4x4x2xf32>, tensor<1x1x2x2xf32> -> tensor<1x4x4x2xf32>
  %1 = graph.broadcast %b : tensor<1x1x1x2xf32> -> tensor<1x4x4x2xf32>
  %2 = graph.binary add %0, %1 : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32> -> tensor<1x4x4x2xf32>
  %3 = graph.broadcast %s : tensor<1x1x1x2xf32> -> tensor<1x4x4x2xf32>
  %4 = graph.binary mul %2, %3 : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32> -> tensor<1x4x4x2xf32>
  %5 = graph.binary add %4, %shift : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32> -> tensor<1x4x4x2xf32>
  return %5 : tensor<1x4x4x2xf32>
}

// The same channels first: the scale belongs to rows of the weights.
// CHECK-LABEL: @channels_first
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}2.000000e+00]], {{\[\[}}4.000000e+00]]], {{\[\[\[}}6.000000e+00]], {{\[\[}}1.200000e+01]]]]>
// CHECK: %[[C:.*]] = graph.conv %arg0, %[[W]] layout channels_first
// CHECK: %[[B:.*]] = graph.constant dense<{{\[\[\[\[}}2.000000e+01, 2.000000e+01, {{.*}}]]{{\]?}}, {{\[\[}}6.000000e+01, 6.000000e+01
// CHECK: graph.binary add %[[C]], %[[B]]
// CHECK-NEXT: return
func.func @channels_first(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense<[[[[1.0]], [[2.0]]], [[[2.0]], [[4.0]]]]> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %b = graph.constant dense<[[[[10.0]], [[20.0]]]]> : tensor<1x2x1x1xf32> : tensor<1x2x1x1xf32>
  %s = graph.constant dense<[[[[2.0]], [[3.0]]]]> : tensor<1x2x1x1xf32> : tensor<1x2x1x1xf32>
  %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32> -> tensor<1x2x4x4xf32>
  %1 = graph.broadcast %b : tensor<1x2x1x1xf32> -> tensor<1x2x4x4xf32>
  %2 = graph.binary add %0, %1 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
  %3 = graph.broadcast %s : tensor<1x2x1x1xf32> -> tensor<1x2x4x4xf32>
  %4 = graph.binary mul %2, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
  return %4 : tensor<1x2x4x4xf32>
}

// One filter per channel: a sum over windows.
// CHECK-LABEL: @depthwise
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+01, 4.000000e+01], [3.000000e+01, 8.000000e+01]]
// CHECK: %[[P:.*]] = graph.binary mul %{{.*}}, %[[W]]
// CHECK: %[[S:.*]] = graph.reduce sum %[[P]] [2]
// CHECK: graph.reshape %[[S]]
// CHECK-NEXT: return
func.func @depthwise(%x: tensor<1x5x2xf32>) -> tensor<1x4x2xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32> : tensor<1x1x2x2xf32>
  %s = graph.constant dense<[[[10.0, 20.0]]]> : tensor<1x1x2xf32> : tensor<1x1x2xf32>
  %0 = graph.window %x axis 1 sizes [2] strides [1] dilations [1] : tensor<1x5x2xf32> -> tensor<1x4x2x2xf32>
  %1 = graph.broadcast %w : tensor<1x1x2x2xf32> -> tensor<1x4x2x2xf32>
  %2 = graph.binary mul %0, %1 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32> -> tensor<1x4x2x2xf32>
  %3 = graph.reduce sum %2 [2] : tensor<1x4x2x2xf32> -> tensor<1x4x1x2xf32>
  %4 = graph.reshape %3 : tensor<1x4x1x2xf32> -> tensor<1x4x2xf32>
  %5 = graph.broadcast %s : tensor<1x1x2xf32> -> tensor<1x4x2xf32>
  %6 = graph.binary mul %4, %5 : tensor<1x4x2xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  return %6 : tensor<1x4x2xf32>
}

// One filter per channel, channels first.
// CHECK-LABEL: @depthwise_first
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+01, 2.000000e+01], [1.000000e+01, 2.000000e+01], {{.*}}]], {{\[\[}}6.000000e+01, 8.000000e+01]
// CHECK: %[[P:.*]] = graph.binary mul %{{.*}}, %[[W]]
// CHECK: %[[S:.*]] = graph.reduce sum %[[P]] [3]
// CHECK: graph.reshape %[[S]]
// CHECK-NEXT: return
func.func @depthwise_first(%x: tensor<1x2x5xf32>) -> tensor<1x2x4xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]]]]> : tensor<1x2x1x2xf32> : tensor<1x2x1x2xf32>
  %s = graph.constant dense<[[[10.0], [20.0]]]> : tensor<1x2x1xf32> : tensor<1x2x1xf32>
  %0 = graph.window %x axis 2 sizes [2] strides [1] dilations [1] : tensor<1x2x5xf32> -> tensor<1x2x4x2xf32>
  %1 = graph.broadcast %w : tensor<1x2x1x2xf32> -> tensor<1x2x4x2xf32>
  %2 = graph.binary mul %0, %1 : tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32> -> tensor<1x2x4x2xf32>
  %3 = graph.reduce sum %2 [3] : tensor<1x2x4x2xf32> -> tensor<1x2x4x1xf32>
  %4 = graph.reshape %3 : tensor<1x2x4x1xf32> -> tensor<1x2x4xf32>
  %5 = graph.broadcast %s : tensor<1x2x1xf32> -> tensor<1x2x4xf32>
  %6 = graph.binary mul %4, %5 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<1x2x4xf32>
  return %6 : tensor<1x2x4xf32>
}

// A result with another reader; a scale per row; weights and scales that are no
// constants; one factor for all channels.
// CHECK-LABEL: @refused
// CHECK-COUNT-5: graph.binary mul
// CHECK: return
func.func @refused(%x: tensor<2x2xf32>, %v: tensor<1x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %c = graph.constant dense<[[5.0, 6.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %r = graph.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %one = graph.constant dense<7.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %cols = graph.broadcast %c : tensor<1x2xf32> -> tensor<2x2xf32>
  %rows = graph.broadcast %r : tensor<2x1xf32> -> tensor<2x2xf32>
  %vs = graph.broadcast %v : tensor<1x2xf32> -> tensor<2x2xf32>
  %0 = graph.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = graph.binary mul %0, %cols : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %2 = graph.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %3 = graph.binary mul %2, %rows : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %4 = graph.matmul %x, %x : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %5 = graph.binary mul %4, %cols : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %6 = graph.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %7 = graph.binary mul %6, %vs : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %8 = graph.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %9 = graph.binary mul %8, %one : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %0, %1, %3, %5, %7, %9 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// Weights of 16 bits do not hold scales of sums of 32.
// CHECK-LABEL: @integers
// CHECK: %[[SUM:.*]] = graph.matmul %{{.*}}, %{{.*}} : tensor<2x2xi16>
// CHECK: graph.binary mul %[[SUM]]
func.func @integers(%x: tensor<2x2xi16>) -> tensor<2x2xi32> {
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16> : tensor<2x2xi16>
  %s = graph.constant dense<[[5, 70000]]> : tensor<1x2xi32> : tensor<1x2xi32>
  %0 = graph.matmul %x, %w : tensor<2x2xi16>, tensor<2x2xi16> -> tensor<2x2xi32>
  %1 = graph.broadcast %s : tensor<1x2xi32> -> tensor<2x2xi32>
  %2 = graph.binary mul %0, %1 : tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
  return %2 : tensor<2x2xi32>
}

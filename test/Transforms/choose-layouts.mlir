//===- test/Transforms/choose-layouts.mlir - layouts of chains of convolutions by cost ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-choose-layouts{targets=cpu}))" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-choose-layouts{targets=cuda}))" | FileCheck %s --check-prefix=CUDA

// Two convolutions, the padding of the second and a residual between them: one transpose in, one out.
// CHECK-LABEL: @chain
// CHECK-DAG: %[[X:.*]] = graph.transpose %arg0 [0, 2, 3, 1] : tensor<1x64x16x16xf32> -> tensor<1x16x16x64xf32>
// CHECK-DAG: %[[W:.*]] = graph.transpose %arg1 [2, 3, 1, 0] : tensor<64x64x1x1xf32> -> tensor<1x1x64x64xf32>
// CHECK: %[[A:.*]] = graph.conv %[[X]], %[[W]] strides [1, 1] dilations [1, 1] groups 1
// CHECK: %[[P:.*]] = graph.pad %[[A]] ["0", "1", "1", "0"]
// CHECK: %[[B:.*]] = graph.conv %[[P]], %{{.*}} strides [1, 1]
// CHECK: %[[S:.*]] = graph.binary add %[[A]], %[[B]]
// CHECK: graph.transpose %[[S]] [0, 3, 1, 2]
// CHECK-NEXT: return
// CHECK: graph.layouts @chain [#graph.chain<channels_last[#{{.*}}, #{{.*}}] of
// CHECK-SAME: <channels_last transposes 2 bytes 131072 cost {{[0-9]+}}>, <channels_first transposes 0 bytes 0 cost {{[0-9]+}}>
func.func @chain(%x: tensor<1x64x16x16xf32>, %v: tensor<64x64x1x1xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x16x16xf32> {
  %0 = graph.conv %x, %v layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x64x16x16xf32>, tensor<64x64x1x1xf32> -> tensor<1x64x16x16xf32>
  %1 = graph.pad %0 ["0", "0", "1", "1"] constant 0.0 : f32 : tensor<1x64x16x16xf32> -> tensor<1x64x18x18xf32>
  %2 = graph.conv %1, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x64x18x18xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x16x16xf32>
  %3 = graph.binary add %0, %2 : tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32> -> tensor<1x64x16x16xf32>
  return %3 : tensor<1x64x16x16xf32>
}

// What would be carried along is much more than what the convolution reads and writes.
// CHECK-LABEL: @small
// CHECK-NOT: graph.transpose
// CHECK: graph.conv %arg0, %arg1 layout channels_first
// CHECK-NEXT: graph.concat
// CHECK-NEXT: return
// CHECK: graph.layouts @small [#graph.chain<channels_first
// CHECK-SAME: <channels_last transposes 3 bytes {{[0-9]+}} cost {{[0-9]+}}>, <channels_first transposes 0 bytes 0 cost 294912>
// CUDA-LABEL: @small
// CUDA-NOT: graph.transpose
// CUDA: graph.conv %arg0, %arg1 layout channels_first
func.func @small(%x: tensor<1x8x32x32xf32>, %w: tensor<8x8x1x1xf32>, %big: tensor<1x128x32x32xf32>) -> tensor<1x136x32x32xf32> {
  %0 = graph.conv %x, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x8x32x32xf32>, tensor<8x8x1x1xf32> -> tensor<1x8x32x32xf32>
  %1 = graph.concat %0, %big axis 1 : tensor<1x8x32x32xf32>, tensor<1x128x32x32xf32> -> tensor<1x136x32x32xf32>
  return %1 : tensor<1x136x32x32xf32>
}

// Groups keep their number; a batch that is not known grows work and transposes alike.
// CHECK-LABEL: @groups
// CHECK: %[[W:.*]] = graph.transpose %arg1 [2, 3, 1, 0] : tensor<64x32x3x3xf32> -> tensor<3x3x32x64xf32>
// CHECK: graph.conv %{{.*}}, %[[W]] strides [2, 2] dilations [1, 1] groups 2
// CHECK-SAME: -> tensor<?x7x7x64xf32
func.func @groups(%x: tensor<?x64x16x16xf32, #graph.shape<"s0", "64", "16", "16">>, %w: tensor<64x32x3x3xf32>) -> tensor<?x64x7x7xf32, #graph.shape<"s0", "64", "7", "7">> {
  %0 = graph.conv %x, %w layout channels_first strides [2, 2] dilations [1, 1] groups 2 : tensor<?x64x16x16xf32, #graph.shape<"s0", "64", "16", "16">>, tensor<64x32x3x3xf32> -> tensor<?x64x7x7xf32, #graph.shape<"s0", "64", "7", "7">>
  return %0 : tensor<?x64x7x7xf32, #graph.shape<"s0", "64", "7", "7">>
}

// One dimension of places; f32 as tf32 stays so.
// CHECK-LABEL: @sound
// CHECK: graph.transpose %arg0 [0, 2, 1] : tensor<1x64x100xf32> -> tensor<1x100x64xf32>
// CHECK: graph.conv {{.*}} groups 1 tf32 x1 : tensor<1x100x64xf32>, tensor<3x64x64xf32> -> tensor<1x98x64xf32>
func.func @sound(%x: tensor<1x64x100xf32>, %w: tensor<64x64x3xf32>) -> tensor<1x64x98xf32> {
  %0 = graph.conv %x, %w layout channels_first strides [1] dilations [1] groups 1 tf32 x1 : tensor<1x64x100xf32>, tensor<64x64x3xf32> -> tensor<1x64x98xf32>
  return %0 : tensor<1x64x98xf32>
}

// Channels and places become one dimension: the chain ends there, what comes after is another one.
// CHECK-LABEL: @cut
// CHECK: graph.conv {{.*}} -> tensor<1x16x16x64xf32>
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [0, 3, 1, 2] : tensor<1x16x16x64xf32> -> tensor<1x64x16x16xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[T]] : tensor<1x64x16x16xf32> -> tensor<1x4x64x64xf32>
// CHECK: %[[U:.*]] = graph.transpose %[[R]] [0, 2, 3, 1]
// CHECK: graph.conv %[[U]],
// CHECK: graph.layouts @cut [#graph.chain<channels_last{{.*}} transposes 2 {{.*}}, #graph.chain<channels_last{{.*}} transposes 2
func.func @cut(%x: tensor<1x64x16x16xf32>, %w: tensor<64x64x3x3xf32>, %v: tensor<4x4x1x1xf32>) -> tensor<1x4x64x64xf32> {
  %0 = graph.pad %x ["0", "0", "1", "1"] constant 0.0 : f32 : tensor<1x64x16x16xf32> -> tensor<1x64x18x18xf32>
  %1 = graph.conv %0, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x64x18x18xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x16x16xf32>
  %2 = graph.reshape %1 : tensor<1x64x16x16xf32> -> tensor<1x4x64x64xf32>
  %3 = graph.conv %2, %v layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x4x64x64xf32>, tensor<4x4x1x1xf32> -> tensor<1x4x64x64xf32>
  return %3 : tensor<1x4x64x64xf32>
}

// Several ops read the result as it is written: one transpose for all of them.
// CHECK-LABEL: @readers
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [0, 3, 1, 2]
// CHECK: graph.matmul %[[T]], %arg2
// CHECK: graph.matmul %arg2, %[[T]]
// CHECK: return {{.*}}, %[[T]]
// CHECK: graph.layouts @readers {{.*}}<channels_last transposes 2 bytes 131072
func.func @readers(%x: tensor<1x64x16x16xf32>, %w: tensor<64x64x3x3xf32>, %m: tensor<1x64x16x16xf32>)
    -> (tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32>) {
  %0 = graph.pad %x ["0", "0", "1", "1"] constant 0.0 : f32 : tensor<1x64x16x16xf32> -> tensor<1x64x18x18xf32>
  %1 = graph.conv %0, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x64x18x18xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x16x16xf32>
  %2 = graph.matmul %1, %m : tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32> -> tensor<1x64x16x16xf32>
  %3 = graph.matmul %m, %1 : tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32> -> tensor<1x64x16x16xf32>
  return %2, %3, %1 : tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32>, tensor<1x64x16x16xf32>
}

// The model itself has channels last around it: its transposes meet those of the convolution.
// CHECK-LABEL: @written
// CHECK-NEXT: graph.transpose %arg1 [2, 3, 1, 0]
// CHECK-NEXT: graph.conv %arg0
// CHECK-NEXT: return
// CHECK: graph.layouts @written {{.*}}<channels_last transposes 0 bytes 0 {{.*}}<channels_first transposes 2 bytes 8192
func.func @written(%x: tensor<1x16x16x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x16x16x4xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x16x16x4xf32> -> tensor<1x4x16x16xf32>
  %1 = graph.conv %0, %w layout channels_first strides [1, 1] dilations [1, 1] groups 1 : tensor<1x4x16x16xf32>, tensor<4x4x1x1xf32> -> tensor<1x4x16x16xf32>
  %2 = graph.transpose %1 [0, 2, 3, 1] : tensor<1x4x16x16xf32> -> tensor<1x16x16x4xf32>
  return %2 : tensor<1x16x16x4xf32>
}

// One filter per channel: a convolution, too, whose weights are turned as any operand.
// CHECK-LABEL: @depthwise
// CHECK: graph.transpose %arg0 [0, 2, 3, 1]
// CHECK: graph.window %{{.*}} axis 1 {{.*}} -> tensor<1x8x8x3x3x16xf32>
// CHECK: graph.reduce sum %{{.*}} [3, 4]
// CHECK: graph.transpose %{{.*}} [0, 5, 1, 2, 3, 4]
// CHECK-NEXT: return
// CHECK: graph.layouts @depthwise {{.*}}<channels_last transposes 2
func.func @depthwise(%x: tensor<1x16x10x10xf32>) -> tensor<1x16x8x8x1x1xf32> {
  %w = graph.constant dense<2.0> : tensor<1x16x1x1x3x3xf32> : tensor<1x16x1x1x3x3xf32>
  %0 = graph.window %x axis 2 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x16x10x10xf32> -> tensor<1x16x8x8x3x3xf32>
  %1 = graph.broadcast %w : tensor<1x16x1x1x3x3xf32> -> tensor<1x16x8x8x3x3xf32>
  %2 = graph.binary mul %0, %1 : tensor<1x16x8x8x3x3xf32>, tensor<1x16x8x8x3x3xf32> -> tensor<1x16x8x8x3x3xf32>
  %3 = graph.reduce sum %2 [4, 5] : tensor<1x16x8x8x3x3xf32> -> tensor<1x16x8x8x1x1xf32>
  return %3 : tensor<1x16x8x8x1x1xf32>
}

// Over lines of 16 places, as a vector has lanes, it reads neighbours whatever the layout; on a GPU it does not.
// CHECK-LABEL: @lines
// CHECK: graph.window %arg0 axis 2
// CHECK-NOT: graph.transpose
// CHECK: graph.layouts @lines {{.*}}<channels_first[{{.*}}<channels_first transposes 0 bytes 0 cost 0>
// CUDA-LABEL: @lines
// CUDA: graph.transpose %arg0 [0, 2, 3, 1]
func.func @lines(%x: tensor<1x16x10x18xf32>) -> tensor<1x16x8x16x1x1xf32> {
  %w = graph.constant dense<2.0> : tensor<1x16x1x1x3x3xf32> : tensor<1x16x1x1x3x3xf32>
  %0 = graph.window %x axis 2 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x16x10x18xf32> -> tensor<1x16x8x16x3x3xf32>
  %1 = graph.broadcast %w : tensor<1x16x1x1x3x3xf32> -> tensor<1x16x8x16x3x3xf32>
  %2 = graph.binary mul %0, %1 : tensor<1x16x8x16x3x3xf32>, tensor<1x16x8x16x3x3xf32> -> tensor<1x16x8x16x3x3xf32>
  %3 = graph.reduce sum %2 [4, 5] : tensor<1x16x8x16x3x3xf32> -> tensor<1x16x8x16x1x1xf32>
  return %3 : tensor<1x16x8x16x1x1xf32>
}

// A pool is none: it stays as it is written.
// CHECK-LABEL: @pool
// CHECK: graph.window %arg0 axis 2
// CHECK-NOT: graph.transpose
// CHECK: return
// CHECK-NOT: graph.layouts @pool
func.func @pool(%x: tensor<1x16x10x10xf32>) -> tensor<1x16x8x8x1x1xf32> {
  %0 = graph.window %x axis 2 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x16x10x10xf32> -> tensor<1x16x8x8x3x3xf32>
  %1 = graph.reduce max %0 [4, 5] : tensor<1x16x8x8x3x3xf32> -> tensor<1x16x8x8x1x1xf32>
  return %1 : tensor<1x16x8x8x1x1xf32>
}

// Channels last already: nothing to choose.
// CHECK-LABEL: @last
// CHECK-NEXT: graph.conv %arg0, %arg1 strides
// CHECK-NEXT: return
// CHECK-NOT: graph.layouts @last
func.func @last(%x: tensor<1x16x16x64xf32>, %w: tensor<1x1x64x64xf32>) -> tensor<1x16x16x64xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x16x16x64xf32>, tensor<1x1x64x64xf32> -> tensor<1x16x16x64xf32>
  return %0 : tensor<1x16x16x64xf32>
}

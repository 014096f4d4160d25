//===- test/Target/CPU/choose-libraries.mlir - contractions in a library's words ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions,func.func(cpu-choose-libraries))" | FileCheck %s

// Bias, residual and function; the border of zeros is the call's.
// CHECK-LABEL: @conv
// CHECK: graph.fusion conv
// CHECK-SAME: library <convolution source[1, 15, 14, 24] weights[3, 3, 24, 16] result[1, 8, 8, 16]
// CHECK-SAME: strides[2, 2] dilations[1, 1] padding[1, 2] post_ops[<add_channel>, <add_tensor>, <relu>]> inputs [1, 2, 3, 0]
func.func @conv(%x: tensor<1x15x14x24xf32>, %r: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32> {
  %w = graph.constant dense_resource<w> : tensor<3x3x24x16xf32> : tensor<3x3x24x16xf32>
  %b = graph.constant dense_resource<b> : tensor<1x1x1x16xf32> : tensor<1x1x1x16xf32>
  %p = graph.pad %x ["0", "1", "2", "0"] constant 0.0 : f32 : tensor<1x15x14x24xf32> -> tensor<1x17x17x24xf32>
  %0 = graph.conv %p, %w strides [2, 2] dilations [1, 1] groups 1 : tensor<1x17x17x24xf32>, tensor<3x3x24x16xf32> -> tensor<1x8x8x16xf32>
  %1 = graph.broadcast %b : tensor<1x1x1x16xf32> -> tensor<1x8x8x16xf32>
  %2 = graph.binary add %0, %1 : tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32> -> tensor<1x8x8x16xf32>
  %3 = graph.binary add %r, %2 : tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32> -> tensor<1x8x8x16xf32>
  %4 = graph.unary relu %3 : tensor<1x8x8x16xf32> -> tensor<1x8x8x16xf32>
  return %4 : tensor<1x8x8x16xf32>
}

// Every place is a row; both bounds are one clip.
// CHECK-LABEL: @places
// CHECK: graph.fusion conv
// CHECK-SAME: library <product source[1024, 32] weights[32, 16] result[1024, 16] post_ops[<clip, 0.000000e+00 : f32, 6.000000e+00 : f32>]>
func.func @places(%x: tensor<1x32x32x32xf32>) -> tensor<1x32x32x16xf32> {
  %w = graph.constant dense_resource<w1> : tensor<1x1x32x16xf32> : tensor<1x1x32x16xf32>
  %zero = graph.constant dense<0.0> : tensor<1x32x32x16xf32> : tensor<1x32x32x16xf32>
  %six = graph.constant dense<6.0> : tensor<1x32x32x16xf32> : tensor<1x32x32x16xf32>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x32x32x32xf32>, tensor<1x1x32x16xf32> -> tensor<1x32x32x16xf32>
  %1 = graph.binary max %0, %zero : tensor<1x32x32x16xf32>, tensor<1x32x32x16xf32> -> tensor<1x32x32x16xf32>
  %2 = graph.binary min %1, %six : tensor<1x32x32x16xf32>, tensor<1x32x32x16xf32> -> tensor<1x32x32x16xf32>
  return %2 : tensor<1x32x32x16xf32>
}

// CHECK-LABEL: @product
// CHECK: library <product {{.*}} post_ops[<add_channel>, <gelu_erf>]> inputs [0, 1, 2]
func.func @product(%x: tensor<1x600x64xf32>) -> tensor<1x600x96xf32> {
  %w = graph.constant dense_resource<w2> : tensor<64x96xf32> : tensor<64x96xf32>
  %b = graph.constant dense_resource<b2> : tensor<96xf32> : tensor<96xf32>
  %0 = graph.reshape %x : tensor<1x600x64xf32> -> tensor<600x64xf32>
  %1 = graph.matmul %0, %w : tensor<600x64xf32>, tensor<64x96xf32> -> tensor<600x96xf32>
  %2 = graph.reshape %b : tensor<96xf32> -> tensor<1x96xf32>
  %3 = graph.broadcast %2 : tensor<1x96xf32> -> tensor<600x96xf32>
  %4 = graph.binary add %1, %3 : tensor<600x96xf32>, tensor<600x96xf32> -> tensor<600x96xf32>
  %5 = graph.unary gelu_erf %4 : tensor<600x96xf32> -> tensor<600x96xf32>
  %6 = graph.reshape %5 : tensor<600x96xf32> -> tensor<1x600x96xf32>
  return %6 : tensor<1x600x96xf32>
}

// Described although the kernel is the cheaper one on most machines: the runtime chooses.
// CHECK-LABEL: @large_weights
// CHECK: library <product
func.func @large_weights(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %w = graph.constant dense_resource<w3> : tensor<1024x1024xf32> : tensor<1024x1024xf32>
  %0 = graph.matmul %x, %w : tensor<64x1024xf32>, tensor<1024x1024xf32> -> tensor<64x1024xf32>
  return %0 : tensor<64x1024xf32>
}

// CHECK-LABEL: @computed_weights
// CHECK: refused "the weights are no constant in their own layout"
func.func @computed_weights(%x: tensor<600x64xf32>, %w: tensor<64x96xf32>) -> tensor<600x96xf32> {
  %0 = graph.matmul %x, %w : tensor<600x64xf32>, tensor<64x96xf32> -> tensor<600x96xf32>
  return %0 : tensor<600x96xf32>
}

// CHECK-LABEL: @dynamic_rows
// CHECK: refused "the shapes are not static or the elements not f32: a library compiles for numbers"
func.func @dynamic_rows(%x: tensor<?x64xf32, #graph.shape<"s0", "64">>) -> tensor<?x96xf32, #graph.shape<"s0", "96">> {
  %w = graph.constant dense_resource<w2> : tensor<64x96xf32> : tensor<64x96xf32>
  %0 = graph.matmul %x, %w : tensor<?x64xf32, #graph.shape<"s0", "64">>, tensor<64x96xf32> -> tensor<?x96xf32, #graph.shape<"s0", "96">>
  return %0 : tensor<?x96xf32, #graph.shape<"s0", "96">>
}

// CHECK-LABEL: @channels_first
// CHECK: refused "the source is computed or does not lie channels last"
func.func @channels_first(%x: tensor<1x24x15x15xf32>) -> tensor<1x13x13x16xf32> {
  %w = graph.constant dense_resource<w> : tensor<3x3x24x16xf32> : tensor<3x3x24x16xf32>
  %0 = graph.transpose %x [0, 2, 3, 1] : tensor<1x24x15x15xf32> -> tensor<1x15x15x24xf32>
  %1 = graph.conv %0, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x15x15x24xf32>, tensor<3x3x24x16xf32> -> tensor<1x13x13x16xf32>
  return %1 : tensor<1x13x13x16xf32>
}

// CHECK-LABEL: @border_of_ones
// CHECK: refused "the border is not of zeros around height and width"
func.func @border_of_ones(%x: tensor<1x15x15x24xf32>) -> tensor<1x15x15x16xf32> {
  %w = graph.constant dense_resource<w> : tensor<3x3x24x16xf32> : tensor<3x3x24x16xf32>
  %p = graph.pad %x ["0", "1", "1", "0"] constant 1.0 : f32 : tensor<1x15x15x24xf32> -> tensor<1x17x17x24xf32>
  %0 = graph.conv %p, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x17x17x24xf32>, tensor<3x3x24x16xf32> -> tensor<1x15x15x16xf32>
  return %0 : tensor<1x15x15x16xf32>
}

// CHECK-LABEL: @groups
// CHECK: refused "a convolution of one group in two dimensions is needed"
func.func @groups(%x: tensor<1x15x15x48xf32>) -> tensor<1x13x13x16xf32> {
  %w = graph.constant dense_resource<w> : tensor<3x3x24x16xf32> : tensor<3x3x24x16xf32>
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 2 : tensor<1x15x15x48xf32>, tensor<3x3x24x16xf32> -> tensor<1x13x13x16xf32>
  return %0 : tensor<1x13x13x16xf32>
}

// CHECK-LABEL: @no_post_op
// CHECK: refused "no post-op does what graph.unary mish does here"
func.func @no_post_op(%x: tensor<600x64xf32>) -> tensor<600x96xf32> {
  %w = graph.constant dense_resource<w2> : tensor<64x96xf32> : tensor<64x96xf32>
  %0 = graph.matmul %x, %w : tensor<600x64xf32>, tensor<64x96xf32> -> tensor<600x96xf32>
  %1 = graph.unary mish %0 : tensor<600x96xf32> -> tensor<600x96xf32>
  return %1 : tensor<600x96xf32>
}

// CHECK-LABEL: @transposed_result
// CHECK: refused "no post-op does what graph.transpose does here"
func.func @transposed_result(%x: tensor<600x64xf32>) -> tensor<96x600xf32> {
  %w = graph.constant dense_resource<w2> : tensor<64x96xf32> : tensor<64x96xf32>
  %0 = graph.matmul %x, %w : tensor<600x64xf32>, tensor<64x96xf32> -> tensor<600x96xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<600x96xf32> -> tensor<96x600xf32>
  return %1 : tensor<96x600xf32>
}

// CHECK-LABEL: @joined
// CHECK: refused "an operand or the result is a part of a joined tensor"
func.func @joined(%x: tensor<600x64xf32>, %y: tensor<8x96xf32>) -> tensor<608x96xf32> {
  %w = graph.constant dense_resource<w2> : tensor<64x96xf32> : tensor<64x96xf32>
  %0 = graph.matmul %x, %w : tensor<600x64xf32>, tensor<64x96xf32> -> tensor<600x96xf32>
  %1 = graph.join %0, %y axis 0 : tensor<600x96xf32>, tensor<8x96xf32> -> tensor<608x96xf32>
  return %1 : tensor<608x96xf32>
}

// CHECK-LABEL: @attention
// CHECK: graph.fusion attention
// CHECK-SAME: refused "attention is a kernel of its own, no library does all of it"
func.func @attention(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x6xf32>) -> tensor<2x5x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x5x8xf32>, tensor<2x8x7xf32> -> tensor<2x5x7xf32>
  %1 = graph.softmax %0 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32>
  %2 = graph.matmul %1, %v : tensor<2x5x7xf32>, tensor<2x7x6xf32> -> tensor<2x5x6xf32>
  return %2 : tensor<2x5x6xf32>
}

// CHECK-LABEL: @batch
// CHECK: refused "one matrix is needed, not a batch of them"
func.func @batch(%x: tensor<3x600x64xf32>, %w: tensor<3x64x96xf32>) -> tensor<3x600x96xf32> {
  %0 = graph.matmul %x, %w : tensor<3x600x64xf32>, tensor<3x64x96xf32> -> tensor<3x600x96xf32>
  return %0 : tensor<3x600x96xf32>
}

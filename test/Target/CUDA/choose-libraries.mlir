//===- test/Target/CUDA/choose-libraries.mlir - products in cuBLASLt's words ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions,func.func(cuda-choose-libraries))" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(graph-form-fusions,func.func(cuda-choose-libraries{arch=sm_90a}))" \
// RUN:   | FileCheck %s --check-prefix=HOPPER
// RUN: not cupola-opt %s --pass-pipeline="builtin.module(func.func(cuda-choose-libraries{arch=sm_1}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARCH
// HOPPER: workspace 33554432
// ARCH: architecture 'sm_1' is not known

// A vector, a tensor and the function, computed on the f32 sum; the weights may be anything.
// CHECK-LABEL: @layer
// CHECK: graph.fusion gemm
// CHECK-SAME: library <strided_product source[1, 600, 64] weights[1, 64, 96] result[1, 600, 96]
// CHECK-SAME: post_ops[<add_channel>, <add_tensor>, <gelu_tanh>] of f16 steps[0, 64, 1] and[0, 96, 1] workspace 4194304> inputs [1, 2, 3, 0]
func.func @layer(%x: tensor<600x64xf16>, %w: tensor<64x96xf16>, %b: tensor<96xf16>, %r: tensor<600x96xf16>) -> tensor<600x96xf16> {
  %0 = graph.matmul %x, %w : tensor<600x64xf16>, tensor<64x96xf16> -> tensor<600x96xf16>
  %1 = graph.reshape %b : tensor<96xf16> -> tensor<1x96xf16>
  %2 = graph.broadcast %1 : tensor<1x96xf16> -> tensor<600x96xf16>
  %3 = graph.binary add %0, %2 : tensor<600x96xf16>, tensor<600x96xf16> -> tensor<600x96xf16>
  %4 = graph.binary add %r, %3 : tensor<600x96xf16>, tensor<600x96xf16> -> tensor<600x96xf16>
  %5 = graph.unary gelu_tanh %4 : tensor<600x96xf16> -> tensor<600x96xf16>
  return %5 : tensor<600x96xf16>
}

// Both operands are views of inputs whose heads lie side by side, the right one transposed.
// CHECK-LABEL: @heads
// CHECK: library <strided_product source[12, 32, 64] weights[12, 64, 32] result[12, 32, 32]
// CHECK-SAME: of f32 steps[64, 768, 1] and[64, 1, 768] workspace
func.func @heads(%x: tensor<32x768xf32>, %w: tensor<32x768xf32>) -> tensor<1x12x32x32xf32> {
  %0 = graph.reshape %x : tensor<32x768xf32> -> tensor<1x32x12x64xf32>
  %1 = graph.transpose %0 [0, 2, 1, 3] : tensor<1x32x12x64xf32> -> tensor<1x12x32x64xf32>
  %2 = graph.reshape %w : tensor<32x768xf32> -> tensor<1x32x12x64xf32>
  %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<1x32x12x64xf32> -> tensor<1x12x64x32xf32>
  %4 = graph.matmul %1, %3 : tensor<1x12x32x64xf32>, tensor<1x12x64x32xf32> -> tensor<1x12x32x32xf32>
  return %4 : tensor<1x12x32x32xf32>
}

// One matrix for a batch of two dimensions.
// CHECK-LABEL: @repeated
// CHECK: library <strided_product source[12, 32, 64] weights[12, 64, 16] result[12, 32, 16]
// CHECK-SAME: post_ops[<relu>] of bf16 steps[2048, 64, 1] and[0, 16, 1] workspace
func.func @repeated(%x: tensor<3x4x32x64xbf16>, %w: tensor<64x16xbf16>) -> tensor<3x4x32x16xbf16> {
  %0 = graph.reshape %w : tensor<64x16xbf16> -> tensor<1x1x64x16xbf16>
  %1 = graph.broadcast %0 : tensor<1x1x64x16xbf16> -> tensor<3x4x64x16xbf16>
  %2 = graph.matmul %x, %1 : tensor<3x4x32x64xbf16>, tensor<3x4x64x16xbf16> -> tensor<3x4x32x16xbf16>
  %3 = graph.unary relu %2 : tensor<3x4x32x16xbf16> -> tensor<3x4x32x16xbf16>
  return %3 : tensor<3x4x32x16xbf16>
}

// A row and a column: what lies between rows that are none is free.
// CHECK-LABEL: @thin
// CHECK: library <strided_product source[1, 1, 64] weights[1, 64, 1] result[1, 1, 1] of f32 steps[0, 64, 1] and[0, 1, 64] workspace
func.func @thin(%x: tensor<1x64xf32>, %w: tensor<64x1xf32>) -> tensor<1x1xf32> {
  %0 = graph.matmul %x, %w : tensor<1x64xf32>, tensor<64x1xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// CHECK-LABEL: @repeated_along_one
// CHECK: refused "the matrices of the right operand lie at no single step"
func.func @repeated_along_one(%x: tensor<3x4x32x64xf32>, %w: tensor<3x64x16xf32>) -> tensor<3x4x32x16xf32> {
  %0 = graph.reshape %w : tensor<3x64x16xf32> -> tensor<3x1x64x16xf32>
  %1 = graph.broadcast %0 : tensor<3x1x64x16xf32> -> tensor<3x4x64x16xf32>
  %2 = graph.matmul %x, %1 : tensor<3x4x32x64xf32>, tensor<3x4x64x16xf32> -> tensor<3x4x32x16xf32>
  return %2 : tensor<3x4x32x16xf32>
}

// CHECK-LABEL: @columns_apart
// CHECK: refused "neither rows nor columns of the left matrix lie in one piece"
func.func @columns_apart(%x: tensor<32x64x2xf32>, %w: tensor<2x64x16xf32>) -> tensor<2x32x16xf32> {
  %0 = graph.transpose %x [2, 0, 1] : tensor<32x64x2xf32> -> tensor<2x32x64xf32>
  %1 = graph.matmul %0, %w : tensor<2x32x64xf32>, tensor<2x64x16xf32> -> tensor<2x32x16xf32>
  return %1 : tensor<2x32x16xf32>
}

// CHECK-LABEL: @part
// CHECK: refused "the left matrix is computed, or a part of an input"
func.func @part(%x: tensor<32x128xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> {
  %0 = graph.slice %x ["0", "64"] [1, 1] : tensor<32x128xf32> -> tensor<32x64xf32>
  %1 = graph.matmul %0, %w : tensor<32x64xf32>, tensor<64x16xf32> -> tensor<32x16xf32>
  return %1 : tensor<32x16xf32>
}

// CHECK-LABEL: @dynamic_rows
// CHECK: refused "the shapes are not static: cuBLASLt chooses its code by numbers"
func.func @dynamic_rows(%x: tensor<?x64xf32, #graph.shape<"s0", "64">>, %w: tensor<64x96xf32>) -> tensor<?x96xf32, #graph.shape<"s0", "96">> {
  %0 = graph.matmul %x, %w : tensor<?x64xf32, #graph.shape<"s0", "64">>, tensor<64x96xf32> -> tensor<?x96xf32, #graph.shape<"s0", "96">>
  return %0 : tensor<?x96xf32, #graph.shape<"s0", "96">>
}

// CHECK-LABEL: @wide_elements
// CHECK: refused "the elements are none of f32, f16 and bf16"
func.func @wide_elements(%x: tensor<32x64xf64>, %w: tensor<64x16xf64>) -> tensor<32x16xf64> {
  %0 = graph.matmul %x, %w : tensor<32x64xf64>, tensor<64x16xf64> -> tensor<32x16xf64>
  return %0 : tensor<32x16xf64>
}

// Its gelu is the other form.
// CHECK-LABEL: @gelu_erf
// CHECK: refused "no post-op does what graph.unary gelu_erf does here"
func.func @gelu_erf(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf32> {
  %0 = graph.matmul %x, %w : tensor<32x64xf32>, tensor<64x16xf32> -> tensor<32x16xf32>
  %1 = graph.unary gelu_erf %0 : tensor<32x16xf32> -> tensor<32x16xf32>
  return %1 : tensor<32x16xf32>
}

// CHECK-LABEL: @sum_after_relu
// CHECK: refused "no post-op does what graph.binary add does here"
func.func @sum_after_relu(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>, %r: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %0 = graph.matmul %x, %w : tensor<32x64xf32>, tensor<64x16xf32> -> tensor<32x16xf32>
  %1 = graph.unary relu %0 : tensor<32x16xf32> -> tensor<32x16xf32>
  %2 = graph.binary add %1, %r : tensor<32x16xf32>, tensor<32x16xf32> -> tensor<32x16xf32>
  return %2 : tensor<32x16xf32>
}

// CHECK-LABEL: @rounded
// CHECK: refused "no post-op does what graph.cast does here"
func.func @rounded(%x: tensor<32x64xf32>, %w: tensor<64x16xf32>) -> tensor<32x16xf16> {
  %0 = graph.matmul %x, %w : tensor<32x64xf32>, tensor<64x16xf32> -> tensor<32x16xf32>
  %1 = graph.cast %0 : tensor<32x16xf32> -> tensor<32x16xf16>
  return %1 : tensor<32x16xf16>
}

// CHECK-LABEL: @places
// CHECK: refused "it is no product of matrices"
func.func @places(%x: tensor<1x32x32x32xf32>, %w: tensor<1x1x32x16xf32>) -> tensor<1x32x32x16xf32> {
  %0 = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x32x32x32xf32>, tensor<1x1x32x16xf32> -> tensor<1x32x32x16xf32>
  return %0 : tensor<1x32x32x16xf32>
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

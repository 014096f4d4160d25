//===- test/Transforms/narrow-stored.mlir - what kernels hand on has the bits it may have ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(graph-precision,graph-fold-constants),graph-form-fusions,func.func(graph-narrow-stored))" | FileCheck %s
// RUN: cupola-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(graph-precision{element=bf16},graph-fold-constants),graph-form-fusions{epilogues=false},func.func(graph-narrow-stored))" | FileCheck %s --check-prefix=APART

// Two products with biases meet in a sum, which is in the kernel of one of them and reads what the other made.
// CHECK-LABEL: @shortcut
// CHECK: %[[A:.*]] = graph.fusion gemm({{.*}} -> tensor<4x4xf16>
// CHECK: %[[S:.*]] = graph.binary add {{.*}} -> tensor<4x4xf32>
// CHECK: %[[C:.*]] = graph.cast %[[S]] : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK: graph.yield %[[C]]
// CHECK: graph.fusion gemm({{.*}}%[[A]]{{.*}} -> tensor<4x4xf32>
// CHECK: graph.cast {{.*}} : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK-NOT: graph.stored
// With the sum in a kernel of its own it has the biases, too, and products have 16 bits anyway.
// APART-LABEL: @shortcut
// APART: graph.fusion pointwise({{.*}} : (tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xbf16>) -> tensor<4x4xf32> {
func.func @shortcut(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %b = graph.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %bias = graph.broadcast %b : tensor<1x4xf32> -> tensor<4x4xf32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %1 = graph.binary add %0, %bias : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = graph.matmul %y, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %3 = graph.binary add %2, %bias : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %4 = graph.binary add %1, %3 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// -----

// Scores with a mask that 16 bits do not hold stay f32 also where softmax is another kernel.
// CHECK-LABEL: @masked
// CHECK: graph.fusion gemm({{.*}} -> tensor<8x8xf32> {
// CHECK: graph.fusion row_reduction({{.*}} : (tensor<8x8xf32>)
func.func @masked(%q: tensor<8x4xf32>, %k: tensor<4x8xf32>, %hidden: tensor<8x8xi1>) -> tensor<8x8xf32> {
  %low = graph.constant dense<-3.4028e+38> : tensor<8x8xf32> : tensor<8x8xf32>
  %m = graph.cast %hidden : tensor<8x8xi1> -> tensor<8x8xf32>
  %mask = graph.binary mul %m, %low : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %0 = graph.matmul %q, %k : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %1 = graph.binary add %0, %mask : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = graph.softmax %1 axis 1 : tensor<8x8xf32> -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

func.func @wrong(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{graph.stored is no narrower float than the result's f32}}
  %0 = graph.unary relu %x {graph.stored = f32} : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

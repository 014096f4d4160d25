//===- test/Transforms/allow-tf32.mlir - Contractions of f32 may be products of TF32 ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-allow-tf32))" | FileCheck %s
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-allow-tf32{three=true}))" | FileCheck %s --check-prefix=THREE
// RUN: cupola-opt %s --split-input-file --mlir-print-debuginfo --pass-pipeline="builtin.module(func.func(graph-allow-tf32{keep=/mlp/*}))" | FileCheck %s --check-prefix=KEEP

// What is stored keeps its type.
// CHECK-LABEL: @layer
// CHECK: graph.matmul %arg0, %arg1 tf32 x1 : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
// CHECK: graph.precision @layer tf32 narrowed 1 kept []
// THREE-LABEL: @layer
// THREE: graph.matmul %arg0, %arg1 tf32 x3 :
// KEEP-LABEL: @layer
// KEEP: graph.matmul %arg0, %arg1 : tensor<2x4xf32>
// KEEP: graph.precision @layer tf32 narrowed 0 kept [#graph.kept<{{.*}} because "it was asked to stay f32">]
func.func @layer(%x: tensor<2x4xf32>, %w: tensor<4x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32> loc("/mlp/fc"("MatMul"))
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: @window
// CHECK: graph.conv %arg0, %arg1 strides [1] dilations [1] groups 1 tf32 x1 :
// CHECK: graph.precision @window tf32 narrowed 1 kept []
func.func @window(%x: tensor<1x16x8xf32>, %w: tensor<3x8x8xf32>) -> tensor<1x14x8xf32> {
  %0 = graph.conv %x, %w strides [1] dilations [1] groups 1 : tensor<1x16x8xf32>, tensor<3x8x8xf32> -> tensor<1x14x8xf32>
  return %0 : tensor<1x14x8xf32>
}

// -----

// Half precision is not f32.
// CHECK-LABEL: @half
// CHECK: graph.matmul %arg0, %arg1 : tensor<2x4xf16>
// CHECK: graph.precision @half tf32 narrowed 0 kept []
func.func @half(%x: tensor<2x4xf16>, %w: tensor<4x2xf16>) -> tensor<2x2xf16> {
  %0 = graph.matmul %x, %w : tensor<2x4xf16>, tensor<4x2xf16> -> tensor<2x2xf16>
  return %0 : tensor<2x2xf16>
}

// -----

// Angles need all their bits.
// CHECK-LABEL: @angles
// CHECK: graph.matmul %arg0, %arg1 : tensor<4x1xf32>
// CHECK: graph.precision @angles tf32 narrowed 0 kept [#graph.kept<{{.*}} because "positions, angles or bits are computed from it">]
func.func @angles(%p: tensor<4x1xf32>, %f: tensor<1x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.matmul %p, %f : tensor<4x1xf32>, tensor<1x2xf32> -> tensor<4x2xf32>
  %1 = graph.unary cos %0 : tensor<4x2xf32> -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

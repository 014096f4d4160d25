//===- test/Transforms/carry-layouts.mlir - ops compute on tensors that are channels last ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-choose-layouts))" | FileCheck %s

// A residual: both sides are channels last; a scale per channel is turned.
// CHECK-LABEL: @pointwise
// CHECK: %[[A:.*]] = graph.binary add %arg0, %arg1
// CHECK: %[[S:.*]] = graph.transpose %arg2 [0, 2, 3, 1] : tensor<1x16x1x1xf32> -> tensor<1x1x1x16xf32>
// CHECK: %[[B:.*]] = graph.broadcast %[[S]] : tensor<1x1x1x16xf32> -> tensor<1x8x9x16xf32>
// CHECK: %[[M:.*]] = graph.binary mul %[[A]], %[[B]]
// CHECK: graph.transpose %[[M]] [0, 3, 1, 2]
// CHECK-NEXT: return
func.func @pointwise(%a: tensor<1x8x9x16xf32>, %b: tensor<1x8x9x16xf32>, %scale: tensor<1x16x1x1xf32>) -> tensor<1x16x8x9xf32> {
  %0 = graph.transpose %a [0, 3, 1, 2] : tensor<1x8x9x16xf32> -> tensor<1x16x8x9xf32>
  %1 = graph.transpose %b [0, 3, 1, 2] : tensor<1x8x9x16xf32> -> tensor<1x16x8x9xf32>
  %2 = graph.binary add %0, %1 : tensor<1x16x8x9xf32>, tensor<1x16x8x9xf32> -> tensor<1x16x8x9xf32>
  %3 = graph.broadcast %scale : tensor<1x16x1x1xf32> -> tensor<1x16x8x9xf32>
  %4 = graph.binary mul %2, %3 : tensor<1x16x8x9xf32>, tensor<1x16x8x9xf32> -> tensor<1x16x8x9xf32>
  return %4 : tensor<1x16x8x9xf32>
}

// A pool: pad, windows, reduction, and the reshape that drops the window.
// CHECK-LABEL: @pool
// CHECK: graph.pad %arg0 ["0", "1", "1", "0"] {{.*}} -> tensor<1x10x11x16xf32>
// CHECK: graph.window {{.*}} axis 1 sizes [3, 3] {{.*}} -> tensor<1x8x9x3x3x16xf32>
// CHECK: graph.reduce max {{.*}} [3, 4] : {{.*}} -> tensor<1x8x9x1x1x16xf32>
// CHECK: graph.reshape {{.*}} -> tensor<1x8x9x16xf32>
// CHECK: graph.transpose {{.*}} [0, 3, 1, 2]
// CHECK-NEXT: return
func.func @pool(%x: tensor<1x8x9x16xf32>) -> tensor<1x16x8x9xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x9x16xf32> -> tensor<1x16x8x9xf32>
  %1 = graph.pad %0 ["0", "0", "1", "1"] constant 0xFF800000 : f32 : tensor<1x16x8x9xf32> -> tensor<1x16x10x11xf32>
  %2 = graph.window %1 axis 2 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x16x10x11xf32> -> tensor<1x16x8x9x3x3xf32>
  %3 = graph.reduce max %2 [4, 5] : tensor<1x16x8x9x3x3xf32> -> tensor<1x16x8x9x1x1xf32>
  %4 = graph.reshape %3 : tensor<1x16x8x9x1x1xf32> -> tensor<1x16x8x9xf32>
  return %4 : tensor<1x16x8x9xf32>
}

// Neighbours either way are merged; channels split off in front.
// CHECK-LABEL: @reshapes
// CHECK: graph.reshape %arg0 : tensor<1x8x9x16xf32> -> tensor<1x72x16xf32>
// CHECK: graph.transpose {{.*}} [0, 2, 1] : tensor<1x72x16xf32> -> tensor<1x16x72xf32>
// CHECK: graph.reshape %arg0 : tensor<1x8x9x16xf32> -> tensor<1x8x9x4x4xf32>
// CHECK: graph.transpose {{.*}} [0, 3, 4, 1, 2]
func.func @reshapes(%x: tensor<1x8x9x16xf32>) -> (tensor<1x16x72xf32>, tensor<1x4x4x8x9xf32>) {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x9x16xf32> -> tensor<1x16x8x9xf32>
  %1 = graph.reshape %0 : tensor<1x16x8x9xf32> -> tensor<1x16x72xf32>
  %2 = graph.reshape %0 : tensor<1x16x8x9xf32> -> tensor<1x4x4x8x9xf32>
  return %1, %2 : tensor<1x16x72xf32>, tensor<1x4x4x8x9xf32>
}

// Channels and places become one dimension; a transpose of another kind; a gather that
// reads the transpose as indices only.
// The model turns patches into tokens itself: what follows stays as written.
// CHECK-LABEL: @tokens
// CHECK: %[[R:.*]] = graph.reshape %arg0 : tensor<2x8x9x16xf32> -> tensor<2x72x16xf32>
// CHECK-NEXT: graph.binary add %[[R]], %arg1
// CHECK-NEXT: return
func.func @tokens(%x: tensor<2x8x9x16xf32>, %p: tensor<2x72x16xf32>) -> tensor<2x72x16xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<2x8x9x16xf32> -> tensor<2x16x8x9xf32>
  %1 = graph.reshape %0 : tensor<2x16x8x9xf32> -> tensor<2x16x72xf32>
  %2 = graph.transpose %1 [0, 2, 1] : tensor<2x16x72xf32> -> tensor<2x72x16xf32>
  %3 = graph.binary add %2, %p : tensor<2x72x16xf32>, tensor<2x72x16xf32> -> tensor<2x72x16xf32>
  return %3 : tensor<2x72x16xf32>
}

// A shuffle of pixels: parts of the channels go between the places, the rest stays last.
// CHECK-LABEL: @shuffle
// CHECK: %[[A:.*]] = graph.reshape %arg0 : tensor<1x8x9x16xf32> -> tensor<1x8x9x2x2x4xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[A]] [0, 1, 3, 2, 4, 5] : tensor<1x8x9x2x2x4xf32> -> tensor<1x8x2x9x2x4xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[T]] : tensor<1x8x2x9x2x4xf32> -> tensor<1x16x18x4xf32>
// CHECK: %[[U:.*]] = graph.unary relu %[[R]]
// CHECK: graph.transpose %[[U]] [0, 3, 1, 2]
// CHECK-NEXT: return
func.func @shuffle(%x: tensor<1x8x9x16xf32>) -> tensor<1x4x16x18xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x9x16xf32> -> tensor<1x16x8x9xf32>
  %1 = graph.reshape %0 : tensor<1x16x8x9xf32> -> tensor<1x2x2x4x8x9xf32>
  %2 = graph.transpose %1 [0, 3, 4, 1, 5, 2] : tensor<1x2x2x4x8x9xf32> -> tensor<1x4x8x2x9x2xf32>
  %3 = graph.reshape %2 : tensor<1x4x8x2x9x2xf32> -> tensor<1x4x16x18xf32>
  %4 = graph.unary relu %3 : tensor<1x4x16x18xf32> -> tensor<1x4x16x18xf32>
  return %4 : tensor<1x4x16x18xf32>
}

// Heads are split off the channels and turned, but for a product: one transpose does both.
// CHECK-LABEL: @heads
// CHECK: %[[A:.*]] = graph.reshape %arg0 : tensor<1x72x16xf32> -> tensor<1x72x4x4xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[A]] [0, 2, 3, 1]
// CHECK: %[[H:.*]] = graph.transpose %[[T]] [0, 1, 3, 2]
// CHECK: graph.matmul %[[H]], %arg1
func.func @heads(%x: tensor<1x72x16xf32>, %w: tensor<1x4x4x2xf32>) -> tensor<1x4x72x2xf32> {
  %0 = graph.transpose %x [0, 2, 1] : tensor<1x72x16xf32> -> tensor<1x16x72xf32>
  %1 = graph.reshape %0 : tensor<1x16x72xf32> -> tensor<1x4x4x72xf32>
  %2 = graph.transpose %1 [0, 1, 3, 2] : tensor<1x4x4x72xf32> -> tensor<1x4x72x4xf32>
  %3 = graph.matmul %2, %w : tensor<1x4x72x4xf32>, tensor<1x4x4x2xf32> -> tensor<1x4x72x2xf32>
  return %3 : tensor<1x4x72x2xf32>
}

// CHECK-LABEL: @refused
// CHECK: graph.transpose %arg0 [0, 3, 1, 2]
// CHECK-NEXT: graph.reshape %{{.*}} : tensor<1x16x8x9xf32> -> tensor<1x1152xf32>
// CHECK: graph.transpose %arg0 [0, 2, 1, 3]
// CHECK-NEXT: graph.unary relu
// CHECK-NEXT: return
func.func @refused(%x: tensor<1x8x9x16xf32>) -> (tensor<1x1152xf32>, tensor<1x9x8x16xf32>) {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x9x16xf32> -> tensor<1x16x8x9xf32>
  %1 = graph.reshape %0 : tensor<1x16x8x9xf32> -> tensor<1x1152xf32>
  %2 = graph.transpose %x [0, 2, 1, 3] : tensor<1x8x9x16xf32> -> tensor<1x9x8x16xf32>
  %3 = graph.unary relu %2 : tensor<1x9x8x16xf32> -> tensor<1x9x8x16xf32>
  return %1, %3 : tensor<1x1152xf32>, tensor<1x9x8x16xf32>
}

// A number for all channels is one of the other order, by the names that it had.
// RUN: cupola-opt %s --mlir-print-debuginfo --mlir-print-local-scope --pass-pipeline="builtin.module(func.func(graph-choose-layouts))" | FileCheck %s --check-prefix=NAMES
// NAMES-LABEL: @halves
// NAMES: graph.constant dense<5.000000e-01> : tensor<1x8x9x16xf32> : tensor<1x8x9x16xf32> loc(fused["product", "half"])
// NAMES-NEXT: graph.binary mul
func.func @halves(%x: tensor<1x8x9x16xf32>) -> tensor<1x16x8x9xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x9x16xf32> -> tensor<1x16x8x9xf32>
  %1 = graph.constant dense<5.000000e-01> : tensor<1x16x1x1xf32> : tensor<1x16x1x1xf32> loc("half")
  %2 = graph.broadcast %1 : tensor<1x16x1x1xf32> -> tensor<1x16x8x9xf32> loc("product")
  %3 = graph.binary mul %0, %2 : tensor<1x16x8x9xf32>, tensor<1x16x8x9xf32> -> tensor<1x16x8x9xf32> loc("product")
  return %3 : tensor<1x16x8x9xf32>
}

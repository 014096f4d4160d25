//===- test/Transforms/form-fusions-turned.mlir - reductions whose results change their order ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{mixed-channels=8})" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=ONE

// A window of channels is reduced, then the channels are turned outward, with what follows.
// CHECK: #graph.verdict<apart turned :
// CHECK-LABEL: func.func @window
// CHECK: %[[MOST:.*]] = graph.fusion {{ *}}reduction(%arg0) : {{.*}} -> tensor<1x20x20x16xf32> {
// CHECK-NOT: graph.transpose
// CHECK: graph.fusion {{ *}}pointwise(%[[MOST]]) {{.*}} -> tensor<1x16x20x20xf32> {
// CHECK: graph.transpose
// CHECK: graph.unary neg
// ONE-LABEL: func.func @window
// ONE-COUNT-1: graph.fusion
// ONE-NOT: graph.fusion
// ONE: return
func.func @window(%x: tensor<1x22x22x16xf32>) -> tensor<1x16x20x20xf32> {
  %0 = graph.window %x axis 1 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x22x22x16xf32> -> tensor<1x20x20x3x3x16xf32>
  %1 = graph.reduce max %0 [3, 4] : tensor<1x20x20x3x3x16xf32> -> tensor<1x20x20x1x1x16xf32>
  %2 = graph.reshape %1 : tensor<1x20x20x1x1x16xf32> -> tensor<1x20x20x16xf32>
  %3 = graph.transpose %2 [0, 3, 1, 2] : tensor<1x20x20x16xf32> -> tensor<1x16x20x20xf32>
  %4 = graph.unary neg %3 : tensor<1x16x20x20xf32> -> tensor<1x16x20x20xf32>
  return %4 : tensor<1x16x20x20xf32>
}

// Few channels, few elements, channels that move over nothing, channels that stay.
// CHECK-LABEL: func.func @one
// CHECK-COUNT-5: graph.fusion
// CHECK-NOT: graph.fusion
// CHECK: return
// ONE-LABEL: func.func @one
func.func @one(%x: tensor<1x42x42x7xf32>, %y: tensor<1x4x4x16xf32>, %z: tensor<4096x9x16xf32>)
    -> (tensor<1x7x40x40xf32>, tensor<1x16x2x2xf32>, tensor<16x4096xf32>, tensor<16x4096xf32>) {
  %0 = graph.window %x axis 1 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x42x42x7xf32> -> tensor<1x40x40x3x3x7xf32>
  %1 = graph.reduce max %0 [3, 4] : tensor<1x40x40x3x3x7xf32> -> tensor<1x40x40x1x1x7xf32>
  %2 = graph.reshape %1 : tensor<1x40x40x1x1x7xf32> -> tensor<1x40x40x7xf32>
  %3 = graph.transpose %2 [0, 3, 1, 2] : tensor<1x40x40x7xf32> -> tensor<1x7x40x40xf32>
  %4 = graph.window %y axis 1 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x4x4x16xf32> -> tensor<1x2x2x3x3x16xf32>
  %5 = graph.reduce max %4 [3, 4] : tensor<1x2x2x3x3x16xf32> -> tensor<1x2x2x1x1x16xf32>
  %6 = graph.reshape %5 : tensor<1x2x2x1x1x16xf32> -> tensor<1x2x2x16xf32>
  %7 = graph.transpose %6 [0, 3, 1, 2] : tensor<1x2x2x16xf32> -> tensor<1x16x2x2xf32>
  %8 = graph.reduce sum %z [1, 2] : tensor<4096x9x16xf32> -> tensor<4096x1x1xf32>
  %9 = graph.transpose %8 [1, 2, 0] : tensor<4096x1x1xf32> -> tensor<1x1x4096xf32>
  %10 = graph.broadcast %9 : tensor<1x1x4096xf32> -> tensor<1x16x4096xf32>
  %11 = graph.reshape %10 : tensor<1x16x4096xf32> -> tensor<16x4096xf32>
  %12 = graph.reduce max %z [1] : tensor<4096x9x16xf32> -> tensor<4096x1x16xf32>
  %13 = graph.transpose %12 [1, 0, 2] : tensor<4096x1x16xf32> -> tensor<1x4096x16xf32>
  %14 = graph.reshape %13 : tensor<1x4096x16xf32> -> tensor<16x4096xf32>
  return %3, %7, %11, %14 : tensor<1x7x40x40xf32>, tensor<1x16x2x2xf32>, tensor<16x4096xf32>, tensor<16x4096xf32>
}

// Channels that lie outward before, too.
// CHECK-LABEL: func.func @outward
// CHECK-COUNT-1: graph.fusion
// CHECK-NOT: graph.fusion
// CHECK: return
// ONE-LABEL: func.func @outward
func.func @outward(%x: tensor<1x16x22x22xf32>) -> tensor<1x16x20x20xf32> {
  %0 = graph.transpose %x [0, 2, 3, 1] : tensor<1x16x22x22xf32> -> tensor<1x22x22x16xf32>
  %1 = graph.window %0 axis 1 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x22x22x16xf32> -> tensor<1x20x20x3x3x16xf32>
  %2 = graph.reduce max %1 [3, 4] : tensor<1x20x20x3x3x16xf32> -> tensor<1x20x20x1x1x16xf32>
  %3 = graph.reshape %2 : tensor<1x20x20x1x1x16xf32> -> tensor<1x20x20x16xf32>
  %4 = graph.transpose %3 [0, 3, 1, 2] : tensor<1x20x20x16xf32> -> tensor<1x16x20x20xf32>
  return %4 : tensor<1x16x20x20xf32>
}

// A product whose columns become planes has lanes along its rows; one whose columns become places, too, has none.
// CHECK-LABEL: func.func @product
// CHECK: graph.fusion {{ *}}gemm({{.*}}) {{.*}} -> tensor<16x1024xf32> {
// CHECK: graph.transpose
// CHECK: %[[PLACES:.*]] = graph.fusion {{ *}}gemm({{.*}}) {{.*}} -> tensor<64x64x16xf32> {
// CHECK: graph.fusion {{ *}}pointwise(%[[PLACES]]) {{.*}} -> tensor<16x64x64xf32> {
// ONE-LABEL: func.func @product
func.func @product(%x: tensor<1024x32xf32>, %w: tensor<32x16xf32>, %v: tensor<32x64xf32>) -> (tensor<16x1024xf32>, tensor<16x64x64xf32>) {
  %0 = graph.matmul %x, %w : tensor<1024x32xf32>, tensor<32x16xf32> -> tensor<1024x16xf32>
  %1 = graph.transpose %0 [1, 0] : tensor<1024x16xf32> -> tensor<16x1024xf32>
  %2 = graph.matmul %x, %v : tensor<1024x32xf32>, tensor<32x64xf32> -> tensor<1024x64xf32>
  %3 = graph.reshape %2 : tensor<1024x64xf32> -> tensor<32x32x2x2x16xf32>
  %4 = graph.transpose %3 [0, 2, 1, 3, 4] : tensor<32x32x2x2x16xf32> -> tensor<32x2x32x2x16xf32>
  %5 = graph.reshape %4 : tensor<32x2x32x2x16xf32> -> tensor<64x64x16xf32>
  %6 = graph.transpose %5 [2, 0, 1] : tensor<64x64x16xf32> -> tensor<16x64x64xf32>
  return %1, %6 : tensor<16x1024xf32>, tensor<16x64x64xf32>
}

// What a window reads is looked at once, however many ways lead to it.
// CHECK-LABEL: func.func @many_ways
// CHECK: graph.fusion {{ *}}reduction({{.*}}) {{.*}} -> tensor<1x20x20x16xf32> {
// ONE-LABEL: func.func @many_ways
func.func @many_ways(%x: tensor<1x22x22x16xf32>) -> tensor<1x16x20x20xf32> {
  %a0 = graph.binary mul %x, %x : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a1 = graph.binary mul %a0, %a0 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a2 = graph.binary mul %a1, %a1 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a3 = graph.binary mul %a2, %a2 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a4 = graph.binary mul %a3, %a3 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a5 = graph.binary mul %a4, %a4 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a6 = graph.binary mul %a5, %a5 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a7 = graph.binary mul %a6, %a6 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a8 = graph.binary mul %a7, %a7 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a9 = graph.binary mul %a8, %a8 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a10 = graph.binary mul %a9, %a9 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a11 = graph.binary mul %a10, %a10 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a12 = graph.binary mul %a11, %a11 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a13 = graph.binary mul %a12, %a12 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a14 = graph.binary mul %a13, %a13 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a15 = graph.binary mul %a14, %a14 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a16 = graph.binary mul %a15, %a15 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a17 = graph.binary mul %a16, %a16 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a18 = graph.binary mul %a17, %a17 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a19 = graph.binary mul %a18, %a18 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a20 = graph.binary mul %a19, %a19 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a21 = graph.binary mul %a20, %a20 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a22 = graph.binary mul %a21, %a21 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a23 = graph.binary mul %a22, %a22 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a24 = graph.binary mul %a23, %a23 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a25 = graph.binary mul %a24, %a24 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a26 = graph.binary mul %a25, %a25 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a27 = graph.binary mul %a26, %a26 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a28 = graph.binary mul %a27, %a27 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a29 = graph.binary mul %a28, %a28 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a30 = graph.binary mul %a29, %a29 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a31 = graph.binary mul %a30, %a30 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a32 = graph.binary mul %a31, %a31 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a33 = graph.binary mul %a32, %a32 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a34 = graph.binary mul %a33, %a33 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a35 = graph.binary mul %a34, %a34 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a36 = graph.binary mul %a35, %a35 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a37 = graph.binary mul %a36, %a36 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a38 = graph.binary mul %a37, %a37 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %a39 = graph.binary mul %a38, %a38 : tensor<1x22x22x16xf32>, tensor<1x22x22x16xf32> -> tensor<1x22x22x16xf32>
  %0 = graph.window %a39 axis 1 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x22x22x16xf32> -> tensor<1x20x20x3x3x16xf32>
  %1 = graph.reduce max %0 [3, 4] : tensor<1x20x20x3x3x16xf32> -> tensor<1x20x20x1x1x16xf32>
  %2 = graph.reshape %1 : tensor<1x20x20x1x1x16xf32> -> tensor<1x20x20x16xf32>
  %3 = graph.transpose %2 [0, 3, 1, 2] : tensor<1x20x20x16xf32> -> tensor<1x16x20x20xf32>
  return %3 : tensor<1x16x20x20xf32>
}

// Views are followed through what reads a value twice.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-1: graph.fusion
// CHECK-NOT: graph.fusion
// CHECK: return
// ONE-LABEL: func.func @twice
func.func @twice(%x: tensor<1024x32xf32>, %w: tensor<32x16xf32>) -> tensor<1x16x32x32xf32> {
  %0 = graph.matmul %x, %w : tensor<1024x32xf32>, tensor<32x16xf32> -> tensor<1024x16xf32>
  %1 = graph.reshape %0 : tensor<1024x16xf32> -> tensor<1x32x32x16xf32>
  %2 = graph.unary tanh %1 : tensor<1x32x32x16xf32> -> tensor<1x32x32x16xf32>
  %3 = graph.binary mul %1, %2 : tensor<1x32x32x16xf32>, tensor<1x32x32x16xf32> -> tensor<1x32x32x16xf32>
  %4 = graph.transpose %3 [0, 3, 1, 2] : tensor<1x32x32x16xf32> -> tensor<1x16x32x32xf32>
  return %4 : tensor<1x16x32x32xf32>
}

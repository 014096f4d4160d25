//===- test/Transforms/column-norms.mlir - rows that lie in short pieces ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --graph-column-norms | FileCheck %s

// Two channels of a group lie side by side: means of 64 columns, then of rows.
// CHECK-LABEL: @groups
// CHECK:      %[[X:.*]] = graph.reshape %{{.*}} -> tensor<1x16x16x64xf32>
// CHECK-NEXT: %[[LINES:.*]] = graph.reduce mean %[[X]] [2] {{.*}} -> tensor<1x16x1x64xf32>
// CHECK-NEXT: %[[APART:.*]] = graph.reshape %[[LINES]] : {{.*}} -> tensor<1x16x1x32x1x2xf32>
// CHECK-NEXT: %[[TWICE:.*]] = graph.broadcast %[[APART]] : {{.*}} -> tensor<1x16x1x32x2x2xf32>
// CHECK-NEXT: %[[ROWS:.*]] = graph.reduce mean %[[TWICE]] [1, 5] : {{.*}} -> tensor<1x1x1x32x2x1xf32>
// CHECK-NEXT: %[[MEAN:.*]] = graph.reshape %[[ROWS]] : {{.*}} -> tensor<1x1x1x64xf32>
// CHECK:      graph.binary sub %[[X]]
// CHECK:      graph.binary mul
// CHECK:      graph.reduce mean %{{.*}} [2]
// CHECK:      graph.reduce mean %{{.*}} [1, 5]
// CHECK:      graph.unary rsqrt %{{.*}} : tensor<1x1x1x64xf32>
// CHECK:      graph.binary sub %[[X]]
// CHECK:      graph.reshape %{{.*}} -> tensor<1x16x16x32x2xf32>
// CHECK-NOT:  graph.layer_norm
func.func @groups(%x: tensor<1x16x16x32x2xf32>) -> tensor<1x16x16x32x2xf32> {
  %0 = graph.layer_norm %x axes [1, 2, 4] {epsilon = 1.0e-5 : f64} : tensor<1x16x16x32x2xf32> -> tensor<1x16x16x32x2xf32>
  return %0 : tensor<1x16x16x32x2xf32>
}

// A channel is a row: there is nothing to add but lines. Halves are computed in f32, and rows without a mean need none.
// CHECK-LABEL: @channels
// CHECK:      %[[X:.*]] = graph.cast %arg0 : tensor<1x32x32x64xf16> -> tensor<1x32x32x64xf32>
// CHECK-NEXT: %[[SQUARES:.*]] = graph.binary mul %[[X]], %[[X]]
// CHECK-NEXT: %[[LINES:.*]] = graph.reduce mean %[[SQUARES]] [2]
// CHECK-NEXT: graph.reduce mean %[[LINES]] [1] : {{.*}} -> tensor<1x1x1x64xf32>
// CHECK:      graph.cast {{.*}} -> tensor<1x32x32x64xf16>
func.func @channels(%x: tensor<1x32x32x64xf16>) -> tensor<1x32x32x64xf16> {
  %0 = graph.layer_norm %x axes [1, 2] {epsilon = 1.0e-5 : f64, rms = true} : tensor<1x32x32x64xf16> -> tensor<1x32x32x64xf16>
  return %0 : tensor<1x32x32x64xf16>
}

// Stay: rows in long pieces; rows whose elements are all side by side; short rows; small norms; columns that are no vector;
// rows with another dimension between them and the columns.
// CHECK-LABEL: @long_pieces
// CHECK: graph.layer_norm
func.func @long_pieces(%x: tensor<1x16x16x8x128xf32>) -> tensor<1x16x16x8x128xf32> {
  %0 = graph.layer_norm %x axes [1, 2, 4] {epsilon = 1.0e-5 : f64} : tensor<1x16x16x8x128xf32> -> tensor<1x16x16x8x128xf32>
  return %0 : tensor<1x16x16x8x128xf32>
}
// CHECK-LABEL: @whole_rows
// CHECK: graph.layer_norm
func.func @whole_rows(%x: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<512x64xf32> -> tensor<512x64xf32>
  return %0 : tensor<512x64xf32>
}
// CHECK-LABEL: @short_rows
// CHECK: graph.layer_norm
func.func @short_rows(%x: tensor<1x16x20000xf32>) -> tensor<1x16x20000xf32> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<1x16x20000xf32> -> tensor<1x16x20000xf32>
  return %0 : tensor<1x16x20000xf32>
}
// CHECK-LABEL: @small
// CHECK: graph.layer_norm
func.func @small(%x: tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32> {
  %0 = graph.layer_norm %x axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<1x8x8x64xf32> -> tensor<1x8x8x64xf32>
  return %0 : tensor<1x8x8x64xf32>
}
// CHECK-LABEL: @few_columns
// CHECK: graph.layer_norm
func.func @few_columns(%x: tensor<1x128x128x4xf32>) -> tensor<1x128x128x4xf32> {
  %0 = graph.layer_norm %x axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<1x128x128x4xf32> -> tensor<1x128x128x4xf32>
  return %0 : tensor<1x128x128x4xf32>
}
// CHECK-LABEL: @apart
// CHECK: graph.layer_norm
func.func @apart(%x: tensor<1x128x32x32xf32>) -> tensor<1x128x32x32xf32> {
  %0 = graph.layer_norm %x axes [1] {epsilon = 1.0e-5 : f64} : tensor<1x128x32x32xf32> -> tensor<1x128x32x32xf32>
  return %0 : tensor<1x128x32x32xf32>
}

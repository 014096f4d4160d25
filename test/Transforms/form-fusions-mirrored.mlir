//===- test/Transforms/form-fusions-mirrored.mlir - images whose borders are made of their insides ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions{mirrored=true})" | FileCheck %s
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s --check-prefix=ONE

// Windows read the image as it is written, with its borders.
// CHECK: #graph.verdict<apart mirrored :
// CHECK-LABEL: func.func @windows
// CHECK: %[[PADDED:.*]] = graph.fusion {{ *}}pointwise(%arg0) {{.*}} -> tensor<1x3x22x22xf32> {
// CHECK-NEXT: ^
// CHECK-NEXT: graph.pad
// CHECK: graph.fusion {{ *}}reduction(%[[PADDED]]) {{.*}} -> tensor<1x3x20x20xf32> {
// ONE-LABEL: func.func @windows
// ONE-COUNT-1: graph.fusion
// ONE-NOT: graph.fusion
// ONE: return
func.func @windows(%x: tensor<1x3x20x20xf32>) -> tensor<1x3x20x20xf32> {
  %0 = graph.pad %x ["0", "0", "1", "1"] reflect 0.0 : f32 : tensor<1x3x20x20xf32> -> tensor<1x3x22x22xf32>
  %1 = graph.window %0 axis 2 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x3x22x22xf32> -> tensor<1x3x20x20x3x3xf32>
  %2 = graph.reduce max %1 [4, 5] : tensor<1x3x20x20x3x3xf32> -> tensor<1x3x20x20x1x1xf32>
  %3 = graph.reshape %2 : tensor<1x3x20x20x1x1xf32> -> tensor<1x3x20x20xf32>
  return %3 : tensor<1x3x20x20xf32>
}

// So does a convolution of few channels, which may read it through a view.
// CHECK-LABEL: func.func @few_channels
// CHECK: %[[PADDED:.*]] = graph.fusion {{ *}}pointwise(%arg0) {{.*}} -> tensor<1x3x22x22xf32> {
// CHECK: graph.fusion {{ *}}conv(%[[PADDED]], %arg1)
// ONE-LABEL: func.func @few_channels
// ONE-COUNT-1: graph.fusion
// ONE-NOT: graph.fusion
// ONE: return
func.func @few_channels(%x: tensor<1x3x20x20xf32>, %w: tensor<3x3x3x8xf32>) -> tensor<1x20x20x8xf32> {
  %0 = graph.pad %x ["0", "0", "1", "1"] edge 0.0 : f32 : tensor<1x3x20x20xf32> -> tensor<1x3x22x22xf32>
  %1 = graph.transpose %0 [0, 2, 3, 1] : tensor<1x3x22x22xf32> -> tensor<1x22x22x3xf32>
  %2 = graph.conv %1, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x22x22x3xf32>, tensor<3x3x3x8xf32> -> tensor<1x20x20x8xf32>
  return %2 : tensor<1x20x20x8xf32>
}

// Of zeros; of windows that have nothing in common; of many channels, which lie side by side; of no window.
// CHECK-LABEL: func.func @one
// CHECK-COUNT-4: graph.fusion
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @one(%x: tensor<1x3x20x20xf32>, %y: tensor<1x20x20x32xf32>, %w: tensor<3x3x32x8xf32>)
    -> (tensor<1x3x20x20x1x1xf32>, tensor<1x3x11x11x1x1xf32>, tensor<1x20x20x8xf32>, tensor<1x3x22x22xf32>) {
  %0 = graph.pad %x ["0", "0", "1", "1"] constant 0.0 : f32 : tensor<1x3x20x20xf32> -> tensor<1x3x22x22xf32>
  %1 = graph.window %0 axis 2 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x3x22x22xf32> -> tensor<1x3x20x20x3x3xf32>
  %2 = graph.reduce max %1 [4, 5] : tensor<1x3x20x20x3x3xf32> -> tensor<1x3x20x20x1x1xf32>
  %3 = graph.pad %x ["0", "0", "1", "1"] reflect 0.0 : f32 : tensor<1x3x20x20xf32> -> tensor<1x3x22x22xf32>
  %4 = graph.window %3 axis 2 sizes [2, 2] strides [2, 2] dilations [1, 1] : tensor<1x3x22x22xf32> -> tensor<1x3x11x11x2x2xf32>
  %5 = graph.reduce max %4 [4, 5] : tensor<1x3x11x11x2x2xf32> -> tensor<1x3x11x11x1x1xf32>
  %6 = graph.pad %y ["0", "1", "1", "0"] reflect 0.0 : f32 : tensor<1x20x20x32xf32> -> tensor<1x22x22x32xf32>
  %7 = graph.conv %6, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<1x22x22x32xf32>, tensor<3x3x32x8xf32> -> tensor<1x20x20x8xf32>
  %8 = graph.unary neg %3 : tensor<1x3x22x22xf32> -> tensor<1x3x22x22xf32>
  return %2, %5, %7, %8 : tensor<1x3x20x20x1x1xf32>, tensor<1x3x11x11x1x1xf32>, tensor<1x20x20x8xf32>, tensor<1x3x22x22xf32>
}

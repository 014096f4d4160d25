//===- test/Transforms/split-windows.mlir - windows of pools, one dimension after the other ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --graph-split-windows | FileCheck %s

// CHECK-LABEL: @channels_last
// CHECK-NEXT: %[[ROWS:.*]] = graph.window %arg0 axis 1 sizes [5] strides [2] dilations [1] : {{.*}} -> tensor<1x10x5x24x16xf32>
// CHECK-NEXT: %[[FIRST:.*]] = graph.reduce max %[[ROWS]] [2] : {{.*}} -> tensor<1x10x1x24x16xf32>
// CHECK-NEXT: %[[LINES:.*]] = graph.reshape %[[FIRST]] : {{.*}} -> tensor<1x10x24x16xf32>
// CHECK-NEXT: %[[COLUMNS:.*]] = graph.window %[[LINES]] axis 2 sizes [5] strides [1] dilations [3] : {{.*}} -> tensor<1x10x12x5x16xf32>
// CHECK-NEXT: %[[SECOND:.*]] = graph.reduce max %[[COLUMNS]] [3] : {{.*}} -> tensor<1x10x12x1x16xf32>
// CHECK-NEXT: %[[PLACES:.*]] = graph.reshape %[[SECOND]] : {{.*}} -> tensor<1x10x12x16xf32>
// CHECK-NEXT: %[[END:.*]] = graph.reshape %[[PLACES]] : {{.*}} -> tensor<1x10x12x1x1x16xf32>
// CHECK-NEXT: return %[[END]]
func.func @channels_last(%x: tensor<1x24x24x16xf32>) -> tensor<1x10x12x1x1x16xf32> {
  %0 = graph.window %x axis 1 sizes [5, 5] strides [2, 1] dilations [1, 3] : tensor<1x24x24x16xf32> -> tensor<1x10x12x5x5x16xf32>
  %1 = graph.reduce max %0 [3, 4] : tensor<1x10x12x5x5x16xf32> -> tensor<1x10x12x1x1x16xf32>
  return %1 : tensor<1x10x12x1x1x16xf32>
}

// Means of means, in three dimensions.
// CHECK-LABEL: @three
// CHECK-COUNT-3: graph.reduce mean
// CHECK-NOT: graph.reduce
func.func @three(%x: tensor<1x4x10x10x10xf32>) -> tensor<1x4x8x8x8x1x1x1xf32> {
  %0 = graph.window %x axis 2 sizes [3, 3, 3] strides [1, 1, 1] dilations [1, 1, 1] : tensor<1x4x10x10x10xf32> -> tensor<1x4x8x8x8x3x3x3xf32>
  %1 = graph.reduce mean %0 [5, 6, 7] : tensor<1x4x8x8x8x3x3x3xf32> -> tensor<1x4x8x8x8x1x1x1xf32>
  return %1 : tensor<1x4x8x8x8x1x1x1xf32>
}

// Stay: windows that are small, of one dimension, multiplied first, or reduced with another dimension; products.
// CHECK-LABEL: @stay
// CHECK-COUNT-5: graph.reduce
// CHECK-NOT: graph.reduce
func.func @stay(%x: tensor<1x24x24x16xf32>, %w: tensor<1x20x20x5x5x16xf32>)
    -> (tensor<1x22x22x1x1x16xf32>, tensor<1x10x24x1x1x16xf32>, tensor<1x20x20x1x1x16xf32>, tensor<1x20x20x1x1x1xf32>, tensor<1x20x20x1x1x16xf32>) {
  %0 = graph.window %x axis 1 sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x24x24x16xf32> -> tensor<1x22x22x3x3x16xf32>
  %1 = graph.reduce max %0 [3, 4] : tensor<1x22x22x3x3x16xf32> -> tensor<1x22x22x1x1x16xf32>
  %2 = graph.window %x axis 1 sizes [15, 1] strides [1, 1] dilations [1, 1] : tensor<1x24x24x16xf32> -> tensor<1x10x24x15x1x16xf32>
  %3 = graph.reduce max %2 [3, 4] : tensor<1x10x24x15x1x16xf32> -> tensor<1x10x24x1x1x16xf32>
  %4 = graph.window %x axis 1 sizes [5, 5] strides [1, 1] dilations [1, 1] : tensor<1x24x24x16xf32> -> tensor<1x20x20x5x5x16xf32>
  %5 = graph.binary mul %4, %w : tensor<1x20x20x5x5x16xf32>, tensor<1x20x20x5x5x16xf32> -> tensor<1x20x20x5x5x16xf32>
  %6 = graph.reduce sum %5 [3, 4] : tensor<1x20x20x5x5x16xf32> -> tensor<1x20x20x1x1x16xf32>
  %7 = graph.reduce max %4 [3, 4, 5] : tensor<1x20x20x5x5x16xf32> -> tensor<1x20x20x1x1x1xf32>
  %8 = graph.reduce prod %4 [3, 4] : tensor<1x20x20x5x5x16xf32> -> tensor<1x20x20x1x1x16xf32>
  return %1, %3, %6, %7, %8 : tensor<1x22x22x1x1x16xf32>, tensor<1x10x24x1x1x16xf32>, tensor<1x20x20x1x1x16xf32>, tensor<1x20x20x1x1x1xf32>, tensor<1x20x20x1x1x16xf32>
}

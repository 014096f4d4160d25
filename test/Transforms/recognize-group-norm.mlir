//===- test/Transforms/recognize-group-norm.mlir - flattened groups keep their dimensions ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-recognize-group-norm))" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-recognize-group-norm,graph-choose-layouts))" | FileCheck %s --check-prefix=LAST

// CHECK-LABEL: @groups
// CHECK: %[[A:.*]] = graph.reshape %arg0 : tensor<1x32x8x9xf32> -> tensor<1x4x8x8x9xf32>
// CHECK: %[[N:.*]] = graph.layer_norm %[[A]] axes [2, 3, 4]
// CHECK: graph.reshape %[[N]] : tensor<1x4x8x8x9xf32> -> tensor<1x32x8x9xf32>
func.func @groups(%x: tensor<1x32x8x9xf32>) -> tensor<1x32x8x9xf32> {
  %0 = graph.reshape %x : tensor<1x32x8x9xf32> -> tensor<1x4x576xf32>
  %1 = graph.layer_norm %0 axes [2] {epsilon = 1.0e-5 : f64} : tensor<1x4x576xf32> -> tensor<1x4x576xf32>
  %2 = graph.reshape %1 : tensor<1x4x576xf32> -> tensor<1x32x8x9xf32>
  return %2 : tensor<1x32x8x9xf32>
}

// After a convolution all of it is channels last.
// LAST-LABEL: @after_conv
// LAST: %[[C:.*]] = graph.conv
// LAST: %[[A:.*]] = graph.reshape %[[C]] : tensor<?x8x9x32xf32, #graph.shape<"s0", "8", "9", "32">> -> tensor<?x8x9x4x8xf32
// LAST: %[[N:.*]] = graph.layer_norm %[[A]] axes [1, 2, 4]
// LAST: %[[R:.*]] = graph.reshape %[[N]]
// LAST: graph.transpose %[[R]] [0, 3, 1, 2]
func.func @after_conv(%x: tensor<?x8x9x32xf32, #graph.shape<"s0", "8", "9", "32">>, %w: tensor<1x1x32x32xf32>) -> tensor<?x32x8x9xf32, #graph.shape<"s0", "32", "8", "9">> {
  %c = graph.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : tensor<?x8x9x32xf32, #graph.shape<"s0", "8", "9", "32">>, tensor<1x1x32x32xf32> -> tensor<?x8x9x32xf32, #graph.shape<"s0", "8", "9", "32">>
  %t = graph.transpose %c [0, 3, 1, 2] : tensor<?x8x9x32xf32, #graph.shape<"s0", "8", "9", "32">> -> tensor<?x32x8x9xf32, #graph.shape<"s0", "32", "8", "9">>
  %0 = graph.reshape %t : tensor<?x32x8x9xf32, #graph.shape<"s0", "32", "8", "9">> -> tensor<?x4x576xf32, #graph.shape<"s0", "4", "576">>
  %1 = graph.layer_norm %0 axes [2] {epsilon = 1.0e-5 : f64} : tensor<?x4x576xf32, #graph.shape<"s0", "4", "576">> -> tensor<?x4x576xf32, #graph.shape<"s0", "4", "576">>
  %2 = graph.reshape %1 : tensor<?x4x576xf32, #graph.shape<"s0", "4", "576">> -> tensor<?x32x8x9xf32, #graph.shape<"s0", "32", "8", "9">>
  return %2 : tensor<?x32x8x9xf32, #graph.shape<"s0", "32", "8", "9">>
}

// Rows that cut channels; a result in another shape; several readers.
// CHECK-LABEL: @refused
// CHECK-COUNT-3: layer_norm {{.*}} axes [2]
func.func @refused(%x: tensor<1x6x8x8xf32>) -> (tensor<1x6x8x8xf32>, tensor<1x6x64xf32>, tensor<1x6x8x8xf32>, tensor<1x3x128xf32>) {
  %0 = graph.reshape %x : tensor<1x6x8x8xf32> -> tensor<1x4x96xf32>
  %1 = graph.layer_norm %0 axes [2] {epsilon = 1.0e-5 : f64} : tensor<1x4x96xf32> -> tensor<1x4x96xf32>
  %2 = graph.reshape %1 : tensor<1x4x96xf32> -> tensor<1x6x8x8xf32>
  %3 = graph.reshape %x : tensor<1x6x8x8xf32> -> tensor<1x2x192xf32>
  %4 = graph.layer_norm %3 axes [2] {epsilon = 1.0e-5 : f64} : tensor<1x2x192xf32> -> tensor<1x2x192xf32>
  %5 = graph.reshape %4 : tensor<1x2x192xf32> -> tensor<1x6x64xf32>
  %6 = graph.reshape %x : tensor<1x6x8x8xf32> -> tensor<1x3x128xf32>
  %7 = graph.layer_norm %6 axes [2] {epsilon = 1.0e-5 : f64} : tensor<1x3x128xf32> -> tensor<1x3x128xf32>
  %8 = graph.reshape %7 : tensor<1x3x128xf32> -> tensor<1x6x8x8xf32>
  return %2, %5, %8, %7 : tensor<1x6x8x8xf32>, tensor<1x6x64xf32>, tensor<1x6x8x8xf32>, tensor<1x3x128xf32>
}

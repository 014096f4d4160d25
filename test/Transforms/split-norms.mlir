//===- test/Transforms/split-norms.mlir - few long rows are normalised in two stages ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-split-norms{multiprocessors=108}))" | FileCheck %s
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-split-norms))" | FileCheck %s --check-prefix=NONE
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-split-norms{multiprocessors=108}),graph-form-fusions)" | FileCheck %s --check-prefix=FUSED

// NONE-NOT: graph.moments

// Groups of channels, channels last: four parts of each, of 16 lines.
// CHECK-LABEL: @groups
// CHECK: %[[X:.*]] = graph.reshape %arg0 : tensor<1x64x64x32x10xf16> -> tensor<1x4x16x64x32x10xf16>
// CHECK: %[[M:.*]] = graph.moments %[[X]] axes [2, 3, 5] : {{.*}} -> tensor<1x4x1x1x32x1x2xf32>
// CHECK: %[[N:.*]] = graph.normalize %[[X]] moments %[[M]] axes [1, 2, 3, 5] because "32 rows of 40960 elements would leave 76 of 108 multiprocessors idle; 4 parts of each row share them" {epsilon = 1.000000e-05 : f64}
// CHECK: graph.reshape %[[N]] : {{.*}} -> tensor<1x64x64x32x10xf16>
// FUSED-LABEL: graph.verdicts @groups
// FUSED-SAME: <apart "two-stages" : {{.*}} because "32 rows
// FUSED: graph.fusion
// FUSED: graph.moments
// FUSED: graph.fusion
// FUSED: graph.normalize
// FUSED: graph.unary relu
func.func @groups(%x: tensor<1x64x64x32x10xf16>) -> tensor<1x64x64x32x10xf16> {
  %0 = graph.layer_norm %x axes [1, 2, 4] {epsilon = 1.0e-5 : f64} : tensor<1x64x64x32x10xf16> -> tensor<1x64x64x32x10xf16>
  %1 = graph.unary relu %0 : tensor<1x64x64x32x10xf16> -> tensor<1x64x64x32x10xf16>
  return %1 : tensor<1x64x64x32x10xf16>
}

// -----

// The first dimension that divides evenly has the parts; here 36 are wanted, 43 is the first divisor of 129.
// CHECK-LABEL: @ragged
// CHECK: graph.moments {{.*}} axes [2, 4] : tensor<1x3x131x43x3xf64> -> tensor<1x3x1x43x1x2xf64>
func.func @ragged(%x: tensor<1x3x131x129xf64>) -> tensor<1x3x131x129xf64> {
  %0 = graph.layer_norm %x axes [2, 3] {epsilon = 1.0e-5 : f64} : tensor<1x3x131x129xf64> -> tensor<1x3x131x129xf64>
  return %0 : tensor<1x3x131x129xf64>
}

// -----

// 108 parts would be too many and no dimension divides into more than 43.
// CHECK-LABEL: @fewer
// CHECK: graph.moments {{.*}} axes [1, 3] : tensor<1x131x43x3xf32> -> tensor<1x1x43x1x2xf32>
func.func @fewer(%x: tensor<1x131x129xf32>) -> tensor<1x131x129xf32> {
  %0 = graph.layer_norm %x axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<1x131x129xf32> -> tensor<1x131x129xf32>
  return %0 : tensor<1x131x129xf32>
}

// -----

// Bounds of symbols decide: up to four images of twelve channels, at least 129 lines.
// CHECK-LABEL: @bounded
// CHECK: graph.moments {{.*}} axes [2, 4] : tensor<?x12x?x4x32xf32, #graph.shape<"s0", "12", "s1", "4", "32">>
graph.symbol @s0 {min = 1 : i64, max = 4 : i64}
graph.symbol @s1 {min = 129 : i64}
func.func @bounded(%x: tensor<?x12x?x128xf32, #graph.shape<"s0", "12", "s1", "128">>) -> tensor<?x12x?x128xf32, #graph.shape<"s0", "12", "s1", "128">> {
  %0 = graph.layer_norm %x axes [2, 3] {epsilon = 1.0e-5 : f64} : tensor<?x12x?x128xf32, #graph.shape<"s0", "12", "s1", "128">> -> tensor<?x12x?x128xf32, #graph.shape<"s0", "12", "s1", "128">>
  return %0 : tensor<?x12x?x128xf32, #graph.shape<"s0", "12", "s1", "128">>
}

// -----

// RMS norms; as many rows as fill half of the device; rows that are kept; too few equal parts; any number of rows; any length.
// CHECK-LABEL: @refused
// CHECK-COUNT-6: graph.layer_norm
graph.symbol @s0
func.func @refused(%a: tensor<4x20000xf32>, %b: tensor<55x20000xf32>, %c: tensor<4x16384xf32>, %d: tensor<4x16413xf32>,
                   %e: tensor<?x20000xf32, #graph.shape<"s0", "20000">>, %f: tensor<4x8x?xf32, #graph.shape<"4", "8", "s0">>) {
  %0 = graph.layer_norm %a axes [1] {epsilon = 1.0e-5 : f64, rms = true} : tensor<4x20000xf32> -> tensor<4x20000xf32>
  %1 = graph.layer_norm %b axes [1] {epsilon = 1.0e-5 : f64} : tensor<55x20000xf32> -> tensor<55x20000xf32>
  %2 = graph.layer_norm %c axes [1] {epsilon = 1.0e-5 : f64} : tensor<4x16384xf32> -> tensor<4x16384xf32>
  %3 = graph.layer_norm %d axes [1] {epsilon = 1.0e-5 : f64} : tensor<4x16413xf32> -> tensor<4x16413xf32>
  %4 = graph.layer_norm %e axes [1] {epsilon = 1.0e-5 : f64} : tensor<?x20000xf32, #graph.shape<"s0", "20000">> -> tensor<?x20000xf32, #graph.shape<"s0", "20000">>
  %5 = graph.layer_norm %f axes [1, 2] {epsilon = 1.0e-5 : f64} : tensor<4x8x?xf32, #graph.shape<"4", "8", "s0">> -> tensor<4x8x?xf32, #graph.shape<"4", "8", "s0">>
  return
}

//===- test/Conversion/visible-steps.mlir - steps of attention that a mask by position hides ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --split-input-file --pass-pipeline="builtin.module(graph-form-fusions,graph-to-kernel)" | FileCheck %s

// Causal: a row sees the keys up to its own.
// CHECK-LABEL: kernel.func @k0 attention grid (%{{.*}}) in [2]
// CHECK: kernel.for (%{{.*}}) below 4 visible [0, floordiv(row, 64) + 1] carry
func.func @main(%q: tensor<2x200x8xf32>, %k: tensor<2x8x200xf32>, %v: tensor<2x200x6xf32>) -> tensor<2x200x6xf32> {
  %0 = graph.matmul %q, %k : tensor<2x200x8xf32>, tensor<2x8x200xf32> -> tensor<2x200x200xf32>
  %row = graph.iota 0 : tensor<200x200xi64>
  %key = graph.iota 1 : tensor<200x200xi64>
  %seen = graph.binary less_equal %key, %row : tensor<200x200xi64>, tensor<200x200xi64> -> tensor<200x200xi1>
  %zero = graph.constant dense<0.0> : tensor<200x200xf32> : tensor<200x200xf32>
  %low = graph.constant dense<0xFF800000> : tensor<200x200xf32> : tensor<200x200xf32>
  %mask = graph.select %seen, %zero, %low : tensor<200x200xi1>, tensor<200x200xf32>, tensor<200x200xf32> -> tensor<200x200xf32>
  %1 = graph.reshape %mask : tensor<200x200xf32> -> tensor<1x200x200xf32>
  %2 = graph.broadcast %1 : tensor<1x200x200xf32> -> tensor<2x200x200xf32>
  %3 = graph.binary add %0, %2 : tensor<2x200x200xf32>, tensor<2x200x200xf32> -> tensor<2x200x200xf32>
  %4 = graph.softmax %3 axis 2 : tensor<2x200x200xf32> -> tensor<2x200x200xf32>
  %5 = graph.matmul %4, %v : tensor<2x200x200xf32>, tensor<2x200x6xf32> -> tensor<2x200x6xf32>
  return %5 : tensor<2x200x6xf32>
}

// -----

// The same in half precision, whose scores are computed in single precision.
// CHECK-LABEL: kernel.func @k0 attention grid () in []
// CHECK: kernel.for (%{{.*}}) below 4 visible [0, floordiv(row, 64) + 1] carry
func.func @main(%q: tensor<1x200x8xf16>, %k: tensor<1x8x200xf16>, %v: tensor<1x200x6xf16>) -> tensor<1x200x6xf16> {
  %0 = graph.matmul %q, %k : tensor<1x200x8xf16>, tensor<1x8x200xf16> -> tensor<1x200x200xf16>
  %row = graph.iota 1 : tensor<1x200x200xi64>
  %key = graph.iota 2 : tensor<1x200x200xi64>
  %seen = graph.binary greater_equal %row, %key : tensor<1x200x200xi64>, tensor<1x200x200xi64> -> tensor<1x200x200xi1>
  %low = graph.constant dense<0xFC00> : tensor<1x200x200xf16> : tensor<1x200x200xf16>
  %1 = graph.select %seen, %0, %low : tensor<1x200x200xi1>, tensor<1x200x200xf16>, tensor<1x200x200xf16> -> tensor<1x200x200xf16>
  %2 = graph.softmax %1 axis 2 : tensor<1x200x200xf16> -> tensor<1x200x200xf16>
  %3 = graph.matmul %2, %v : tensor<1x200x200xf16>, tensor<1x200x6xf16> -> tensor<1x200x6xf16>
  return %3 : tensor<1x200x6xf16>
}

// -----

// A window: neither keys behind the row nor those 20 and more before it, as a choice of scores, the other way round.
// CHECK-LABEL: kernel.func @k0 attention grid () in []
// CHECK: kernel.for (%{{.*}}) below 4 visible [floordiv(max(row, 19) + 45, 64) - 1, floordiv(row, 64) + 1] carry
func.func @main(%q: tensor<1x200x8xf32>, %k: tensor<1x8x200xf32>, %v: tensor<1x200x6xf32>) -> tensor<1x200x6xf32> {
  %0 = graph.matmul %q, %k : tensor<1x200x8xf32>, tensor<1x8x200xf32> -> tensor<1x200x200xf32>
  %row = graph.iota 1 : tensor<1x200x200xi64>
  %key = graph.iota 2 : tensor<1x200x200xi64>
  %width = graph.constant dense<20> : tensor<1x200x200xi64> : tensor<1x200x200xi64>
  %behind = graph.binary greater %key, %row : tensor<1x200x200xi64>, tensor<1x200x200xi64> -> tensor<1x200x200xi1>
  %first = graph.binary sub %row, %width : tensor<1x200x200xi64>, tensor<1x200x200xi64> -> tensor<1x200x200xi64>
  %near = graph.binary less %first, %key : tensor<1x200x200xi64>, tensor<1x200x200xi64> -> tensor<1x200x200xi1>
  %far = graph.unary not %near : tensor<1x200x200xi1> -> tensor<1x200x200xi1>
  %hidden = graph.binary or %behind, %far : tensor<1x200x200xi1>, tensor<1x200x200xi1> -> tensor<1x200x200xi1>
  %low = graph.constant dense<0xFF800000> : tensor<1x200x200xf32> : tensor<1x200x200xf32>
  %1 = graph.select %hidden, %low, %0 : tensor<1x200x200xi1>, tensor<1x200x200xf32>, tensor<1x200x200xf32> -> tensor<1x200x200xf32>
  %2 = graph.softmax %1 axis 2 : tensor<1x200x200xf32> -> tensor<1x200x200xf32>
  %3 = graph.matmul %2, %v : tensor<1x200x200xf32>, tensor<1x200x6xf32> -> tensor<1x200x6xf32>
  return %3 : tensor<1x200x6xf32>
}

// -----

// Refused: a number that is not -inf counts where all keys of a row have it.
// CHECK-LABEL: kernel.func @k0 attention grid () in []
// CHECK: kernel.for (%{{.*}}) below 4 carry
func.func @main(%q: tensor<1x200x8xf32>, %k: tensor<1x8x200xf32>, %v: tensor<1x200x6xf32>) -> tensor<1x200x6xf32> {
  %0 = graph.matmul %q, %k : tensor<1x200x8xf32>, tensor<1x8x200xf32> -> tensor<1x200x200xf32>
  %row = graph.iota 1 : tensor<1x200x200xi64>
  %key = graph.iota 2 : tensor<1x200x200xi64>
  %seen = graph.binary less_equal %key, %row : tensor<1x200x200xi64>, tensor<1x200x200xi64> -> tensor<1x200x200xi1>
  %low = graph.constant dense<-1.0e30> : tensor<1x200x200xf32> : tensor<1x200x200xf32>
  %1 = graph.select %seen, %0, %low : tensor<1x200x200xi1>, tensor<1x200x200xf32>, tensor<1x200x200xf32> -> tensor<1x200x200xf32>
  %2 = graph.softmax %1 axis 2 : tensor<1x200x200xf32> -> tensor<1x200x200xf32>
  %3 = graph.matmul %2, %v : tensor<1x200x200xf32>, tensor<1x200x6xf32> -> tensor<1x200x6xf32>
  return %3 : tensor<1x200x6xf32>
}

// -----

// Refused: a later row sees less, so the last row of a block does not say where its steps end.
// CHECK-LABEL: kernel.func @k0 attention grid () in []
// CHECK: kernel.for (%{{.*}}) below 4 carry
func.func @main(%q: tensor<1x200x8xf32>, %k: tensor<1x8x200xf32>, %v: tensor<1x200x6xf32>) -> tensor<1x200x6xf32> {
  %0 = graph.matmul %q, %k : tensor<1x200x8xf32>, tensor<1x8x200xf32> -> tensor<1x200x200xf32>
  %row = graph.iota 1 : tensor<1x200x200xi64>
  %key = graph.iota 2 : tensor<1x200x200xi64>
  %all = graph.constant dense<200> : tensor<1x200x200xi64> : tensor<1x200x200xi64>
  %both = graph.binary add %key, %row : tensor<1x200x200xi64>, tensor<1x200x200xi64> -> tensor<1x200x200xi64>
  %seen = graph.binary less %both, %all : tensor<1x200x200xi64>, tensor<1x200x200xi64> -> tensor<1x200x200xi1>
  %low = graph.constant dense<0xFF800000> : tensor<1x200x200xf32> : tensor<1x200x200xf32>
  %1 = graph.select %seen, %0, %low : tensor<1x200x200xi1>, tensor<1x200x200xf32>, tensor<1x200x200xf32> -> tensor<1x200x200xf32>
  %2 = graph.softmax %1 axis 2 : tensor<1x200x200xf32> -> tensor<1x200x200xf32>
  %3 = graph.matmul %2, %v : tensor<1x200x200xf32>, tensor<1x200x6xf32> -> tensor<1x200x6xf32>
  return %3 : tensor<1x200x6xf32>
}

// -----

// Heads that share keys and values are neighbouring rows of one point of the grid: 3 of 6 heads.
// CHECK: kernel.func @k0 attention grid (%[[G:.*]]) in [2]
// CHECK: kernel.map (%{{.*}}) in [30]
// CHECK: kernel.dot [30, 64, 8] lhs (%[[M:.*]], %[[K:.*]]) {
// CHECK: kernel.load %arg0[240*%[[G]] + %[[K]] + 8*floordiv(%[[M]], 3) + 80*mod(%[[M]], 3)]
// CHECK: } rhs (%[[K:.*]], %[[N:.*]]) {
// CHECK: kernel.load %arg1[512*%[[G]] + 64*%[[K]] + %[[N]]]
func.func @main(%q: tensor<6x10x8xf32>, %k: tensor<2x8x64xf32>, %v: tensor<2x64x6xf32>) -> tensor<6x10x6xf32> {
  %0 = graph.reshape %k : tensor<2x8x64xf32> -> tensor<2x1x8x64xf32>
  %1 = graph.broadcast %0 : tensor<2x1x8x64xf32> -> tensor<2x3x8x64xf32>
  %2 = graph.reshape %1 : tensor<2x3x8x64xf32> -> tensor<6x8x64xf32>
  %3 = graph.reshape %v : tensor<2x64x6xf32> -> tensor<2x1x64x6xf32>
  %4 = graph.broadcast %3 : tensor<2x1x64x6xf32> -> tensor<2x3x64x6xf32>
  %5 = graph.reshape %4 : tensor<2x3x64x6xf32> -> tensor<6x64x6xf32>
  %6 = graph.matmul %q, %2 : tensor<6x10x8xf32>, tensor<6x8x64xf32> -> tensor<6x10x64xf32>
  %7 = graph.softmax %6 axis 2 : tensor<6x10x64xf32> -> tensor<6x10x64xf32>
  %8 = graph.matmul %7, %5 : tensor<6x10x64xf32>, tensor<6x64x6xf32> -> tensor<6x10x6xf32>
  return %8 : tensor<6x10x6xf32>
}

// -----

// Values that heads do not share keep them apart.
// CHECK-LABEL: kernel.func @k0 attention grid (%{{.*}}) in [6]
func.func @main(%q: tensor<6x10x8xf32>, %k: tensor<2x8x64xf32>, %v: tensor<6x64x6xf32>) -> tensor<6x10x6xf32> {
  %0 = graph.reshape %k : tensor<2x8x64xf32> -> tensor<2x1x8x64xf32>
  %1 = graph.broadcast %0 : tensor<2x1x8x64xf32> -> tensor<2x3x8x64xf32>
  %2 = graph.reshape %1 : tensor<2x3x8x64xf32> -> tensor<6x8x64xf32>
  %6 = graph.matmul %q, %2 : tensor<6x10x8xf32>, tensor<6x8x64xf32> -> tensor<6x10x64xf32>
  %7 = graph.softmax %6 axis 2 : tensor<6x10x64xf32> -> tensor<6x10x64xf32>
  %8 = graph.matmul %7, %v : tensor<6x10x64xf32>, tensor<6x64x6xf32> -> tensor<6x10x6xf32>
  return %8 : tensor<6x10x6xf32>
}

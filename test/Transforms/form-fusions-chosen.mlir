//===- test/Transforms/form-fusions-chosen.mlir - products of matrices that an index chooses ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --mlir-print-local-scope --pass-pipeline="builtin.module(graph-form-fusions)" | FileCheck %s

// Whole matrices: a block of the product reads its index once. Views may stand between.
// CHECK-LABEL: graph.verdicts @chosen
// CHECK-SAME: <fused prologue : loc("of_rows") -> loc("rows")
// CHECK-SAME: <fused prologue : loc("of_columns") -> loc("columns") through
// CHECK-SAME: <fused prologue : loc("of_left") -> loc("left")
func.func @chosen(%w: tensor<5x8x6xf32>, %v: tensor<5x6x8xf32>, %i: tensor<3xi64>, %x: tensor<3x1x8xf32>) -> (tensor<3x1x6xf32>, tensor<3x1x6xf32>, tensor<3x6x1xf32>) {
  %0 = graph.gather %w, %i axis 0 : tensor<5x8x6xf32>, tensor<3xi64> -> tensor<3x8x6xf32> loc("of_rows")
  %1 = graph.matmul %x, %0 : tensor<3x1x8xf32>, tensor<3x8x6xf32> -> tensor<3x1x6xf32> loc("rows")
  %2 = graph.gather %v, %i axis 0 : tensor<5x6x8xf32>, tensor<3xi64> -> tensor<3x6x8xf32> loc("of_columns")
  %3 = graph.transpose %2 [0, 2, 1] : tensor<3x6x8xf32> -> tensor<3x8x6xf32>
  %4 = graph.matmul %x, %3 : tensor<3x1x8xf32>, tensor<3x8x6xf32> -> tensor<3x1x6xf32> loc("columns")
  %5 = graph.gather %v, %i axis 0 : tensor<5x6x8xf32>, tensor<3xi64> -> tensor<3x6x8xf32> loc("of_left")
  %6 = graph.reshape %x : tensor<3x1x8xf32> -> tensor<3x8x1xf32>
  %7 = graph.matmul %5, %6 : tensor<3x6x8xf32>, tensor<3x8x1xf32> -> tensor<3x6x1xf32> loc("left")
  return %1, %4, %7 : tensor<3x1x6xf32>, tensor<3x1x6xf32>, tensor<3x6x1xf32>
}

// Rows that are chosen one by one have an index each; so do those of matrices that a view cuts out of what is chosen.
// CHECK-LABEL: graph.verdicts @refused
// CHECK-SAME: <apart "contraction-operand" : loc("one_by_one") -> loc("embedded") because
// CHECK-SAME: <apart "contraction-operand" : loc("of_two") -> loc("halves") through
func.func @refused(%w: tensor<5x8xf32>, %i: tensor<3x4xi64>, %u: tensor<5x4x6xf32>, %two: tensor<6xi64>, %b: tensor<3x8x6xf32>) -> (tensor<3x4x6xf32>, tensor<3x8x8xf32>) {
  %0 = graph.gather %w, %i axis 0 : tensor<5x8xf32>, tensor<3x4xi64> -> tensor<3x4x8xf32> loc("one_by_one")
  %1 = graph.matmul %0, %b : tensor<3x4x8xf32>, tensor<3x8x6xf32> -> tensor<3x4x6xf32> loc("embedded")
  %2 = graph.gather %u, %two axis 0 : tensor<5x4x6xf32>, tensor<6xi64> -> tensor<6x4x6xf32> loc("of_two")
  %3 = graph.reshape %2 : tensor<6x4x6xf32> -> tensor<3x8x6xf32>
  %4 = graph.transpose %b [0, 2, 1] : tensor<3x8x6xf32> -> tensor<3x6x8xf32>
  %5 = graph.matmul %3, %4 : tensor<3x8x6xf32>, tensor<3x6x8xf32> -> tensor<3x8x8xf32> loc("halves")
  return %1, %5 : tensor<3x4x6xf32>, tensor<3x8x8xf32>
}

// An attention reads its keys and values from memory.
// CHECK-LABEL: graph.verdicts @attention
// CHECK-SAME: <apart "contraction-operand" : loc("of_values") -> loc("sums") because
func.func @attention(%q: tensor<3x40x8xf32>, %k: tensor<3x8x50xf32>, %v: tensor<5x50x8xf32>, %i: tensor<3xi64>) -> tensor<3x40x8xf32> {
  %0 = graph.matmul %q, %k : tensor<3x40x8xf32>, tensor<3x8x50xf32> -> tensor<3x40x50xf32> loc("scores")
  %1 = graph.softmax %0 axis 2 : tensor<3x40x50xf32> -> tensor<3x40x50xf32> loc("weights")
  %2 = graph.gather %v, %i axis 0 : tensor<5x50x8xf32>, tensor<3xi64> -> tensor<3x50x8xf32> loc("of_values")
  %3 = graph.matmul %1, %2 : tensor<3x40x50xf32>, tensor<3x50x8xf32> -> tensor<3x40x8xf32> loc("sums")
  return %3 : tensor<3x40x8xf32>
}

// Integers that an index chooses are taken apart where they are multiplied, with scales that it chooses, too.
// CHECK-LABEL: graph.verdicts @integers
// CHECK-SAME: <fused prologue : loc("bytes") -> loc("numbers")
// CHECK-SAME: <fused prologue : loc("numbers") -> loc("scaled")
// CHECK-SAME: <fused prologue : loc("scales") -> loc("scaled") through
// CHECK-SAME: <fused prologue : loc("scaled") -> loc("product")
func.func @integers(%i: tensor<3xi64>, %x: tensor<3x1x32xf32>) -> tensor<3x1x16xf32> {
  %w = graph.constant dense_resource<bytes> : tensor<4x32x16xi8> : tensor<4x32x16xi8>
  %s = graph.constant dense<[[[0.5]], [[0.25]], [[2.0]], [[4.0]]]> : tensor<4x1x1xf32> : tensor<4x1x1xf32>
  %0 = graph.gather %w, %i axis 0 : tensor<4x32x16xi8>, tensor<3xi64> -> tensor<3x32x16xi8> loc("bytes")
  %1 = graph.gather %s, %i axis 0 : tensor<4x1x1xf32>, tensor<3xi64> -> tensor<3x1x1xf32> loc("scales")
  %2 = graph.broadcast %1 : tensor<3x1x1xf32> -> tensor<3x32x16xf32>
  %3 = graph.cast %0 : tensor<3x32x16xi8> -> tensor<3x32x16xf32> loc("numbers")
  %4 = graph.binary mul %3, %2 : tensor<3x32x16xf32>, tensor<3x32x16xf32> -> tensor<3x32x16xf32> loc("scaled")
  %5 = graph.matmul %x, %4 : tensor<3x1x32xf32>, tensor<3x32x16xf32> -> tensor<3x1x16xf32> loc("product")
  return %5 : tensor<3x1x16xf32>
}

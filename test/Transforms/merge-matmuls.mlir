//===- test/Transforms/merge-matmuls.mlir - contractions that share their left operand ---===//
// SPDX-License-Identifier: Apache-2.0
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-merge-matmuls))" | FileCheck %s
// RUN: cupola-opt %s --pass-pipeline="builtin.module(func.func(graph-merge-matmuls{max-columns=2}))" | FileCheck %s --check-prefix=NARROW

// The part without a bias gets zeros.
// NARROW-NOT: graph.slice
// CHECK-LABEL: @biases
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 5.000000e+00], [3.000000e+00, 4.000000e+00, 6.000000e+00]]>
// CHECK: %[[M:.*]] = graph.matmul %arg0, %[[W]]
// CHECK: %[[B:.*]] = graph.constant dense<{{\[\[}}1.000000e+01, 2.000000e+01, 0.000000e+00]]>
// CHECK: %[[R:.*]] = graph.broadcast %[[B]]
// CHECK: %[[S:.*]] = graph.binary add %[[M]], %[[R]]
// CHECK-DAG: graph.slice %[[S]] ["0", "0"] [1, 1] : tensor<4x3xf32> -> tensor<4x2xf32>
// CHECK-DAG: graph.slice %[[S]] ["0", "2"] [1, 1] : tensor<4x3xf32> -> tensor<4x1xf32>
// CHECK: return
func.func @biases(%x: tensor<4x2xf32>) -> (tensor<2x4xf32>, tensor<1x4xf32>) {
  %w0 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w1 = graph.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32> : tensor<2x1xf32>
  %b0 = graph.constant dense<[10.0, 20.0]> : tensor<2xf32> : tensor<2xf32>
  %0 = graph.matmul %x, %w0 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %1 = graph.reshape %b0 : tensor<2xf32> -> tensor<1x2xf32>
  %2 = graph.broadcast %1 : tensor<1x2xf32> -> tensor<4x2xf32>
  %3 = graph.binary add %2, %0 : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  %4 = graph.matmul %x, %w1 : tensor<4x2xf32>, tensor<2x1xf32> -> tensor<4x1xf32>
  %5 = graph.transpose %3 [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %6 = graph.transpose %4 [1, 0] : tensor<4x1xf32> -> tensor<1x4xf32>
  %7 = graph.unary neg %5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %8 = graph.unary neg %6 : tensor<1x4xf32> -> tensor<1x4xf32>
  return %7, %8 : tensor<2x4xf32>, tensor<1x4xf32>
}

// A number per column, 1 where there was none, and on the sum with the bias.
// CHECK-LABEL: @factors
// CHECK: %[[M:.*]] = graph.matmul %arg0
// CHECK: %[[S:.*]] = graph.binary add %[[M]]
// CHECK: %[[F:.*]] = graph.constant dense<{{\[\[}}4.204100e-01, 4.204100e-01, 1.000000e+00]]>
// CHECK: %[[R:.*]] = graph.broadcast %[[F]]
// CHECK: %[[P:.*]] = graph.binary mul %[[S]], %[[R]]
// CHECK-DAG: graph.slice %[[P]] ["0", "0"] [1, 1] : tensor<4x3xf16> -> tensor<4x2xf16>
// CHECK-DAG: graph.slice %[[P]] ["0", "2"] [1, 1] : tensor<4x3xf16> -> tensor<4x1xf16>
// CHECK: return
func.func @factors(%x: tensor<4x2xf16>) -> (tensor<2x4xf16>, tensor<1x4xf16>) {
  %w0 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16> : tensor<2x2xf16>
  %w1 = graph.constant dense<[[5.0], [6.0]]> : tensor<2x1xf16> : tensor<2x1xf16>
  %b0 = graph.constant dense<[[10.0, 20.0]]> : tensor<1x2xf16> : tensor<1x2xf16>
  %c = graph.constant dense<4.204100e-01> : tensor<4x2xf16> : tensor<4x2xf16>
  %0 = graph.matmul %x, %w0 : tensor<4x2xf16>, tensor<2x2xf16> -> tensor<4x2xf16>
  %1 = graph.broadcast %b0 : tensor<1x2xf16> -> tensor<4x2xf16>
  %2 = graph.binary add %0, %1 : tensor<4x2xf16>, tensor<4x2xf16> -> tensor<4x2xf16>
  %3 = graph.binary mul %2, %c : tensor<4x2xf16>, tensor<4x2xf16> -> tensor<4x2xf16>
  %4 = graph.matmul %x, %w1 : tensor<4x2xf16>, tensor<2x1xf16> -> tensor<4x1xf16>
  %5 = graph.transpose %3 [1, 0] : tensor<4x2xf16> -> tensor<2x4xf16>
  %6 = graph.transpose %4 [1, 0] : tensor<4x1xf16> -> tensor<1x4xf16>
  %7 = graph.unary neg %5 : tensor<2x4xf16> -> tensor<2x4xf16>
  %8 = graph.unary neg %6 : tensor<1x4xf16> -> tensor<1x4xf16>
  return %7, %8 : tensor<2x4xf16>, tensor<1x4xf16>
}

// A number that is shared, and one per row.
// CHECK-LABEL: @refused_factors
// CHECK-NOT: graph.slice
// CHECK: return
func.func @refused_factors(%x: tensor<4x2xf16>, %rows: tensor<4x1xf16>) -> (tensor<8xf16>, tensor<8xf16>, tensor<4x2xf16>) {
  %w0 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16> : tensor<2x2xf16>
  %w1 = graph.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf16> : tensor<2x2xf16>
  %c = graph.constant dense<4.204100e-01> : tensor<4x2xf16> : tensor<4x2xf16>
  %0 = graph.matmul %x, %w0 : tensor<4x2xf16>, tensor<2x2xf16> -> tensor<4x2xf16>
  %1 = graph.binary mul %0, %c : tensor<4x2xf16>, tensor<4x2xf16> -> tensor<4x2xf16>
  %2 = graph.reshape %1 : tensor<4x2xf16> -> tensor<8xf16>
  %3 = graph.matmul %x, %w1 : tensor<4x2xf16>, tensor<2x2xf16> -> tensor<4x2xf16>
  %4 = graph.broadcast %rows : tensor<4x1xf16> -> tensor<4x2xf16>
  %5 = graph.binary mul %3, %4 : tensor<4x2xf16>, tensor<4x2xf16> -> tensor<4x2xf16>
  %6 = graph.reshape %5 : tensor<4x2xf16> -> tensor<8xf16>
  %7 = graph.unary neg %2 : tensor<8xf16> -> tensor<8xf16>
  %8 = graph.unary neg %6 : tensor<8xf16> -> tensor<8xf16>
  %9 = graph.unary neg %0 : tensor<4x2xf16> -> tensor<4x2xf16>
  return %7, %8, %9 : tensor<8xf16>, tensor<8xf16>, tensor<4x2xf16>
}

// CHECK-LABEL: @transposed
// CHECK: graph.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]]>
// CHECK: graph.reshape {{.*}} -> tensor<3x2xf32>
// CHECK: graph.transpose {{.*}} [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
// CHECK: graph.matmul {{.*}} -> tensor<4x3xf32>
// CHECK-NOT: graph.matmul
// CHECK: return
func.func @transposed(%x: tensor<4x2xf32>) -> (tensor<8xf32>, tensor<1x4xf32>) {
  %c0 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %c1 = graph.constant dense<[[5.0, 6.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %w0 = graph.transpose %c0 [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %w1 = graph.transpose %c1 [1, 0] : tensor<1x2xf32> -> tensor<2x1xf32>
  %0 = graph.matmul %x, %w0 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %1 = graph.matmul %x, %w1 : tensor<4x2xf32>, tensor<2x1xf32> -> tensor<4x1xf32>
  %2 = graph.reshape %0 : tensor<4x2xf32> -> tensor<8xf32>
  %3 = graph.transpose %1 [1, 0] : tensor<4x1xf32> -> tensor<1x4xf32>
  %4 = graph.unary neg %2 : tensor<8xf32> -> tensor<8xf32>
  %5 = graph.unary neg %3 : tensor<1x4xf32> -> tensor<1x4xf32>
  return %4, %5 : tensor<8xf32>, tensor<1x4xf32>
}

// Another left operand; a right operand that is no constant; arithmetic on one result.
// CHECK-LABEL: @refused
// CHECK-NOT: graph.slice
// CHECK: return
func.func @refused(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>, %w: tensor<2x2xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>) {
  %w0 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w0 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %1 = graph.matmul %y, %w0 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %2 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %3 = graph.matmul %x, %w0 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %4 = graph.reshape %0 : tensor<4x2xf32> -> tensor<8xf32>
  %5 = graph.reshape %1 : tensor<4x2xf32> -> tensor<8xf32>
  %6 = graph.reshape %2 : tensor<4x2xf32> -> tensor<8xf32>
  %7 = graph.unary relu %3 : tensor<4x2xf32> -> tensor<4x2xf32>
  %8 = graph.unary neg %4 : tensor<8xf32> -> tensor<8xf32>
  %9 = graph.unary neg %5 : tensor<8xf32> -> tensor<8xf32>
  %10 = graph.unary neg %6 : tensor<8xf32> -> tensor<8xf32>
  return %8, %9, %10, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>
}

// What the model gives out would have to be copied out of a joint matrix.
// CHECK-LABEL: @given_out
// CHECK-NOT: graph.slice
// CHECK: return
func.func @given_out(%x: tensor<4x2xf32>) -> (tensor<2x4xf32>, tensor<8xf32>) {
  %w0 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %w1 = graph.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w0 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %1 = graph.matmul %x, %w1 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %2 = graph.transpose %0 [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %3 = graph.reshape %1 : tensor<4x2xf32> -> tensor<8xf32>
  %4 = graph.unary neg %3 : tensor<8xf32> -> tensor<8xf32>
  return %2, %4 : tensor<2x4xf32>, tensor<8xf32>
}
